/**
 * Makes the second copy beside the work: commits and pushes when they are due, tells what fails, and tries again.
 *
 * I1  No run waits for it, and none of its failures leaves it: not even the supervisor sees one.
 * I2  On a volume that takes no new tasks it writes nothing: the record needs the space.
 * I3  A remote with another history is pushed to no more until the program starts again. Commits go on.
 */
import { durationMs } from '@retainer/contract/api/fields';
import type { AgentMemory } from '@retainer/contract/api/agent-memory';
import { noProxies, type ProxySettings } from '@retainer/contract/std/proxies';
import type { Clock } from '@retainer/contract/std/clock';
import type { JournalRecord } from '@retainer/journal/journal';
import { Backup } from '../backup/backup.ts';
import { GitFailedError } from '../backup/git.ts';
import type { Remote } from '../backup/push.ts';
import type { GitCredentials } from '../backup/remote-access.ts';
import { remoteProxyUrl } from '../backup/remote-proxy.ts';
import type { Component } from '../ports/component.ts';
import { nextBackupMs, retryMs } from './backup-schedule.ts';
import { CopyState, type CopyFigures, type CopyTrouble } from './copy-state.ts';
import { canTakeTasks, usedRatio, volumeLevel } from './volume-level.ts';
import { volumeUsage } from './volume-watch.ts';

export interface BackupSettings {
  /** Time for the last commit, after the record was closed. */
  readonly closingMs: number;
  /** Of the remote, read for each push; a rejection is a failed push. */
  readonly credentials?: () => Promise<GitCredentials | undefined>;
  /** Of a remote over HTTPS, PEM, read for each push; a rejection is a failed push. */
  readonly authorities?: () => Promise<string | undefined>;
  /** Absent: none. */
  readonly proxies?: ProxySettings;
}

export interface BackupWatchOptions extends BackupSettings {
  readonly dataDirectory: string;
  readonly memory: Pick<AgentMemory, 'gitCommitInterval' | 'gitRemote'>;
  readonly holdsSecret: (text: string) => boolean;
  readonly clock: Clock;
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** Of the copy here, and of the one at the remote. */
export interface BackupFigures {
  readonly commit: CopyFigures;
  /** Undefined without a remote. */
  readonly push: CopyFigures | undefined;
  /** Of both, since the start. */
  readonly failures: number;
}

interface Known {
  readonly why: CopyTrouble;
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
}

/** What the agent's record says of the copies. */
export interface CopyRecords {
  /** What an earlier process left. */
  readonly known: { readonly commit: Known | undefined; readonly push: Known | undefined };
  /** Writes what the record lacks. A rejection is told and not thrown. */
  write(figures: BackupFigures): Promise<void>;
}

type Step = 'commit' | 'push';

export class BackupWatch {
  readonly #options: BackupWatchOptions;
  readonly #backup: Backup;
  readonly #startedMs: number;
  readonly #copies: Readonly<Record<Step, CopyState>>;
  #records: CopyRecords | undefined;
  #unwritten: string | undefined;
  #runEndedMs: number | undefined;
  #failures = 0;
  #commit: string | undefined;
  #pushed: string | undefined;
  #pushing: Promise<void> | undefined;
  /** The remote has another history. */
  #isOver = false;
  #wake = new AbortController();

  constructor(options: BackupWatchOptions) {
    const { clock } = options;
    this.#options = options;
    this.#backup = new Backup(options);
    this.#startedMs = clock.monotonicMs();
    this.#copies = { commit: new CopyState(clock), push: new CopyState(clock) };
  }

  /** @param record  durable */
  see({ kind, timeMs }: Pick<JournalRecord, 'kind' | 'timeMs'>): void {
    this.#copies.commit.see(timeMs);
    this.#copies.push.see(timeMs);
    if (kind !== 'RunClosed') return;
    this.#runEndedMs ??= this.#options.clock.monotonicMs();
    this.#wake.abort();
  }

  /** To be called once, when the record has been folded. */
  takeUp(records: CopyRecords): void {
    this.#records = records;
    for (const step of ['commit', 'push'] as const) {
      const known = records.known[step];
      if (known !== undefined) this.#copies[step].takeUp(known.why, known.sinceMs);
    }
  }

  figures(): BackupFigures {
    const { gitCommitInterval, gitRemote } = this.#options.memory;
    const { commit, push: pushing } = this.#copies;
    const commitMs = durationMs(gitCommitInterval);
    return {
      commit: commit.figures(commitMs),
      // Without a new commit there is nothing to push.
      push:
        gitRemote === undefined ? undefined : pushing.figures(Math.max(commitMs, durationMs(gitRemote.pushInterval))),
      failures: this.#failures,
    };
  }

  component(): Component {
    return { name: 'backup', restart: 'Permanent', run: (signal) => this.#run(signal) };
  }

  /** The last commit and push, when the record is closed. Never rejects, and takes no longer than it may. */
  async close(): Promise<void> {
    const signal = AbortSignal.timeout(this.#options.closingMs);
    await this.#try('commit', signal, () => this.#makeCommit(signal));
    if (this.#isUnpushed && !signal.aborted) await this.#try('push', signal, () => this.#push(signal));
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const commitMs = this.#commitDueMs();
      const waitMs = Math.min(commitMs, this.#pushDueMs()) - clock.monotonicMs();
      if (waitMs > 0) {
        this.#wake = new AbortController();
        // An aborted sleep rejects; the loop looks again at what is due.
        await clock.sleep(waitMs, AbortSignal.any([signal, this.#wake.signal])).catch(() => undefined);
        continue;
      }
      if (commitMs <= clock.monotonicMs()) await this.#try('commit', signal, () => this.#makeCommit(signal));
      if (!signal.aborted && this.#pushDueMs() <= clock.monotonicMs()) this.#beginPush(signal);
      if (!signal.aborted) await this.#record();
    }
    await this.#pushing;
  }

  /** A push may take an hour, and commits go on meanwhile. */
  #beginPush(signal: AbortSignal): void {
    const pushed = this.#try('push', signal, () => this.#push(signal));
    this.#pushing = pushed.then(async () => {
      if (!signal.aborted) await this.#record();
      this.#pushing = undefined;
      this.#wake.abort();
    });
  }

  #commitDueMs(): number {
    const { lastTryMs, failures } = this.#copies.commit;
    const times = { startedMs: this.#startedMs, lastTryMs, failures, runEndedMs: this.#runEndedMs };
    return nextBackupMs(times, durationMs(this.#options.memory.gitCommitInterval));
  }

  async #makeCommit(signal: AbortSignal): Promise<boolean> {
    const used = usedRatio(await volumeUsage(this.#options.dataDirectory));
    if (!canTakeTasks(volumeLevel('Normal', used)))
      throw new Error(`the volume is ${Math.round(used * 100)} % full, and the record needs what is left`);
    const endedMs = this.#runEndedMs;
    const { commit, isNew, notices } = await this.#backup.commit(signal);
    this.#commit = commit;
    if (this.#runEndedMs === endedMs) this.#runEndedMs = undefined;
    for (const notice of notices) this.#options.onNotice?.(notice);
    return isNew;
  }

  get #isUnpushed(): boolean {
    const { gitRemote } = this.#options.memory;
    return gitRemote !== undefined && !this.#isOver && this.#commit !== undefined && this.#commit !== this.#pushed;
  }

  /** Infinity: there is nothing to push. */
  #pushDueMs(): number {
    const { gitRemote } = this.#options.memory;
    if (gitRemote === undefined || this.#pushing !== undefined || !this.#isUnpushed) return Infinity;
    const { lastTryMs = -Infinity, failures } = this.#copies.push;
    return lastTryMs + (failures > 0 ? retryMs(failures) : durationMs(gitRemote.pushInterval));
  }

  async #push(signal: AbortSignal): Promise<boolean> {
    const { memory, proxies = noProxies } = this.#options;
    if (memory.gitRemote === undefined) return false;
    const { url, branch } = memory.gitRemote;
    const proxyUrl = remoteProxyUrl(url, proxies);
    const credentials = await this.#options.credentials?.();
    const authorities = await this.#options.authorities?.();
    const remote: Remote = {
      ...{ url, branch },
      ...(credentials === undefined ? {} : { credentials }),
      ...(authorities === undefined ? {} : { authorities }),
      ...(proxyUrl === undefined ? {} : { proxyUrl }),
    };
    const before = this.#commit;
    const { commit, notices } = await this.#backup.push(remote, signal);
    for (const notice of notices) this.#options.onNotice?.(notice);
    // It goes on from another history than before, unless a commit was made meanwhile.
    if (this.#commit === before) this.#commit = commit;
    this.#pushed = commit;
    return true;
  }

  /** The one place where a failure of the backup ends. @param work  resolves with whether there was something to copy */
  async #try(step: Step, signal: AbortSignal, work: () => Promise<boolean>): Promise<void> {
    const copy = this.#copies[step];
    const { clock, onNotice } = this.#options;
    // The remote gets what is committed by now, and no more.
    const uncommittedMs = step === 'push' ? this.#copies.commit.unsavedSinceMs : undefined;
    copy.begin();
    try {
      const isNew = await work();
      if (copy.told !== undefined) onNotice?.(`the ${step} of the backup works again`);
      copy.succeed(isNew, uncommittedMs);
      if (this.#commit === this.#pushed) this.#copies.push.hasAllUntil(this.#copies.commit.unsavedSinceMs);
    } catch (error) {
      this.#failed(step, signal, error);
    } finally {
      copy.lastTryMs = clock.monotonicMs();
    }
  }

  #failed(step: Step, signal: AbortSignal, error: unknown): void {
    const copy = this.#copies[step];
    const { onNotice } = this.#options;
    copy.failures += 1;
    this.#failures += 1;
    const told = error instanceof Error ? error.message : String(error);
    if (error instanceof GitFailedError && error.failure === 'Diverged') {
      this.#isOver = true;
      copy.isDiverged = true;
      onNotice?.(`the push of the backup has stopped until the program starts again: ${told}`);
      // A stop is no failure: the next start makes up for it.
    } else if (!signal.aborted && told !== copy.told)
      onNotice?.(`the ${step} of the backup failed and is tried again: ${told}`);
    copy.told = told;
  }

  async #record(): Promise<void> {
    try {
      await this.#records?.write(this.figures());
      this.#unwritten = undefined;
    } catch (error) {
      const told = error instanceof Error ? error.message : String(error);
      if (told !== this.#unwritten)
        this.#options.onNotice?.(`the record does not say how the backup stands, which is tried again: ${told}`);
      this.#unwritten = told;
    }
  }
}
