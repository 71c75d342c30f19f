/**
 * A record that somebody forged with fresh hashes: the chain is right in itself, and only the heads that were noted before contradict
 * it. Nobody who opens a record for writing goes on with it, because the next records would take the forgery up.
 */
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import { sha256Hex } from '@retainer/contract/std/hash';
import { systemClock } from '@retainer/contract/std/system-clock';
import { openJournal } from '@retainer/journal/open-journal';
import { findingOf, verifyRecord } from '../../cli/src/verify-record.ts';
import { endAll, examplesPath, retainer } from '../support/retainer-command.ts';
import { readSegments, rewriteRecord } from '../support/sample-journal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const manifests = join(root.path, 'manifests');
const data = join(root.path, 'data');
const AGENT = 'default/meteorologist';

const run = (directory: string): ReturnType<typeof retainer> => retainer('run', '-f', manifests, '--data', directory);

/** One example, and a second opening: its records stand between two notes of all ends. */
beforeAll(async () => {
  await cp(examplesPath, manifests, { recursive: true });
  const tasks = parseAllDocuments(await readFile(join(manifests, 'tasks.yaml'), 'utf8'));
  const one = tasks.filter((it) => it.getIn(['metadata', 'name']) === 'frost-days');
  await writeFile(join(manifests, 'tasks.yaml'), one.map(String).join('---\n'));
  for (let opening = 0; opening < 2; opening += 1) expect((await run(data)).code).toBe(0);
});
afterAll(() => {
  endAll();
  return root.remove();
});

/** The space that is kept in reserve is large, and no record. */
async function copyOf(name: string): Promise<string> {
  const copy = join(root.path, name);
  await cp(data, copy, { recursive: true, filter: (path) => basename(path) !== 'ballast' });
  return copy;
}

/** Somebody else is said to have written a record; every hash after it is made anew. */
function forge(directory: string, store: string, seq: number): void {
  rewriteRecord(join(directory, 'journal'), store, seq, (record) => ({ ...record, principal: 'human:mallory' }));
}

function countOf(directory: string, store: string): number {
  const lines = readSegments(join(directory, 'journal'), store).flatMap((it) => it.lines);
  return lines.filter((line) => !line.startsWith('{"footer"')).length;
}

const middleOf = (directory: string, store: string): number => Math.floor((countOf(directory, store) - 1) / 2);

/** Each file of the record by its content. */
async function recordIn(directory: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(join(directory, 'journal'), { recursive: true, withFileTypes: true });
  const files = entries.filter((it) => it.isFile() && !['lock', 'ballast'].includes(it.name));
  const paths = files.map((it) => join(it.parentPath, it.name));
  return new Map(await Promise.all(paths.map(async (path) => [path, sha256Hex(await readFile(path))] as const)));
}

const OWN = 'system';
const STORES = [OWN, ...agentStores.map(({ name }) => name)];

async function forgedCopy(store: string): Promise<string> {
  const copy = await copyOf(`forged-${store}`);
  forge(copy, store, middleOf(copy, store));
  return copy;
}

describe('a forged record with fresh hashes', () => {
  // A label, an outcome of a tool, and what the journal says of itself.
  for (const store of ['file', 'cycle', OWN])
    verifies('journal:noted-heads-compared', `of store ${store}: by verify and by run, again and again`, async () => {
      const copy = await forgedCopy(store);
      const forged = await recordIn(copy);
      expect((await retainer('journal', 'verify', copy)).code).toBe(8);
      for (let opening = 0; opening < 2; opening += 1) {
        const { code, stderr } = await run(copy);
        expect([code, stderr]).toEqual([8, expect.stringContaining(`store ${store}, sequence`)]);
        expect(await recordIn(copy)).toEqual(forged);
      }
      expect((await retainer('journal', 'verify', copy)).code).toBe(8);
    });

  verifies('journal:repair-gives-up-forged', 'by the command, and the agent goes on', async () => {
    const copy = await forgedCopy('file');
    const seq = middleOf(copy, 'file');
    const plan = await retainer('journal', 'repair', copy);
    expect(plan.stdout).toContain('contradicts heads that were noted before');
    expect((await run(copy)).code).toBe(8);
    expect((await retainer('journal', 'repair', copy, '--yes', '--reason', 'forged')).code).toBe(0);
    const { code, stdout } = await retainer('journal', 'verify', copy);
    expect([code, stdout]).toEqual([
      6,
      expect.stringMatching(/store file, sequence \d+ to \d+: given up by human:.*: forged/),
    ]);
    const [, from, to] = /store file, sequence (\d+) to (\d+): given up/.exec(stdout) ?? [];
    expect(Number(from)).toBeLessThanOrEqual(seq);
    expect(Number(to)).toBeGreaterThanOrEqual(seq);
    expect((await run(copy)).code).toBe(0);
  });

  verifies('journal:noted-heads-compared', 'of each store, by whoever opens the record', async () => {
    for (const store of STORES) {
      const copy = join(await forgedCopy(store), 'journal');
      const forged = await recordIn(join(copy, '..'));
      expect(findingOf(await verifyRecord(copy))?.code, store).toBe(8);
      const opening = openJournal({ directory: copy, stores: agentStores, agentUid: AGENT, clock: systemClock });
      await expect(opening, store).rejects.toMatchObject({ name: 'OpeningRefusedError', reason: 'Rollback' });
      expect(await recordIn(join(copy, '..'))).toEqual(forged);
      await rm(join(copy, '..'), { recursive: true });
    }
  });
});
