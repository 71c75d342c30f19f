/** The message of a commit: what people and programs learn of it without its content. Pure. */
import type { Head } from '@retainer/journal/journal';

/** Why it was made. */
export type BackupCause = 'Interval' | 'RunEnded' | 'Closing' | 'Person';

export interface CommitNote {
  /** `NAMESPACE/NAME`. */
  readonly agent: string;
  readonly atMs: number;
  readonly cause: BackupCause;
  /** Runs that ended since the commit before, oldest first. */
  readonly runs: readonly string[];
  /** Heads that differ from the previous commit; the file `heads.json` has all of them. */
  readonly heads: readonly Head[];
}

/** Runs named in a message; more end between two commits only in the first one of a long life. */
const RUNS_MAX = 20;

export function renderMessage({ agent, atMs, cause, runs, heads }: CommitNote): string {
  const more = runs.length - RUNS_MAX;
  return [
    `Record of ${agent} at ${new Date(atMs).toISOString()}`,
    '',
    `Time: ${new Date(atMs).toISOString()}`,
    `Cause: ${cause}`,
    ...(more > 0 ? [`Earlier-Runs: ${more}`] : []),
    ...runs.slice(-RUNS_MAX).map((run) => `Run: ${run}`),
    ...heads.map(({ store, seq, hash, epoch }) => `Head: ${store} ${seq} ${hash} ${epoch}`),
    '',
  ].join('\n');
}

const headLine = /^Head: ([a-z][a-z0-9-]*) (\d+) ([0-9a-f]{64}) (\d+)$/;

/** @returns undefined for a message of anybody else */
export function parseMessage(message: string): CommitNote | undefined {
  const lines = message.split('\n');
  const member = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const [, agent] = /^Record of (\S+) at /.exec(message) ?? [];
  const atMs = Date.parse(member('Time') ?? '');
  const cause = causes.find((each) => each === member('Cause'));
  if (agent === undefined || cause === undefined || Number.isNaN(atMs)) return undefined;
  return {
    agent,
    atMs,
    cause,
    runs: lines.flatMap((line) => (line.startsWith('Run: ') ? [line.slice('Run: '.length)] : [])),
    heads: lines.flatMap((line) => {
      const [, store, seq, hash = '', epoch] = headLine.exec(line) ?? [];
      return store === undefined ? [] : [{ store, seq: Number(seq), hash, epoch: Number(epoch) }];
    }),
  };
}

const causes: readonly BackupCause[] = ['Interval', 'RunEnded', 'Closing', 'Person'];
