/**
 * Makes the second copy beside the work: commits and pushes when they are due, tells what fails, and tries again.
 *
 * I1  No run waits for it, and none of its failures leaves it: not even the supervisor sees one.
 * I2  On a volume that takes no new tasks it writes nothing: the record needs the space.
 */
import { durationMs } from '@retainer/contract/api/fields';
import type { AgentMemory } from '@retainer/contract/api/agent-memory';
import { noProxies, proxyOf, proxyUrlOf, type ProxySettings } from '@retainer/contract/std/proxies';
import type { Clock } from '@retainer/contract/std/clock';
import type { JournalRecord } from '@retainer/journal/journal';
import { Backup } from '../backup/backup.ts';
import { push, type Remote } from '../backup/push.ts';
import type { GitCredentials } from '../backup/remote-access.ts';
import type { Component } from '../ports/component.ts';
import { nextBackupMs, retryMs } from './backup-schedule.ts';
import { canTakeTasks, usedRatio, volumeLevel } from './volume-level.ts';
import { volumeUsage } from './volume-watch.ts';

export interface BackupSettings {
  /** Time for the last commit, after the record was closed. */
  readonly closingMs: number;
  /** Of the remote, read for each push; a rejection is a failed push. */
  readonly credentials?: () => Promise<GitCredentials | undefined>;
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

/** Ages are in milliseconds since the last success, or since the start while there was none. */
export interface BackupFigures {
  readonly commitAgeMs: number;
  /** Undefined without a remote. */
  readonly pushAgeMs: number | undefined;
  /** Since the start. */
  readonly failures: number;
}

type Step = 'commit' | 'push';

interface StepState {
  lastTryMs: number | undefined;
  lastSuccessMs: number | undefined;
  /** In a row. */
  failures: number;
  /** What was told last. */
  told: string | undefined;
}

export class BackupWatch {
  readonly #options: BackupWatchOptions;
  readonly #backup: Backup;
  readonly #startedMs: number;
  readonly #states: Readonly<Record<Step, StepState>> = { commit: newState(), push: newState() };
  #runEndedMs: number | undefined;
  #failures = 0;
  #commit: string | undefined;
  #pushed: string | undefined;
  #wake = new AbortController();

  constructor(options: BackupWatchOptions) {
    this.#options = options;
    this.#backup = new Backup(options);
    this.#startedMs = options.clock.monotonicMs();
  }

  /** @param record  durable */
  see({ kind }: Pick<JournalRecord, 'kind'>): void {
    if (kind !== 'RunClosed') return;
    this.#runEndedMs ??= this.#options.clock.monotonicMs();
    this.#wake.abort();
  }

  figures(): BackupFigures {
    const nowMs = this.#options.clock.monotonicMs();
    const age = (step: Step): number => nowMs - (this.#states[step].lastSuccessMs ?? this.#startedMs);
    const hasRemote = this.#options.memory.gitRemote !== undefined;
    return { commitAgeMs: age('commit'), pushAgeMs: hasRemote ? age('push') : undefined, failures: this.#failures };
  }

  component(): Component {
    return { name: 'backup', restart: 'Permanent', run: (signal) => this.#run(signal) };
  }

  /** The last commit and push, when the record is closed. Never rejects, and takes no longer than it may. */
  async close(): Promise<void> {
    const signal = AbortSignal.timeout(this.#options.closingMs);
    await this.#try('commit', signal, () => this.#makeCommit(signal));
    if (this.#isPushDue(true)) await this.#try('push', signal, () => this.#push(signal));
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const waitMs = this.#dueMs() - clock.monotonicMs();
      if (waitMs > 0) {
        this.#wake = new AbortController();
        // An aborted sleep rejects; the loop looks again at what is due.
        await clock.sleep(waitMs, AbortSignal.any([signal, this.#wake.signal])).catch(() => undefined);
        continue;
      }
      await this.#try('commit', signal, () => this.#makeCommit(signal));
      if (this.#isPushDue(false)) await this.#try('push', signal, () => this.#push(signal));
    }
  }

  #dueMs(): number {
    const { lastTryMs, failures } = this.#states.commit;
    const times = { startedMs: this.#startedMs, lastTryMs, failures, runEndedMs: this.#runEndedMs };
    return nextBackupMs(times, durationMs(this.#options.memory.gitCommitInterval));
  }

  async #makeCommit(signal: AbortSignal): Promise<void> {
    const used = usedRatio(await volumeUsage(this.#options.dataDirectory));
    if (!canTakeTasks(volumeLevel('Normal', used)))
      throw new Error(`the volume is ${Math.round(used * 100)} % full, and the record needs what is left`);
    const endedMs = this.#runEndedMs;
    const { commit, notices } = await this.#backup.commit(signal);
    this.#commit = commit;
    if (this.#runEndedMs === endedMs) this.#runEndedMs = undefined;
    for (const notice of notices) this.#options.onNotice?.(notice);
  }

  /** Commits are due at least as often, so it is enough to look after each. */
  #isPushDue(isClosing: boolean): boolean {
    const { gitRemote } = this.#options.memory;
    if (gitRemote === undefined || this.#commit === undefined || this.#commit === this.#pushed) return false;
    const { lastTryMs, failures } = this.#states.push;
    if (isClosing || lastTryMs === undefined) return true;
    const waitMs = failures > 0 ? retryMs(failures) : durationMs(gitRemote.pushInterval);
    return this.#options.clock.monotonicMs() >= lastTryMs + waitMs;
  }

  async #push(signal: AbortSignal): Promise<void> {
    const { memory, proxies = noProxies } = this.#options;
    if (memory.gitRemote === undefined) return;
    const { url, branch } = memory.gitRemote;
    const commit = this.#commit;
    const proxyUrl = proxyUrlTo(url, proxies);
    const credentials = await this.#options.credentials?.();
    const remote: Remote = {
      ...{ url, branch },
      ...(credentials === undefined ? {} : { credentials }),
      ...(proxyUrl === undefined ? {} : { proxyUrl }),
    };
    await push(this.#backup.directory, remote, signal);
    this.#pushed = commit;
  }

  /** The one place where a failure of the backup ends. */
  async #try(step: Step, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const state = this.#states[step];
    const { clock, onNotice } = this.#options;
    try {
      await work();
      if (state.told !== undefined) onNotice?.(`the ${step} of the backup works again`);
      Object.assign(state, { failures: 0, told: undefined, lastSuccessMs: clock.monotonicMs() });
    } catch (error) {
      state.failures += 1;
      this.#failures += 1;
      const told = error instanceof Error ? error.message : String(error);
      // A stop is no failure: the next start makes up for it.
      if (!signal.aborted && told !== state.told)
        onNotice?.(`the ${step} of the backup failed and is tried again: ${told}`);
      state.told = told;
    } finally {
      state.lastTryMs = clock.monotonicMs();
    }
  }
}

function newState(): StepState {
  return { lastTryMs: undefined, lastSuccessMs: undefined, failures: 0, told: undefined };
}

/** A remote by SSH is reached directly. @throws where the proxy's address is wrong */
function proxyUrlTo(url: string, proxies: ProxySettings): string | undefined {
  if (!url.startsWith('https:')) return undefined;
  const proxy = proxyOf(proxies, new URL(url));
  if (!proxy.ok) throw new Error(proxy.error);
  return proxy.value === undefined ? undefined : proxyUrlOf(proxy.value);
}
