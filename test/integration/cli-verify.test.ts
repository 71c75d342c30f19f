/** `retainer journal verify` on a record of which something was taken away: each part is told by its own words and exit code. */
import { execFile } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { applyRepair } from '@retainer/journal/repair';
import { openJournalRecords } from '@retainer/agent-pod/review/run-records';
import { checkVerdicts } from '@retainer/agent-pod/review/verdict-check';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import { findingOf, renderGap, verifyRecord } from '../../cli/src/verify-record.ts';
import { endAll, examplesPath, retainer } from '../support/retainer-command.ts';
import { readSegments, writeSegment } from '../support/sample-journal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { bySize } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

const auditorPath = fileURLToPath(new URL('../../agent-pod/dist/auditor-main.js', import.meta.url));
const root = temporaryDirectory();
const manifests = join(root.path, 'manifests');
const data = join(root.path, 'data');
const STORES = [...agentStores.map(({ name }) => name), 'system'];
/** Programs at once: each reads the record for a moment, and starts for much longer. */
const AT_ONCE = 4;

/** One example, whose run has records of all stores. */
beforeAll(async () => {
  await cp(examplesPath, manifests, { recursive: true });
  const tasks = parseAllDocuments(await readFile(join(manifests, 'tasks.yaml'), 'utf8'));
  const one = tasks.filter((it) => it.getIn(['metadata', 'name']) === 'frost-days');
  await writeFile(join(manifests, 'tasks.yaml'), one.map(String).join('---\n'));
  expect((await retainer('run', '-f', manifests, '--data', data, '--no-auditor')).code).toBe(0);
});
afterAll(() => {
  endAll();
  return root.remove();
});

interface Loss {
  readonly what: string;
  readonly code: number;
  readonly says: RegExp;
  readonly takeAway: (journal: string) => Promise<unknown>;
}

const removed = STORES.map((store): Loss => ({
  what: `store ${store}`,
  code: 7,
  says: new RegExp(`store ${store}, sequence 0: StoreMissing: [^]*\\na store is missing; `),
  takeAway: (journal) => rm(join(journal, store), { recursive: true }),
}));

const unchecked = STORES.map((store): Loss => ({
  what: `checkpoint of ${store}`,
  code: 9,
  says: new RegExp(`store ${store}, sequence 0: CheckpointMissing: [^]*\\nwhole, but 1 checkpoint missing; `),
  takeAway: (journal) => rm(join(journal, 'checkpoints', `${store}.json`)),
}));

/** Each record is tried below, without a program for each. */
const SOME = ['agent', 'cycle', 'system'];

const damaged = SOME.map((store): Loss => ({
  what: `first record of ${store}, changed`,
  code: 5,
  says: new RegExp(`store ${store}, sequence 0: Unreadable: the bytes of this line are not those [^]*\\ndamaged; `),
  takeAway: (journal) => Promise.resolve(change(journal, store, 0)),
}));

const givenUp = SOME.map((store): Loss => ({
  what: `last record of ${store}, given up`,
  code: 6,
  says: new RegExp(
    `store ${store}, sequence \\d+ to \\d+: given up by human:ada on [^]*\\nwhole, except for what 1 repair gave up; `,
  ),
  takeAway: (journal) => giveUp(journal, store, countOf(journal, store) - 1),
}));

function countOf(journal: string, store: string): number {
  return readSegments(journal, store).flatMap(({ lines }) => lines).length;
}

/** Writes somebody else into a record, which has one segment here. */
function change(journal: string, store: string, seq: number): void {
  for (const { file, lines } of readSegments(journal, store))
    writeSegment(
      journal,
      store,
      file,
      lines.map((line, at) => (at === seq ? line.replace('"principal":"', '"principal":"x') : line)),
    );
}

async function giveUp(journal: string, store: string, seq: number): Promise<void> {
  change(journal, store, seq);
  await applyRepair({ directory: journal, principal: 'human:ada', nowMs: Date.now() });
}

/** Stores of one run with a few records are tried whole. */
function stepIn(store: string): number {
  return ['cycle', 'run'].includes(store) ? bySize({ check: 30, nightly: 1 }) : 1;
}

async function copyOf(name: string): Promise<string> {
  const copy = join(root.path, name.replaceAll(/[^a-z]+/g, '-'));
  // The space that is kept in reserve is large, and no record.
  await cp(data, copy, { recursive: true, filter: (path) => basename(path) !== 'ballast' });
  return copy;
}

describe('retainer journal verify', () => {
  verifies(
    'cli:damage-has-its-words',
    'tells each store, checkpoint and record that is not there any more',
    async () => {
      const losses = [...removed, ...unchecked, ...damaged, ...givenUp].values();
      const rows: string[] = [];
      const work = async (): Promise<void> => {
        for (const { what, code, says, takeAway } of losses) {
          const copy = await copyOf(what);
          await takeAway(join(copy, 'journal'));
          const told = await retainer('journal', 'verify', copy);
          expect(told.stdout, what).toMatch(says);
          expect(told.code, what).toBe(code);
          expect(told.stdout, what).not.toContain('verified:');
          rows.push(`| ${what} | ${told.code} |`);
          await rm(copy, { recursive: true });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      process.stdout.write(`${rows.toSorted().join('\n')}\n`);
      expect(rows).toHaveLength(removed.length + unchecked.length + damaged.length + givenUp.length);
    },
  );

  verifies('cli:damage-has-its-words', 'tells each record that a repair gave up, and nothing else', async () => {
    for (const store of STORES)
      for (let seq = 0; seq < countOf(join(data, 'journal'), store); seq += stepIn(store)) {
        const copy = await copyOf('given-up');
        const directory = join(copy, 'journal');
        await giveUp(directory, store, seq);
        const verification = await verifyRecord(directory);
        const { findings } = await checkVerdicts(await openJournalRecords(directory));
        const told = [
          findingOf(verification)?.code,
          verification.faults.length,
          findings,
          verification.gaps.map(renderGap),
        ];
        const gap = expect.stringContaining(`store ${store}, sequence ${seq} to ${seq}: given up by human:ada on `);
        expect(told, `${store} ${seq}`).toEqual([6, 0, [], [gap]]);
        await rm(copy, { recursive: true });
      }
  });

  verifies(
    'cli:damage-has-its-words',
    'tells an older copy from the record, with the heads of an auditor',
    async () => {
      const [older, audit] = [await copyOf('older'), join(root.path, 'audit')];
      // One more opening and closing makes the other one the newer one.
      expect((await retainer('run', '-f', manifests, '--data', data, '--no-auditor')).code).toBe(0);
      const auditor = [auditorPath, '--journal', join(data, 'journal'), '--own', audit, '--once'];
      await promisify(execFile)(process.execPath, auditor);
      const verify = (copy: string, ...heads: readonly string[]): ReturnType<typeof retainer> =>
        retainer('journal', 'verify', copy, ...heads);
      expect((await verify(data, '--heads', audit)).code).toBe(0);
      const { code, stdout } = await verify(older, '--heads', audit);
      expect(code).toBe(8);
      expect(stdout).toMatch(/store system, sequence \d+: HeadMissing: /);
      expect(stdout).toContain('not the record that was seen before');
      expect((await verify(older)).code).toBe(0);
    },
  );
});
