import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { areWhole, CHUNK_BYTES_MAX, chunkPath, cutBytes, parseChunkPath } from './chunks.ts';
import { codedPath, decodedPath } from './tree-path.ts';

describe('cutBytes', () => {
  verifies('backup:append-only', 'cuts at line ends, at most 1 MiB at a time, and loses nothing', () => {
    const line = fc.integer({ min: 0, max: 300_000 }).map((length) => `${'x'.repeat(length)}\n`);
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 20 }), (lines) => {
        const whole = Buffer.from(lines.join(''));
        const pieces: Buffer[] = [];
        for (let at = 0; at < whole.length;) {
          const rest = whole.subarray(at);
          const piece = rest.subarray(0, cutBytes(rest));
          expect(piece.length).toBeGreaterThan(0);
          expect(piece.length).toBeLessThanOrEqual(CHUNK_BYTES_MAX);
          expect(piece.at(-1)).toBe(0x0a);
          pieces.push(piece);
          at += piece.length;
        }
        expect(Buffer.concat(pieces).equals(whole)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('cuts a line that is longer than a piece', () => {
    expect(cutBytes(Buffer.alloc(CHUNK_BYTES_MAX + 2, 'x'))).toBe(CHUNK_BYTES_MAX);
  });
});

describe('the path of a piece', () => {
  it('names file and offset, and sorts by offset', () => {
    const path = chunkPath('cycle/2026-01-02.001.jsonl', 1_048_000);
    expect(path).toBe('journal/cycle/2026-01-02.001.jsonl/000001048000.cycle');
    expect(parseChunkPath(path)).toEqual({ file: 'cycle/2026-01-02.001.jsonl', offsetBytes: 1_048_000 });
  });

  it.each(['journal/blobs/aa/aabb.gz', 'journal/checkpoints/run.json', 'workspace/journal/a/000000000000.a'])(
    'is not %s',
    (path) => expect(parseChunkPath(path)).toBeUndefined(),
  );
});

it('areWhole finds a piece that is missing', () => {
  expect(areWhole([])).toBe(true);
  expect(
    areWhole([
      { offsetBytes: 0, sizeBytes: 5 },
      { offsetBytes: 5, sizeBytes: 1 },
    ]),
  ).toBe(true);
  expect(
    areWhole([
      { offsetBytes: 0, sizeBytes: 5 },
      { offsetBytes: 6, sizeBytes: 1 },
    ]),
  ).toBe(false);
  expect(areWhole([{ offsetBytes: 1, sizeBytes: 5 }])).toBe(false);
});

describe('codedPath', () => {
  it.each(['.git', '.git/hooks/post-commit', '.gitmodules', 'a/.gitattributes', 'git~1', 'b/.git ', 'x/..'])(
    'makes nothing of git of %s',
    (path) => {
      for (const name of codedPath(path).split('/')) expect(name).not.toMatch(/^\.|~|[. ]$/);
      expect(decodedPath(codedPath(path))).toBe(path);
    },
  );

  it('gives every name back', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(name, (path) => {
        expect(decodedPath(codedPath(path))).toBe(path);
      }),
    );
  });
});
