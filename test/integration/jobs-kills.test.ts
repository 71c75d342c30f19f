/**
 * The real program with a calendar, killed around the moments of its jobs: each moment is served once, and none is lost.
 *
 * One directory has several lives. Before each, jobs are added whose moments come in the midst of it, so that a kill falls between a
 * moment and its end: between the intent and its run or its words, between these and the end of the firing. The last life ends by itself.
 */
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { inTemporaryDirectory } from '../support/agents.ts';
import { archivistRules } from '../support/archivist.ts';
import { plainAgent, writeManifests } from '../support/killed-life.ts';
import { jobOfPeople } from '../support/job-words.ts';
import { jobRecord, writeRecords } from '../support/recorded-jobs.ts';
import { oneStepRule } from '../support/runs.ts';
import { testSeed } from '../support/seed.ts';
import { Seeded } from '../support/seeded.ts';
import { bySize, limitMs } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

const killsWanted = bySize({ check: 20, nightly: 500 });
/** A record stays so short that no start folds for long. */
const killsOfDirectoryMax = 10;
/** With fewer kills while a firing is open, the test tries too little. On an idle machine it is more than half. */
const openShareMin = 0.1;
/** Directories in which lives follow each other at the same time. */
const lanes = [1, 2];
/** Jobs that each life is given: words and work, of people and of the agent. */
const jobsOfLife = 4;
/** Between the moments of one life, milliseconds. */
const apartMs = 120;
/** What is told once the record is open, just before the agent goes to work. */
const openedLine = /^record /m;
/** Longer than any life, milliseconds. */
const neverMs = 300_000;

const program = fileURLToPath(new URL('../../cli/bin/retainer.js', import.meta.url));

const manifests = `${plainAgent}  sandbox: {enabled: false}
  control: {maxReplans: 0}
  scheduler: {idleAfter: 0s, cyclesPerHour: 10000, tokensPerHour: 0, maxJobs: 1000}
`;

const script = `
version: 1
rules:${archivistRules({ prose: 'It was looked at.' })}${oneStepRule}
  - name: look
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: list_files, input: {}}]}
  - name: done
    when: {role: executor}
    answer: {text: The workspace was looked through.}
`;

interface Life {
  /** Undefined: it was killed. */
  readonly code: number | undefined;
  readonly output: string;
  /** From the start of the process, and from the opened record; milliseconds. */
  readonly openedMs: number;
  readonly workedMs: number;
}

/** @param killAfterMs  from the moment at which its record is open; negative: before that */
function lived(directory: string, killAfterMs: number, openedAfterMs: number): Promise<Life> {
  return new Promise((resolve, reject) => {
    const place = ['-f', join(directory, 'manifests'), '--data', join(directory, 'data'), '--no-auditor'];
    const stays = killAfterMs < neverMs ? ['--watch'] : [];
    const child = spawn(process.execPath, [program, 'run', ...place, ...stays], { stdio: ['ignore', 'pipe', 'pipe'] });
    const startMs = performance.now();
    let openedMs = Infinity;
    let output = '';
    const kill = (): void => void child.kill('SIGKILL');
    let timer = setTimeout(kill, killAfterMs < 0 ? Math.max(0, openedAfterMs + killAfterMs) : neverMs);
    const take = (chunk: Buffer): void => {
      output += chunk.toString();
      if (openedMs < Infinity || !openedLine.test(output)) return;
      openedMs = performance.now() - startMs;
      if (killAfterMs < 0) return;
      clearTimeout(timer);
      timer = setTimeout(kill, killAfterMs);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const workedMs = performance.now() - startMs - openedMs;
      resolve({ code: signal === 'SIGKILL' ? undefined : (code ?? -1), output, openedMs, workedMs });
    });
  });
}

class Calendar {
  readonly #directory: string;
  #lives = 0;
  readonly jobIds: string[] = [];

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** For the next life. @param firstMs  from now to the first of the moments */
  async add(firstMs: number): Promise<void> {
    this.#lives += 1;
    const nowMs = Date.now();
    const created = Array.from({ length: jobsOfLife }, (_, number) => {
      const jobId = `${number % 2 === 0 ? 'words' : 'work'}-${this.#lives}-${number}`;
      this.jobIds.push(jobId);
      const when = { type: 'Moment', atMs: nowMs + Math.floor(firstMs) + number * apartMs } as const;
      const whom = number % 2 === 0 ? 'Person' : 'Agent';
      const maker = { kind: number < jobsOfLife / 2 ? 'Agent' : 'Person' } as const;
      const job = jobOfPeople(jobId, { kind: 'Reminder', for: whom, when }, { source: 'Tool', maker });
      return jobRecord(nowMs, 'JobCreated', job);
    });
    await writeRecords(join(this.#directory, 'data'), created, 'default/worker');
  }

  /** How many firings have no end. */
  async open(): Promise<number> {
    const { JobFired, JobEnded } = await this.#counts();
    return total(JobFired) - total(JobEnded);
  }

  /** Of records by job. A run that was admitted is one of its job. */
  async #counts(): Promise<Counts> {
    const reader = await openRecords(join(this.#directory, 'data'));
    const counts: Counts = { JobFired: new Map(), JobEnded: new Map(), JobSkipped: new Map(), RunAdmitted: new Map() };
    const stores = reader.stores.filter((it) => it === 'job' || it === 'run');
    for await (const { kind, payload } of reader.readAll(stores)) {
      if (!isCounted(kind)) continue;
      const { jobId, spec } = payload as { readonly jobId?: string; readonly spec?: Admitted };
      const of = jobId ?? spec?.cause.jobId ?? 'none';
      counts[kind].set(of, (counts[kind].get(of) ?? 0) + 1);
    }
    return counts;
  }

  async expectEachServedOnce(): Promise<void> {
    const once = (jobIds: readonly string[]) => new Map(jobIds.map((jobId) => [jobId, 1]));
    const counts = await this.#counts();
    expect(counts.JobFired).toEqual(once(this.jobIds));
    expect(counts.JobEnded).toEqual(once(this.jobIds));
    expect(counts.JobSkipped).toEqual(new Map());
    expect(counts.RunAdmitted).toEqual(once(this.jobIds.filter((it) => it.startsWith('work-'))));
    expect((await this.#told()).toSorted()).toEqual(this.jobIds.toSorted());
  }

  /** The job of each notice in the outbox. */
  async #told(): Promise<readonly string[]> {
    const outbox = join(this.#directory, 'data', 'outbox');
    const files = (await readdir(outbox)).filter((it) => it.endsWith('.json'));
    return Promise.all(
      files.map(async (file) => {
        const notice = JSON.parse(await readFile(join(outbox, file), 'utf8')) as { readonly target: string };
        expect(notice).toMatchObject({ channel: 'Notice' });
        return notice.target;
      }),
    );
  }
}

interface Admitted {
  readonly cause: { readonly jobId?: string };
}

type Kind = 'JobFired' | 'JobEnded' | 'JobSkipped' | 'RunAdmitted';
type Counts = Readonly<Record<Kind, Map<string, number>>>;

function isCounted(kind: string): kind is Kind {
  return kind === 'JobFired' || kind === 'JobEnded' || kind === 'JobSkipped' || kind === 'RunAdmitted';
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** How long this machine takes, so that kills fall around the moments on a slow one as on a fast one. */
async function undisturbed(): Promise<Life> {
  return inTemporaryDirectory(async (directory) => {
    await writeManifests(directory, manifests, script);
    const calendar = new Calendar(directory);
    await calendar.add(0);
    const life = await lived(directory, neverMs, 0);
    expect(life.code, life.output).toBe(0);
    await calendar.expectEachServedOnce();
    return life;
  });
}

interface Killing {
  readonly random: Seeded;
  readonly usual: Life;
  readonly kills: number;
}

/** Lives on one directory. @returns how many of the kills came while a firing was open */
async function killedLives(directory: string, { random, usual, kills }: Killing): Promise<number> {
  const { openedMs, workedMs } = usual;
  // From a little before its record is open to the last of the work; the other half of a life is its end.
  const beforeMs = openedMs / 4;
  await writeManifests(directory, manifests, script);
  const calendar = new Calendar(directory);
  let whileOpen = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    await calendar.add(openedMs);
    const killAfterMs = random.below(beforeMs + jobsOfLife * apartMs + workedMs / 2) - beforeMs;
    const { code, output } = await lived(directory, killAfterMs, openedMs);
    expect(code, `seed ${testSeed}: a life ended before its kill\n${output}`).toBe(undefined);
    if ((await calendar.open()) > 0) whileOpen += 1;
  }
  await calendar.add(0);
  const last = await lived(directory, neverMs, openedMs);
  expect(last.code, `seed ${testSeed}, after ${kills} kills\n${last.output}`).toBe(0);
  await calendar.expectEachServedOnce();
  return whileOpen;
}

describe('the program with a calendar, killed', () => {
  verifies(
    'jobs:crash-anywhere',
    `${killsWanted} times around the moments of its jobs: one firing, one run and one notice for each`,
    async () => {
      const usual = await undisturbed();
      let left = killsWanted;
      let whileOpen = 0;
      const lane = async (number: number): Promise<void> => {
        const random = new Seeded(testSeed + number);
        while (left > 0) {
          const kills = Math.min(killsOfDirectoryMax, Math.ceil(killsWanted / lanes.length), left);
          left -= kills;
          await inTemporaryDirectory(async (directory) => {
            whileOpen += await killedLives(directory, { random, usual, kills });
          });
        }
      };
      await Promise.all(lanes.map(lane));
      console.log(`      ${killsWanted} kills, ${whileOpen} of them while a firing was open, seed ${testSeed}`);
      expect(whileOpen).toBeGreaterThanOrEqual(killsWanted * openShareMin);
    },
    limitMs(400_000, 15),
  );
});
