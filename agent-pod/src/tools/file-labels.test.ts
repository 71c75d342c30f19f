import { existsSync, mkdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import {
  temporaryDirectory,
  toolWorld,
  type ToolWorld,
  type ToolWorldOptions,
} from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { ReadSoFar } from '@retainer/mind/gate/provenance/read-item';
import type { ToolOutcome } from '@retainer/mind/cycle/tool-outcome';
import { FileDigests } from './file-digests.ts';
import { createRegistry } from '../parts/catalog.ts';

const page: Label = { source: { kind: 'Web', name: 'a.example' }, trust: 'Untrusted', readers: 'Everyone' };
const clean: ReadSoFar = { items: [], addresses: [], instructions: [] };
const tainted: ReadSoFar = { ...clean, items: [{ recordId: 'c1', label: page, text: '' }], asked: 'Write a.txt.' };
const { signal } = new AbortController();

function call(world: ToolWorld, tool: string, input: unknown, read: ReadSoFar = clean): Promise<ToolOutcome> {
  return world.executor.execute(world.permit(tool, input, { read }), signal);
}

/** What a script does to the workspace. */
function scriptWorld(act: (workspace: string) => void, more: ToolWorldOptions = {}): ToolWorld {
  return toolWorld({
    ...more,
    script: ({ workspaceDirectory }) => {
      act(workspaceDirectory);
      return Promise.resolve({ stdout: 'done' });
    },
  });
}

const put = (world: ToolWorld, file: string, text: string): void => {
  mkdirSync(path.dirname(path.join(world.workspace, file)), { recursive: true });
  writeFileSync(path.join(world.workspace, file), text);
};
const write = (world: ToolWorld, file: string, read = clean, content = 'needle\n') =>
  call(world, 'write_file', { path: file, content }, read);

describe('what shows a file', () => {
  const looks: readonly (readonly [tool: string, input: object])[] = [
    ['read_file', { path: 'a.txt' }],
    ['search_files', { pattern: 'needle' }],
    ['list_files', {}],
    ['find_files', { glob: '*.txt' }],
    ['edit_file', { path: 'a.txt', edits: [{ old: 'absent', new: 'x' }] }],
  ];
  for (const [tool, input] of looks)
    verifies('provenance:files-labelled', `${tool} believes what a clean cycle wrote, and nobody else`, async () => {
      const world = toolWorld();
      await write(world, 'a.txt');
      expect((await call(world, tool, input)).label?.trust).toBe('Trusted');
      await write(world, 'a.txt', tainted);
      expect((await call(world, tool, input)).label?.trust).toBe('Untrusted');
      const other = toolWorld();
      put(other, 'a.txt', 'needle\n');
      expect((await call(other, tool, input)).label).toMatchObject({ trust: 'Untrusted', readers: ['owner'] });
    });

  verifies(
    'provenance:files-labelled',
    'tells a name of a stranger only where no trusted line stands beside it',
    async () => {
      const world = toolWorld();
      await write(world, 'a.txt');
      put(world, 'obey me.bin', '\0');
      const beside = await call(world, 'search_files', { pattern: 'needle' });
      expect([beside.label?.trust, beside.text]).toEqual(['Trusted', expect.not.stringContaining('obey me')]);
      expect(beside.text).toContain('1 not searched, or not whole: search them by path for the reasons');
      const alone = await call(world, 'search_files', { pattern: 'absent' });
      expect([alone.label?.trust, alone.text]).toEqual([
        'Untrusted',
        expect.stringContaining('obey me.bin (it is not text)'),
      ]);
    },
  );

  verifies(
    'provenance:files-labelled',
    'knows a file by its name in NFC, whatever its spelling on the disk is',
    async () => {
      const world = toolWorld();
      put(world, 'cafe\u0301.txt', 'before');
      await write(world, 'caf\u00e9.txt');
      for (const [tool, input] of looks.slice(1, 4))
        expect((await call(world, tool, input)).label?.trust, tool).toBe('Trusted');
      put(world, 'cafe\u0301.txt', 'needle 2');
      expect((await call(world, 'search_files', { pattern: 'needle' })).label?.trust).toBe('Untrusted');
    },
  );

  verifies(
    'provenance:files-labelled',
    'believes no longer what somebody has changed, whatever its times say',
    async () => {
      const world = toolWorld();
      await write(world, 'a.txt', clean, 'needle 1');
      const { atime, mtime } = statSync(path.join(world.workspace, 'a.txt'));
      put(world, 'a.txt', 'needle 2');
      utimesSync(path.join(world.workspace, 'a.txt'), atime, mtime);
      expect((await call(world, 'read_file', { path: 'a.txt' })).label?.trust).toBe('Untrusted');
      expect((await call(world, 'search_files', { pattern: 'needle' })).label?.trust).toBe('Untrusted');
      put(world, 'a.txt', 'needle 1');
      expect((await call(world, 'read_file', { path: 'a.txt' })).label?.trust).toBe('Trusted');
    },
  );

  verifies('provenance:files-labelled', 'is not tainted by files that it does not show', async () => {
    const world = toolWorld();
    await write(world, 'a.txt');
    put(world, 'stranger.txt', 'something else');
    expect((await call(world, 'search_files', { pattern: 'needle' })).label?.trust).toBe('Trusted');
    expect((await call(world, 'search_files', { pattern: 'else' })).label?.trust).toBe('Untrusted');
    expect((await call(world, 'find_files', { glob: 'a*' })).label?.trust).toBe('Trusted');
    expect((await call(world, 'find_files', { glob: '*' })).label).toMatchObject({ source: { name: 'stranger.txt' } });
  });

  verifies('provenance:files-labelled', 'believes a link no more than a stranger', async () => {
    const world = toolWorld();
    await write(world, 'a.txt');
    put(world, 'stranger.txt', 'other');
    symlinkSync('stranger.txt', path.join(world.workspace, 'b.txt'));
    expect((await call(world, 'read_file', { path: 'b.txt' })).label?.trust).toBe('Untrusted');
    rmSync(path.join(world.workspace, 'a.txt'));
    symlinkSync('stranger.txt', path.join(world.workspace, 'a.txt'));
    expect((await call(world, 'read_file', { path: 'a.txt' })).label?.trust).toBe('Untrusted');
  });

  verifies('provenance:files-labelled', 'believes what only a tool itself says', async () => {
    const world = toolWorld();
    for (const [tool, input] of [
      ['read_file', { path: 'none.txt' }],
      ['list_files', { path: 'none' }],
      ['search_files', { pattern: 'x', path: 'none' }],
      ['write_file', { path: 'a.txt', content: 'x' }],
    ] as const)
      expect((await call(world, tool, input)).label, tool).toMatchObject({ trust: 'Trusted' });
  });
});

describe('what a call writes', () => {
  const rows: readonly (readonly [first: ReadSoFar, then: ReadSoFar, trust: Label['trust']])[] = [
    [clean, clean, 'Trusted'],
    [clean, tainted, 'Untrusted'],
    [tainted, clean, 'Untrusted'],
  ];
  for (const [first, then, trust] of rows)
    verifies(
      'provenance:files-labelled',
      `an edit joins the file (${first.items.length}) and the cycle (${then.items.length})`,
      async () => {
        const world = toolWorld();
        await write(world, 'a.txt', first);
        const edited = await call(world, 'edit_file', { path: 'a.txt', edits: [{ old: 'needle', new: 'pin' }] }, then);
        expect(edited.status).toBe('Ok');
        expect((await call(world, 'read_file', { path: 'a.txt' })).label?.trust).toBe(trust);
      },
    );

  verifies('provenance:files-labelled', 'a program makes trusted files where all that it sees is trusted', async () => {
    const world = scriptWorld((workspace) => writeFileSync(path.join(workspace, 'out.txt'), 'made'));
    await write(world, 'a.txt');
    expect((await call(world, 'bash', { script: 'x' })).label).toMatchObject({ trust: 'Trusted' });
    expect((await call(world, 'read_file', { path: 'out.txt' })).label?.trust).toBe('Trusted');
    put(world, 'stranger.txt', 'other');
    expect((await call(world, 'bash', { script: 'x' })).label).toMatchObject({ trust: 'Trusted' });
    const after = await call(world, 'bash', { script: 'x', inputs: ['stranger.txt'] });
    expect(after.label).toMatchObject({ trust: 'Untrusted', source: { name: 'stranger.txt' } });
    expect((await call(world, 'read_file', { path: 'out.txt' })).label?.trust).toBe('Untrusted');
  });

  verifies(
    'provenance:files-labelled',
    'what a program of a tainted cycle makes or changes, nobody believes',
    async () => {
      const world = scriptWorld((workspace) => {
        if (existsSync(path.join(workspace, 'sitecustomize.py'))) return;
        writeFileSync(path.join(workspace, 'sitecustomize.py'), 'evil');
        writeFileSync(path.join(workspace, 'a.txt'), 'other');
      });
      await write(world, 'a.txt');
      expect((await call(world, 'bash', { script: 'x' }, tainted)).label?.trust).toBe('Untrusted');
      for (const file of ['sitecustomize.py', 'a.txt'])
        expect((await call(world, 'read_file', { path: file })).label?.trust, file).toBe('Untrusted');
      // The next program does not see them, unless it asks for them.
      expect((await call(world, 'bash', { script: 'x' })).label?.trust).toBe('Trusted');
      const asking = await call(world, 'bash', { script: 'x', inputs: ['a.txt'] });
      expect(asking.label?.trust).toBe('Untrusted');
    },
  );

  verifies('provenance:files-labelled', 'a file that a program removed is forgotten', async () => {
    const world = scriptWorld((workspace) => rmSync(path.join(workspace, 'a.txt')));
    await write(world, 'a.txt');
    await call(world, 'bash', { script: 'x' });
    put(world, 'a.txt', 'needle\n');
    expect((await call(world, 'read_file', { path: 'a.txt' })).label?.trust).toBe('Untrusted');
  });

  for (const read of [clean, tainted])
    verifies(
      'provenance:files-labelled',
      `a long output that is read later has its label (${read.items.length})`,
      async () => {
        const world = toolWorld({ script: () => Promise.resolve({ stdout: 'x'.repeat(20_000) }) });
        const { artifactId, label } = await call(world, 'bash', { script: 'x' }, read);
        const again = await call(world, 'read_file', { path: `artifact:${artifactId}` });
        expect(again.label).toEqual(label);
        expect(label?.trust).toBe(read === clean ? 'Trusted' : 'Untrusted');
      },
    );

  verifies('provenance:files-labelled', 'nobody believes a program that reaches other hosts', async () => {
    const registry = createRegistry({ sandboxLanguages: ['bash'], code: { reachesHosts: true } });
    const world = scriptWorld(() => undefined, { registry });
    const { label, othersAt } = await call(world, 'bash', { script: 'x' });
    expect([label?.trust, othersAt]).toEqual(['Untrusted', ['']]);
    const found = await world.executor.lookup(world.permit('bash', { script: 'x' }), signal);
    expect(found?.othersAt).toEqual(['']);
    expect(
      (
        await call(
          scriptWorld(() => undefined),
          'bash',
          { script: 'x' },
        )
      ).othersAt,
    ).toBeUndefined();
  });

  verifies('provenance:files-labelled', 'a result that is found after a crash is recorded, too', async () => {
    const world = toolWorld();
    put(world, 'a.txt', 'needle\n');
    const input = { path: 'a.txt', content: 'needle\n' };
    const found = await world.executor.lookup(world.permit('write_file', input, { read: clean }), signal);
    expect(found?.status).toBe('Ok');
    expect((await call(world, 'read_file', { path: 'a.txt' })).label?.trust).toBe('Trusted');
  });
});

describe('a kept digest', () => {
  verifies(
    'provenance:files-labelled',
    'serves while the metadata stay, and not for a file that changed just now',
    async () => {
      const file = path.join(temporaryDirectory(), 'f');
      writeFileSync(file, 'one');
      const handle = await open(file);
      const { ctimeMs } = await handle.stat();
      const now = { ms: ctimeMs + 1 };
      const digests = new FileDigests({ nowMs: () => now.ms });
      const fingerprint = async () => {
        const { ino, size, mtimeMs, ctimeMs: changedMs } = await handle.stat();
        return { inode: ino, sizeBytes: size, modifiedMs: mtimeMs, changedMs };
      };
      const first = await digests.of('f', handle);
      expect(digests.find('f', await fingerprint())).toBeUndefined();
      now.ms += 60_000;
      expect(await digests.of('f', handle)).toBe(first);
      expect(digests.find('f', await fingerprint())).toBe(first);
      expect(digests.find('f', { ...(await fingerprint()), changedMs: 0 })).toBeUndefined();
      expect(digests.find('g', await fingerprint())).toBeUndefined();
      await handle.close();
    },
  );
});
