/** The labels of symbolic links, and of what is read through them. */
import { mkdirSync, readlinkSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { ReadSoFar } from '@retainer/mind/gate/provenance/read-item';
import type { ToolOutcome } from '@retainer/mind/cycle/tool-outcome';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { temporaryDirectory, toolWorld, type ToolWorld } from '../../../test/support/tool-world.ts';
import { changesSince, contentsOf } from '../../../test/support/workspace-changes.ts';
import { verifies } from '../../../test/verifies.ts';
import { unknownFiles, WorkspaceLabels } from './workspace-labels.ts';

const page: Label = { source: { kind: 'Web', name: 'a.example' }, trust: 'Untrusted', readers: 'Everyone' };
const clean: ReadSoFar = { items: [], addresses: [], instructions: [] };
const tainted: ReadSoFar = { ...clean, items: [{ recordId: 'c1', label: page, text: '' }] };

/** Scripts of its world are lists of links, `NAME -> TEXT`, that they make in the place of whatever stands there. */
function linkWorld(): ToolWorld {
  return toolWorld({
    script: ({ workspaceDirectory, script }) => {
      const before = contentsOf(workspaceDirectory);
      const links = script.split('\n').map((line) => line.split(' -> '));
      for (const [name = '', text = ''] of links) {
        const place = path.join(workspaceDirectory, name);
        mkdirSync(path.dirname(place), { recursive: true });
        try {
          unlinkSync(place);
        } catch {
          // Nothing stood there.
        }
        symlinkSync(text, place);
      }
      const made = links.map(([name = '', text = '']) => ({
        path: name,
        sizeBytes: Buffer.byteLength(text),
        sha256: sha256Hex(text),
      }));
      return Promise.resolve({ changes: { ...changesSince(workspaceDirectory, before), links: made } });
    },
  });
}

function call(world: ToolWorld, tool: string, input: unknown, read = clean): Promise<ToolOutcome> {
  return world.executor.execute(world.permit(tool, input, { read }), new AbortController().signal);
}

const link = (world: ToolWorld, links: string, read = clean) => call(world, 'bash', { script: links }, read);
const write = (world: ToolWorld, file: string, content = 'needle\n') =>
  call(world, 'write_file', { path: file, content });

describe('what is read through a link', () => {
  const looks: readonly (readonly [tool: string, input: object])[] = [
    ['read_file', { path: 'way/a.txt' }],
    ['search_files', { pattern: 'needle', path: 'way' }],
    ['search_files', { pattern: 'absent', path: 'way' }],
    ['search_files', { pattern: 'needle', path: 'way/a.txt' }],
    ['list_files', { path: 'way' }],
    ['list_files', { path: 'way/../way' }],
    ['find_files', { glob: 'a*', path: 'way' }],
  ];
  for (const [tool, input] of looks)
    verifies('provenance:links-labelled', `has its label: ${tool} ${JSON.stringify(input)}`, async () => {
      const world = linkWorld();
      await write(world, 'dir/a.txt');
      await link(world, 'way -> dir');
      expect(await call(world, tool, input)).toMatchObject({ status: 'Ok', label: { trust: 'Trusted' } });
      await link(world, 'way -> dir', tainted);
      expect(await call(world, tool, input)).toMatchObject({ status: 'Ok', label: { trust: 'Untrusted' } });
    });

  verifies('provenance:links-labelled', 'has the label of an empty directory’s link', async () => {
    const world = linkWorld();
    mkdirSync(path.join(world.workspace, 'empty'));
    await link(world, 'way -> empty', tainted);
    expect(await call(world, 'list_files', { path: 'way' })).toMatchObject({ label: { trust: 'Untrusted' } });
  });

  verifies('provenance:links-labelled', 'has the label of what it leads to, too', async () => {
    const world = linkWorld();
    writeFileSync(path.join(world.workspace, 'theirs.txt'), 'needle\n');
    await link(world, 'way -> theirs.txt');
    expect((await call(world, 'read_file', { path: 'way' })).label?.trust).toBe('Untrusted');
  });

  verifies('provenance:links-labelled', 'has the label of each link, wherever it is on the way', async () => {
    const world = linkWorld();
    await write(world, 'dir/a.txt');
    await link(world, 'middle -> dir', tainted);
    await link(world, 'first -> middle');
    await link(world, 'dir/last -> a.txt');
    const trusts: (string | undefined)[] = [];
    for (const at of ['first/a.txt', 'middle/last', 'dir/last'])
      trusts.push((await call(world, 'read_file', { path: at })).label?.trust);
    expect(trusts).toEqual(['Untrusted', 'Untrusted', 'Trusted']);
  });

  verifies('provenance:links-labelled', 'is nobody’s where the links lead elsewhere by now', async () => {
    const workspace = temporaryDirectory();
    mkdirSync(path.join(workspace, 'dir'));
    symlinkSync('dir', path.join(workspace, 'way'));
    const row = { digest: sha256Hex('dir'), isLink: true, sizeBytes: 3, trusted: true, readers: ['owner'] } as const;
    const known = new Map([['way', { path: 'way', ...row, why: 'Program', atMs: 0 } as const]]);
    const labels = new WorkspaceLabels(workspace, { known: () => known }, manualClock());
    expect((await labels.ofWay({ name: 'way', place: 'dir' }))?.trust).toBe('Trusted');
    expect(await labels.ofWay({ name: 'way', place: 'other' })).toEqual(unknownFiles);
    expect(await labels.ofWay({ name: 'dir', place: 'dir' })).toBeUndefined();
  });
});

describe('a link', () => {
  verifies('provenance:links-labelled', 'is no longer that of the record where it leads elsewhere', async () => {
    const world = linkWorld();
    await write(world, 'a.txt');
    await link(world, 'way -> a.txt');
    unlinkSync(path.join(world.workspace, 'way'));
    symlinkSync('./a.txt', path.join(world.workspace, 'way'));
    expect((await call(world, 'read_file', { path: 'way' })).label?.trust).toBe('Untrusted');
    expect((await call(world, 'bash', { script: 'x -> y' })).label?.trust).toBe('Trusted');
    expect(world.sandboxRequests.at(-1)?.shownPaths).toEqual(['a.txt']);
  });

  verifies('provenance:links-labelled', 'that took the place of a file has a record of its own', async () => {
    const world = linkWorld();
    await write(world, 'a.txt');
    await write(world, 'b.txt');
    await link(world, 'b.txt -> a.txt');
    expect(readlinkSync(path.join(world.workspace, 'b.txt'))).toBe('a.txt');
    expect((await call(world, 'read_file', { path: 'b.txt' })).label?.trust).toBe('Trusted');
    await link(world, 'c -> d');
    expect(world.sandboxRequests.at(-1)?.shownPaths).toEqual(['a.txt', 'b.txt']);
  });

  verifies(
    'provenance:links-labelled',
    'of a clean run is shown to programs, and changed by those that may',
    async () => {
      const world = linkWorld();
      await link(world, 'mine -> nowhere');
      await link(world, 'theirs -> nowhere', tainted);
      const seen = async (asked: string, inputs?: readonly string[]) => {
        const read = { ...clean, asked };
        const input = { script: 'x -> y', ...(inputs === undefined ? {} : { inputs }) };
        const { label } = await world.executor.execute(
          world.permit('bash', input, { read, autonomous: true }),
          new AbortController().signal,
        );
        const { shownPaths, keptPaths } = world.sandboxRequests.at(-1) ?? {};
        unlinkSync(path.join(world.workspace, 'x'));
        return [shownPaths, keptPaths, label?.trust];
      };
      expect(await seen('')).toEqual([['mine'], ['mine'], 'Trusted']);
      expect(await seen('Change mine')).toEqual([['mine'], [], 'Trusted']);
      expect(await seen('Change theirs')).toEqual([['mine', 'theirs'], ['mine'], 'Untrusted']);
      expect(await seen('', ['theirs'])).toEqual([['mine', 'theirs'], ['mine', 'theirs'], 'Untrusted']);
    },
  );

  verifies('provenance:links-labelled', 'is named in the outcome of the call that made it', async () => {
    const world = linkWorld();
    expect((await link(world, 'a -> b\nc -> d')).links).toEqual(['a', 'c']);
    expect((await write(world, 'e')).links).toBeUndefined();
  });
});
