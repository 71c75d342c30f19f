import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { FrameDecoder, frameHeaderBytes, isCarriedLinkText, isCarriedPath, type FramePart } from './frames.ts';
import { RUNNER_ARCHIVE_BYTES_MAX, RUNNER_FILES_MAX, type FrameHeader } from './runner.ts';

interface Frame {
  readonly header: FrameHeader;
  readonly content: Uint8Array;
}

function file(path: string, content = ''): Frame {
  const bytes = Buffer.from(content);
  return {
    header: { type: 'File', path, sizeBytes: bytes.length, isExecutable: false, isReadOnly: false },
    content: bytes,
  };
}

function link(path: string, text: string): Frame {
  const content = Buffer.from(text);
  return { header: { type: 'Link', path, sizeBytes: content.length }, content };
}

const end: Frame = { header: { type: 'End', sizeBytes: 0, skippedEntries: 0 }, content: Buffer.alloc(0) };

function encode(frames: readonly Frame[]): Buffer {
  return Buffer.concat(frames.flatMap(({ header, content }) => [frameHeaderBytes(header), content]));
}

/** The frames again, or the fault. */
function decode(bytes: Uint8Array, chunkBytes: number): readonly Frame[] | string {
  const decoder = new FrameDecoder();
  const parts: FramePart[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const pushed = decoder.push(bytes.subarray(at, at + chunkBytes));
    if (!pushed.ok) return pushed.error.message;
    parts.push(...pushed.value);
  }
  const finished = decoder.finish();
  if (!finished.ok) return finished.error.message;
  const frames: { header: FrameHeader; content: Buffer }[] = [];
  for (const part of parts) {
    const last = frames.at(-1);
    if (part.type === 'Header') frames.push({ header: part.header, content: Buffer.alloc(0) });
    else if (last !== undefined) last.content = Buffer.concat([last.content, part.bytes]);
  }
  return frames;
}

const name = fc.stringMatching(/^[a-zA-Z0-9 _\u00e4\u{1f600}-]{1,12}$/u);
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));

describe('frames', () => {
  it('come back as they went, however the bytes are cut', () => {
    const archive = fc.uniqueArray(fc.record({ path, content: fc.string({ unit: 'binary' }) }), {
      // No name is both a file and a directory: one depth for all.
      selector: (entry) => entry.path,
      maxLength: 8,
    });
    fc.assert(
      fc.property(archive, fc.integer({ min: 1, max: 100 }), (entries, chunkBytes) => {
        const depth = entries[0]?.path.split('/').length;
        const same = entries.filter((entry) => entry.path.split('/').length === depth);
        const frames = [...same.map((entry) => file(entry.path, entry.content)), end];
        const decoded = decode(encode(frames), chunkBytes);
        expect(typeof decoded === 'string' ? decoded : decoded.map(plain)).toEqual(frames.map(plain));
      }),
    );
  });

  it('never throws and never grows, whatever it is fed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.integer({ min: 1, max: 50 }), (bytes, chunkBytes) => {
        decode(bytes, chunkBytes);
      }),
    );
  });

  verifies('sandbox-runner:carries-safe-files-only', 'refuses every path that could lead somewhere else', () => {
    const hostile = [
      ...['', '/', '/etc/passwd', '..', '../x', 'a/../x', 'a/..', './a', 'a/./b', 'a//b', 'a/', '.'],
      ...[
        'a\u0000b',
        'a\nb',
        'a\u001b[2J',
        'a\ud800',
        `${'x'.repeat(256)}`,
        `a/${'\u00e4'.repeat(128)}`,
        'x'.repeat(1025),
      ],
      ...[Array.from({ length: 33 }, () => 'a').join('/')],
    ];
    expect(hostile.filter(isCarriedPath)).toEqual([]);
    for (const path of hostile) expect(decode(encode([file(path), end]), 7)).toEqual(expect.any(String));
    expect(
      ['a', '.a', '..a', 'a..', 'a/.b/...c', '-rf', '~', '*', '\u00e4/\u{1f600}'].filter(isCarriedPath),
    ).toHaveLength(9);
  });

  verifies('provenance:links-labelled', 'carry links whose text means the same everywhere', () => {
    const frames = [link('a/b', '../\u00e4'), link('c', '/etc/passwd'), end];
    const decoded = decode(encode(frames), 3);
    expect(typeof decoded === 'string' ? decoded : decoded.map(plain)).toEqual(frames.map(plain));
    expect(['..', '/', ' ', '\u00e4'.repeat(2047)].filter(isCarriedLinkText)).toHaveLength(4);
    const unfit = ['', 'a\nb', 'a\u0000', '\u001b[2J', '\ud800', '\u00e4'.repeat(2048)];
    expect(unfit.filter(isCarriedLinkText)).toEqual([]);
  });

  it.each([
    { name: 'one path twice', frames: [file('a'), file('a'), end], fault: 'twice' },
    { name: 'a file and a directory', frames: [file('a'), file('a/b'), end], fault: 'file and a directory' },
    { name: 'a directory and a file', frames: [file('a/b'), file('a'), end], fault: 'file and a directory' },
    { name: 'a deep directory and a file', frames: [file('a/b/c'), file('a/b'), end], fault: 'file and a directory' },
    { name: 'a link and a file below it', frames: [link('a', 'x'), file('a/b'), end], fault: 'file and a directory' },
    { name: 'a file and a link in its directory', frames: [file('a/b'), link('a', 'x'), end], fault: 'file and a' },
    { name: 'a link of a file’s name', frames: [file('a'), link('a', 'x'), end], fault: 'twice' },
    { name: 'a link without a text', frames: [link('a', ''), end], fault: 'wrong form' },
    { name: 'a link that is too long', frames: [link('a', 'x'.repeat(4096)), end], fault: 'wrong form' },
    { name: 'no end', frames: [file('a')], fault: 'cut off' },
    { name: 'something after the end', frames: [end, file('a')], fault: 'after the end' },
    { name: 'nothing', frames: [], fault: 'cut off' },
  ])('refuses $name', ({ frames, fault }) => {
    expect(decode(encode(frames), 1000)).toContain(fault);
  });

  it.each([
    { name: 'a header without an end', bytes: Buffer.alloc(9000, 'x'), fault: 'too long' },
    { name: 'no JSON', bytes: Buffer.from('hello\n'), fault: 'has the wrong form' },
    { name: 'no UTF-8', bytes: Buffer.from('ff0a', 'hex'), fault: 'has the wrong form' },
    { name: 'a content cut off', bytes: encode([file('a', 'abc')]).subarray(0, -1), fault: 'cut off' },
    {
      name: 'a negative size',
      bytes: Buffer.from('{"type":"File","path":"a","sizeBytes":-1,"isExecutable":false,"isReadOnly":false}\n'),
      fault: 'has the wrong form',
    },
  ])('refuses $name', ({ bytes, fault }) => {
    expect(decode(bytes, 1000)).toContain(fault);
  });

  it('stops at too many files and at too many bytes', () => {
    const many = Array.from({ length: RUNNER_FILES_MAX + 1 }, (_, index) => file(`f${index}`));
    expect(decode(encode([...many, end]), 65_536)).toContain('files');
    const plain = { type: 'File', path: 'a', isExecutable: false, isReadOnly: false } as const;
    const half = { ...plain, sizeBytes: RUNNER_ARCHIVE_BYTES_MAX };
    const decoder = new FrameDecoder();
    expect(decoder.push(frameHeaderBytes(half))).toMatchObject({ ok: true });
    const over = new FrameDecoder();
    const one = { ...half, sizeBytes: RUNNER_ARCHIVE_BYTES_MAX + 1 };
    expect(over.push(frameHeaderBytes(one))).toMatchObject({ ok: false });
  });

  it('lets a removed file make room for a directory of its name', () => {
    const removed: Frame = { header: { type: 'Removed', path: 'a', sizeBytes: 0 }, content: Buffer.alloc(0) };
    expect(decode(encode([removed, file('a/b'), end]), 10)).toHaveLength(3);
  });
});

function plain({ header, content }: Frame): { readonly header: FrameHeader; readonly content: string } {
  return { header, content: Buffer.from(content).toString('hex') };
}
