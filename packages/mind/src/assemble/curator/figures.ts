/**
 * What the sensorium computes of the newest runs. Beside each rate stands of how many it is.
 *
 * Source: springdrift 3 (computed signals). Differs: the hit rate counts questions that memory knew something about; words are
 * compared as they carry a subject, so that keywords of several words match.
 */
import { isReached } from '@retainer/contract/api/task-status';

/** One run, as its narrative entry says it by itself. */
export interface RunFigures {
  readonly runId: string;
  readonly task: string;
  readonly outcome: string;
  /** Input and output together. */
  readonly tokens: number;
  /** Milliseconds since 1970. */
  readonly endedAtMs: number;
  /** Words that carry its subject, in lower case. */
  readonly keywords: readonly string[];
  /** What it was about, as it is compared; it may be a model's word, and nobody is told it. Empty: unknown. */
  readonly domain: string;
  /** By tool, in the order of first use: calls that ran. Another name may be a model's invention. */
  readonly calls: readonly { readonly tool: string; readonly ran: number; readonly failed: number }[];
}

/** Fewer runs are no rate: five showed 0.2 where the truth was 0.88. */
export const FIGURES_OF_RUNS = 50;

const COMPARED_RUNS = 5;
const FAILURES_MAX = 3;

/** Fewer runs have no trend. */
const TREND_RUNS_MIN = 4;
const RISING_RATIO = 1.3;
const FALLING_RATIO = 0.7;

/** Nobody says of a cancelled run that it failed, or that it succeeded. */
const isDecided = ({ outcome }: Pick<RunFigures, 'outcome'>): boolean => outcome !== 'Cancelled';

export const isFailure = (run: Pick<RunFigures, 'outcome'>): boolean => isDecided(run) && !isReached(run.outcome);

export interface Rate {
  /** 0 to 1; 0: nothing is counted. */
  readonly rate: number;
  readonly n: number;
}

export function rateOf(hits: readonly boolean[]): Rate {
  const n = hits.length;
  return { rate: n === 0 ? 0 : hits.filter(Boolean).length / n, n };
}

/** @param runs  oldest first */
export function successRate(runs: readonly RunFigures[]): Rate {
  const decided = runs.slice(-FIGURES_OF_RUNS).filter(isDecided);
  return rateOf(decided.map(({ outcome }) => isReached(outcome)));
}

/** Mean tokens of the newer half of the runs, compared with the older half; one in the middle belongs to neither. Undefined: too few. */
export function costTrend(runs: readonly RunFigures[]): 'increasing' | 'decreasing' | 'stable' | undefined {
  const newest = runs.slice(-FIGURES_OF_RUNS);
  if (newest.length < TREND_RUNS_MIN) return undefined;
  const half = Math.floor(newest.length / 2);
  const older = meanTokens(newest.slice(0, half));
  const newer = meanTokens(newest.slice(-half));
  if (newer > older * RISING_RATIO) return 'increasing';
  return newer < older * FALLING_RATIO ? 'decreasing' : 'stable';
}

function meanTokens(runs: readonly RunFigures[]): number {
  return runs.reduce((sum, { tokens }) => sum + tokens, 0) / runs.length;
}

/** Runs that a subject is compared with. */
export function compared(runs: readonly RunFigures[]): number {
  return Math.min(runs.length, COMPARED_RUNS);
}

/** How unlike a subject is to those of the last runs: 1 if nothing is like it, 0 if one has the same words. */
export function novelty(words: readonly string[], runs: readonly RunFigures[]): number {
  const own = new Set(words);
  const likeness = runs.slice(-COMPARED_RUNS).map(({ keywords }) => jaccard(own, new Set(keywords)));
  return Math.floor((1 - Math.max(0, ...likeness)) * 100) / 100;
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** The newest failures, oldest first, by outcome alone: a reason may be a stranger's words. */
export function recentFailures(
  runs: readonly RunFigures[],
): readonly Pick<RunFigures, 'task' | 'outcome' | 'endedAtMs'>[] {
  const failed = runs.filter(isFailure);
  return failed.slice(-FAILURES_MAX).map(({ task, outcome, endedAtMs }) => ({ task, outcome, endedAtMs }));
}
