import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { sha256Hex } from '@retainer/contract/std/hash';
import { frameHeaderBytes } from '@retainer/contract/wire/frames';
import { temporaryDirectory } from '../../../../test/support/tool-world.ts';
import { verifies } from '../../../../test/verifies.ts';
import { newRoom, RunRooms } from '../run-room.ts';
import { workspaceArchive } from './sandbox-run-archive.ts';
import { takeBack, type Decided } from './sandbox-run-take-back.ts';

async function* archiveOf(files: Readonly<Record<string, string>>): AsyncGenerator<Uint8Array> {
  for (const [path, text] of Object.entries(files)) {
    const sizeBytes = Buffer.byteLength(text);
    yield frameHeaderBytes({ type: 'File', path, sizeBytes, isExecutable: false, isReadOnly: false });
    yield Buffer.from(text);
  }
  yield frameHeaderBytes({ type: 'End', sizeBytes: 0, skippedEntries: 0 });
}

verifies('sandbox:takes-changes', 'what the scripts of a run leave behind is bounded together', async () => {
  const base = temporaryDirectory();
  const workspaceDirectory = join(base, 'workspace');
  mkdirSync(workspaceDirectory);
  writeFileSync(join(workspaceDirectory, 'old'), 'old');
  const room = { ...newRoom(), files: 3, bytes: 20 };
  const plan = { workspaceDirectory, protectedPaths: [], sentPaths: ['old'], sentMarks: undefined };
  const into = { ...plan, stagingDirectory: base, room };
  const first = await takeBack(archiveOf({ old: 'longer', a: '1', b: '2' }), into);
  expect(first).toMatchObject({ ok: true, value: { leftOutFiles: 0, leftOutBytes: 0 } });
  const second = await takeBack(archiveOf({ big: 'x'.repeat(16), c: '3', d: '4', a: '5' }), into);
  expect(second).toMatchObject({ ok: true, value: { refused: [], leftOutFiles: 2, leftOutBytes: 17 } });
  expect(readdirSync(workspaceDirectory).toSorted()).toEqual(['a', 'b', 'c', 'old']);
  expect(existsSync(join(workspaceDirectory, 'big'))).toBe(false);
});

verifies('sandbox:takes-changes', 'each run has a room of its own, and a script without a run too', () => {
  const rooms = new RunRooms();
  rooms.of('run-1').files = 0;
  expect([rooms.of('run-1').files, rooms.of('run-2').files]).toEqual([0, newRoom().files]);
  expect(rooms.of(undefined)).toEqual(newRoom());
});

verifies('sandbox:room-of-the-run', 'a new process goes on with what the record says was added', () => {
  const { files, bytes } = newRoom();
  const room = new RunRooms().of('run-1', { files: files - 2, bytes: bytes - 5 });
  expect([room.files, room.bytes]).toEqual([2, 5]);
  const full = new RunRooms().of('run-1', { files: files + 1, bytes: bytes + 1 });
  expect([full.files, full.bytes]).toEqual([0, 0]);
});

verifies('sandbox:room-of-the-run', 'runs beside it give it no second budget', () => {
  const rooms = new RunRooms();
  rooms.of('run-1').files = 0;
  for (let other = 0; other < 300; other += 1) rooms.of(`other-${other}`);
  const { files, bytes } = newRoom();
  expect(rooms.of('run-1', { files, bytes: 0 })).toMatchObject({ files: 0, bytes });
});

verifies('sandbox:room-of-the-run', 'a result tells what the program added', async () => {
  const base = temporaryDirectory();
  const workspaceDirectory = join(base, 'workspace');
  mkdirSync(join(workspaceDirectory, '.cache'), { recursive: true });
  writeFileSync(join(workspaceDirectory, 'old'), 'old');
  const plan = { workspaceDirectory, protectedPaths: [], sentPaths: ['old'], sentMarks: undefined };
  const into = { ...plan, stagingDirectory: base, room: new RunRooms().of('run-1') };
  const program = { old: 'longer', a: '1', '.cache/a': '1', 'b/.tmp/c': '1', 'b/.tmp/d': '1' };
  const taken = await takeBack(archiveOf(program), into);
  expect(taken).toMatchObject({ ok: true, value: { added: { files: 6, bytes: 7, scratch: ['b/.tmp'] } } });
});

verifies('sandbox:room-of-the-run', 'counts directories, also those above a file', async () => {
  const base = temporaryDirectory();
  const workspaceDirectory = join(base, 'workspace');
  mkdirSync(join(workspaceDirectory, 'old'), { recursive: true });
  const plan = { workspaceDirectory, protectedPaths: [], sentPaths: [], sentMarks: undefined };
  const into = { ...plan, stagingDirectory: base, room: { ...newRoom(), files: 5 } };
  const taken = await takeBack(archiveOf({ 'old/1': '', 'a/b/2': '', 'a/b/3': '', 'c/4': '' }), into);
  expect(taken).toMatchObject({ ok: true, value: { added: { files: 5 }, leftOutFiles: 1 } });
  expect(existsSync(join(workspaceDirectory, 'c'))).toBe(false);
});

verifies('sandbox:room-of-the-run', 'a second attempt after a crash knows what the first one added', async () => {
  const base = temporaryDirectory();
  const workspaceDirectory = join(base, 'workspace');
  mkdirSync(workspaceDirectory);
  const plan = { workspaceDirectory, protectedPaths: [], sentPaths: [], sentMarks: [], stagingDirectory: base };
  const program = { a: '1', '.cache/b': '22', big: 'x'.repeat(9), c: '3' };
  let decided: Decided | undefined;
  const onDecided = (it: Decided): Promise<void> => {
    expect(readdirSync(workspaceDirectory)).toEqual([]);
    decided = it;
    return Promise.resolve();
  };
  const rooms = new RunRooms();
  const room = { ...rooms.of('run-1'), bytes: 6 };
  const first = await takeBack(archiveOf(program), { ...plan, room, onDecided });
  expect(decided).toEqual({ added: { files: 4, bytes: 4, scratch: ['.cache'] }, leftOut: ['big'] });
  // The agent died before it kept the result.
  rmSync(join(workspaceDirectory, 'c'));
  const again = {
    ...plan,
    room: new RunRooms().of('run-1'),
    decided,
    onDecided: () => Promise.reject(new Error('once')),
  };
  expect(await takeBack(archiveOf(program), again)).toEqual(first);
  expect(readdirSync(workspaceDirectory).toSorted()).toEqual(['.cache', 'a', 'c']);
});

/** An archive of what a program changed. `undefined`: it removed the file. */
async function* changesOf(files: Readonly<Record<string, string | undefined>>): AsyncGenerator<Uint8Array> {
  for (const [path, text] of Object.entries(files))
    if (text === undefined) yield frameHeaderBytes({ type: 'Removed', path, sizeBytes: 0 });
  yield* archiveOf(
    Object.fromEntries(Object.entries(files).filter(([, text]) => text !== undefined)) as Record<string, string>,
  );
}

describe('what others changed meanwhile', () => {
  const cases: readonly {
    readonly name: string;
    readonly others: (workspace: string) => void;
    readonly program: Readonly<Record<string, string | undefined>>;
    readonly conflicts: readonly string[];
    readonly stands: Readonly<Record<string, string>>;
  }[] = [
    {
      name: 'a file that both wrote',
      others: (at) => writeFileSync(join(at, 'old'), 'theirs'),
      program: { old: 'mine', new: 'mine' },
      conflicts: ['old'],
      stands: { old: 'theirs', new: 'mine' },
    },
    {
      name: 'a file that both made',
      others: (at) => writeFileSync(join(at, 'new'), 'theirs'),
      program: { new: 'mine' },
      conflicts: ['new'],
      stands: { old: 'old', new: 'theirs' },
    },
    {
      name: 'a file that they removed and the program changed',
      others: (at) => rmSync(join(at, 'old')),
      program: { old: 'mine' },
      conflicts: ['old'],
      stands: {},
    },
    {
      name: 'a file that they changed and the program removed',
      others: (at) => writeFileSync(join(at, 'old'), 'theirs'),
      program: { old: undefined },
      conflicts: ['old'],
      stands: { old: 'theirs' },
    },
    {
      name: 'a file that both removed',
      others: (at) => rmSync(join(at, 'old')),
      program: { old: undefined },
      conflicts: [],
      stands: {},
    },
    {
      name: 'a file in which both wrote the same, as a second attempt after a crash does',
      others: (at) => writeFileSync(join(at, 'old'), 'same'),
      program: { old: 'same' },
      conflicts: [],
      stands: { old: 'same' },
    },
    {
      name: 'nothing',
      others: () => undefined,
      program: { old: 'mine' },
      conflicts: [],
      stands: { old: 'mine' },
    },
  ];

  for (const { name, others, program, conflicts, stands } of cases)
    verifies('sandbox-runner:conflict', name, async () => {
      const base = temporaryDirectory();
      const workspaceDirectory = join(base, 'workspace');
      mkdirSync(workspaceDirectory);
      writeFileSync(join(workspaceDirectory, 'old'), 'old');
      const { paths, marks } = await workspaceArchive({ workspaceDirectory, readOnlyPaths: [] });
      others(workspaceDirectory);
      const sent = { workspaceDirectory, protectedPaths: [], sentPaths: paths, sentMarks: marks };
      const taken = await takeBack(changesOf(program), { ...sent, stagingDirectory: base, room: newRoom() });
      expect(taken).toMatchObject({ ok: true, value: { refused: [] } });
      expect(taken.ok && (taken.value.conflicts ?? [])).toEqual(conflicts);
      const contents = readdirSync(workspaceDirectory).map((file) => [
        file,
        readFileSync(join(workspaceDirectory, file), 'utf8'),
      ]);
      expect(Object.fromEntries(contents)).toEqual(stands);
    });
});

async function* linksOf(
  links: Readonly<Record<string, string | Buffer>>,
  files: Readonly<Record<string, string>> = {},
) {
  for (const [path, text] of Object.entries(links)) {
    const bytes = Buffer.from(text as string);
    yield frameHeaderBytes({ type: 'Link', path, sizeBytes: bytes.length });
    for (const byte of bytes) yield Buffer.from([byte]);
  }
  yield* archiveOf(files);
}

describe('a link that comes back', () => {
  /** A workspace with a file, a link to it, and a directory, of which all is sent. */
  async function sentWorkspace() {
    const base = temporaryDirectory();
    const workspaceDirectory = join(base, 'workspace');
    mkdirSync(join(workspaceDirectory, 'dir'), { recursive: true });
    writeFileSync(join(workspaceDirectory, 'file'), 'file');
    symlinkSync('file', join(workspaceDirectory, 'link'));
    symlinkSync('file', join(workspaceDirectory, 'hidden'));
    const shownPaths = ['file', 'link'];
    const { paths, marks, hiddenPaths } = await workspaceArchive({ workspaceDirectory, readOnlyPaths: [], shownPaths });
    const sent = { workspaceDirectory, protectedPaths: hiddenPaths, sentPaths: paths, sentMarks: marks };
    const found = (name: string): string => readlinkSync(join(workspaceDirectory, name));
    return { workspaceDirectory, found, plan: { ...sent, stagingDirectory: base, room: newRoom() } };
  }

  verifies('provenance:links-labelled', 'is placed and told, wherever it leads and whatever it replaces', async () => {
    const { found, plan } = await sentWorkspace();
    const links = { new: '../out', file: '/etc/passwd', link: 'other', dir: 'x', 'sub/deep': '..' };
    const taken = await takeBack(linksOf(links), plan);
    const told = Object.entries(links).map(([path, text]) => ({
      path,
      sizeBytes: text.length,
      sha256: sha256Hex(text),
    }));
    expect(taken).toMatchObject({ ok: true, value: { links: told, files: [], refused: [] } });
    for (const [name, text] of Object.entries(links)) expect(found(name)).toBe(text);
  });

  verifies(
    'provenance:links-labelled',
    'is refused where the program saw nothing, and where its text is unfit',
    async () => {
      const { workspaceDirectory, found, plan } = await sentWorkspace();
      const unfit = { hidden: 'mine', odd: 'a\nb', bytes: Buffer.from([0xff, 0xfe]) };
      const taken = await takeBack(linksOf(unfit), plan);
      expect(taken).toMatchObject({ ok: true, value: { refused: ['hidden', 'odd', 'bytes'] } });
      expect(found('hidden')).toBe('file');
      expect(readdirSync(workspaceDirectory).toSorted()).toEqual(['dir', 'file', 'hidden', 'link']);
    },
  );

  verifies('provenance:links-labelled', 'gives way to a file only where the program saw it', async () => {
    const { workspaceDirectory, plan } = await sentWorkspace();
    const taken = await takeBack(archiveOf({ link: 'a file now', hidden: 'forged' }), plan);
    expect(taken).toMatchObject({ ok: true, value: { files: [{ path: 'link' }], refused: ['hidden'] } });
    expect(readFileSync(join(workspaceDirectory, 'link'), 'utf8')).toBe('a file now');
    expect(readFileSync(join(workspaceDirectory, 'file'), 'utf8')).toBe('file');
    const unseen = await takeBack(archiveOf({ hidden: 'x' }), { ...plan, protectedPaths: [], sentMarks: undefined });
    expect(unseen).toMatchObject({ ok: true, value: { refused: ['hidden'] } });
  });

  const conflicts: readonly (readonly [name: string, others: (at: string) => void])[] = [
    ['another link', (at) => symlinkSync('theirs', join(at, 'link'))],
    ['a file', (at) => writeFileSync(join(at, 'link'), 'mine')],
    ['nothing', () => undefined],
  ];
  for (const [name, others] of conflicts)
    verifies('sandbox-runner:conflict', `a link where others have put ${name} meanwhile`, async () => {
      const { workspaceDirectory, plan } = await sentWorkspace();
      rmSync(join(workspaceDirectory, 'link'));
      others(workspaceDirectory);
      const taken = await takeBack(linksOf({ link: 'mine' }), plan);
      expect(taken).toMatchObject({ ok: true, value: { conflicts: ['link'] } });
    });

  verifies('sandbox-runner:conflict', 'the same link of a second attempt is none', async () => {
    const { found, plan } = await sentWorkspace();
    for (let attempt = 1; attempt <= 2; attempt += 1)
      expect(await takeBack(linksOf({ link: 'mine' }), plan)).toMatchObject({ ok: true, value: { refused: [] } });
    expect(found('link')).toBe('mine');
  });
});
