/**
 * A commit and a push, killed at any system call: of each program of git, and of the agent's own process.
 *
 * Source: reliability-security 7 (row 10).
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { readRepository } from '@retainer/agent-pod/backup/repository';
import { restore } from '@retainer/agent-pod/backup/restore';
import { verifyJournal } from '@retainer/journal/verify';
import type { BackupRequest } from '../chaos/backup-child.ts';
import type { BackupProcess } from '../support/backup-process.ts';
import { gitSays, openDataDirectory, recordBytes, type DataDirectory } from '../support/backups.ts';
import { type GitServer, initRemote, startGitServer } from '../support/git-server.ts';
import {
  countCalls,
  killAtCall,
  KilledGit,
  whyNoKilledGit,
  type StartedProgram,
  type SystemCall,
} from '../support/killed-git.ts';
import { testSeed } from '../support/seed.ts';
import { Seeded } from '../support/seeded.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { bySize, limitMs } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

const ROUNDS = bySize({ check: 20, nightly: 300 });
/** So many rounds end programs of git for one that ends the process itself, which takes longer to start. */
const OWN_EVERY = 5;
const credentials = { kind: 'Password', username: 'ada', password: 'a password of a remote' } as const;

const root = temporaryDirectory();
let server: GitServer;
beforeAll(async () => {
  mkdirSync(join(root.path, 'remotes'));
  server = await startGitServer(join(root.path, 'remotes'), credentials.username, credentials.password);
});
afterAll(async () => {
  await server.close();
  await root.remove();
});

/** Kills at places that are drawn from all calls of one request. */
class Deaths {
  readonly #killed: KilledGit;
  readonly #random = new Seeded(testSeed);
  readonly #path: string;
  readonly #request: BackupRequest;
  readonly #died = new Map<string, number>();
  #programs: readonly StartedProgram[] = [];
  #ownCalls: readonly SystemCall[] = [];
  #process: BackupProcess;

  private constructor(killed: KilledGit, process: BackupProcess, path: string, request: BackupRequest) {
    this.#killed = killed;
    this.#process = process;
    this.#path = path;
    this.#request = request;
  }

  static async of(path: string, request: BackupRequest): Promise<Deaths> {
    const killed = new KilledGit(`${path}-killed`);
    return new Deaths(killed, await killed.process(path), path, request);
  }

  /** What a request comes to that nothing ends. */
  async ask(request: BackupRequest): Promise<string | undefined> {
    this.#killed.spare();
    return await this.#process.ask(request);
  }

  /** Call it once, when the request has something to do. */
  async count(next: () => Promise<void>): Promise<void> {
    this.#killed.count();
    expect(await this.#process.ask(this.#request)).toMatch(/^done/);
    this.#programs = this.#killed.counted();
    await next();
    this.#killed.spare();
    const counting = await countCalls(this.#process.pid, `${this.#path}-calls`);
    expect(await this.#process.ask(this.#request)).toMatch(/^done/);
    this.#ownCalls = await counting.stop();
    expect(this.#programs.length).toBeGreaterThan(3);
  }

  /** Ends git, or the process, during the request; and has a living process again. */
  async die(round: number): Promise<void> {
    await (round % OWN_EVERY === OWN_EVERY - 1 ? this.#dieItself() : this.#dieInGit());
    // A lock that a killed git left counts as one for a minute.
    for (const folder of ['git', 'git/refs/heads'].map((name) => join(this.#path, name)))
      for (const name of readdirSync(folder)) if (name.endsWith('.lock')) utimesSync(join(folder, name), 0, 0);
  }

  /** How often each program was ended. */
  told(): string {
    return [...this.#died].map(([name, times]) => `${name} ${times}`).join(', ');
  }

  died(): number {
    return [...this.#died.values()].reduce((sum, times) => sum + times, 0);
  }

  async close(): Promise<void> {
    await this.#process.close();
  }

  async #dieInGit(): Promise<void> {
    const places = this.#programs.flatMap(({ name, calls }, index) => calls.map((call) => ({ name, index, call })));
    const { name, index, call } = this.#drawn(places);
    this.#killed.kill(index + 1, call);
    await this.#process.ask(this.#request);
    // strace writes it when it has seen the end, which others may see before.
    await expect.poll(() => this.#killed.end()).not.toBe(undefined);
    if (this.#killed.end() === 'Killed') this.#count(name);
  }

  async #dieItself(): Promise<void> {
    this.#killed.spare();
    const watching = await killAtCall(this.#process.pid, this.#drawn(this.#ownCalls));
    const answer = await this.#process.ask(this.#request);
    // A request that was quicker than that ends by its own.
    if (answer === undefined) this.#count('the process');
    else await this.#process.close();
    await watching.stop();
    await expect.poll(() => this.#process.hasLeftAny()).toBe(false);
    this.#process = await this.#killed.process(this.#path);
  }

  #drawn<T>(places: readonly T[]): T {
    const found = places[this.#random.below(places.length)];
    if (found === undefined) throw new Error('no call was counted');
    return found;
  }

  #count(name: string): void {
    this.#died.set(name, (this.#died.get(name) ?? 0) + 1);
  }
}

let places = 0;
async function inDirectory(use: (data: DataDirectory, grow: () => Promise<void>) => Promise<void>): Promise<void> {
  places += 1;
  const data = await openDataDirectory(join(root.path, `data-${places}`));
  let step = 0;
  const grow = async (): Promise<void> => {
    step += 1;
    await data.append(5, `step ${step} `.repeat(40));
    data.writeFile('counted.txt', `${step}\n`);
    if (step % 3 === 0) await data.journal.putBlob(Buffer.from(`a long text of step ${step} `.repeat(4000)));
  };
  await grow();
  try {
    await use(data, grow);
  } finally {
    await data.journal.close();
  }
}

/** Restores the last commit and verifies it. @returns what the record there is */
async function restoredBytes(path: string): Promise<ReadonlyMap<string, string>> {
  const repository = await readRepository(join(path, 'git'));
  if (repository?.head === undefined) throw new Error('there is no commit');
  const to = `${path}-restored`;
  const isGood = async (directory: string): Promise<boolean> => {
    for await (const fault of verifyJournal({ directory: join(directory, 'journal'), blobs: true }))
      throw new Error(fault.message);
    return true;
  };
  await restore({ repository, commit: repository.head, to, isGood });
  const bytes = recordBytes(to);
  rmSync(to, { recursive: true });
  return bytes;
}

/** A repository that cannot be read is set aside: none was. */
function setAside(path: string): readonly string[] {
  return readdirSync(path).filter((name) => name.includes('unreadable'));
}

function tell(what: string, deaths: Deaths): void {
  process.stdout.write(`${deaths.died()} of ${ROUNDS} ${what} were killed: ${deaths.told()}\n`);
  expect(deaths.died()).toBeGreaterThan(ROUNDS / 2);
}

const why = whyNoKilledGit();

describe.skipIf(why !== undefined)(why ?? 'at any system call', () => {
  verifies(
    'backup:killed-at-any-call',
    `a commit: ${ROUNDS} times`,
    async () => {
      await inDirectory(async ({ path }, grow) => {
        const deaths = await Deaths.of(path, { do: 'commit' });
        expect(await deaths.ask({ do: 'commit' })).toMatch(/^done/);
        await grow();
        await deaths.count(grow);
        for (let round = 0; round < ROUNDS; round += 1) {
          await grow();
          const before = recordBytes(path);
          await deaths.die(round);
          expect(recordBytes(path)).toEqual(before);
          expect(await deaths.ask({ do: 'commit' })).toMatch(/^done [0-9a-f]{40}$/);
          gitSays(path, 'fsck', '--strict', '--full');
          expect(await restoredBytes(path)).toEqual(before);
        }
        expect(setAside(path)).toEqual([]);
        tell('commits', deaths);
        await deaths.close();
      });
    },
    limitMs(300_000, 5),
  );

  verifies(
    'backup:killed-at-any-call',
    `a push: ${ROUNDS} times`,
    async () => {
      await inDirectory(async ({ path }, grow) => {
        const there = join(root.path, 'remotes', 'killed.git');
        initRemote(there);
        const theirs = (...args: readonly string[]): string =>
          execFileSync('git', ['-C', there, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
        const request = {
          do: 'push',
          remote: { url: `${server.url}/killed.git`, branch: 'main', credentials },
        } as const;
        const deaths = await Deaths.of(path, request);
        const commit = async (): Promise<string> => {
          await grow();
          return (await deaths.ask({ do: 'commit' }))?.split(' ')[1] ?? '';
        };
        await commit();
        await deaths.count(async () => void (await commit()));
        for (let round = 0; round < ROUNDS; round += 1) {
          const old = theirs('rev-parse', 'main');
          const made = await commit();
          const before = recordBytes(path);
          await deaths.die(round);
          await expect.poll(() => server.busy()).toBe(0);
          theirs('fsck', '--strict', '--full');
          expect([old, made]).toContain(theirs('rev-parse', 'main'));
          expect(await deaths.ask(request)).toBe('done ');
          expect(theirs('rev-parse', 'main')).toBe(made);
          theirs('fsck', '--strict', '--full');
          gitSays(path, 'fsck', '--strict', '--full');
          expect(recordBytes(path)).toEqual(before);
        }
        tell('pushes', deaths);
        await deaths.close();
      });
    },
    limitMs(300_000, 5),
  );
});
