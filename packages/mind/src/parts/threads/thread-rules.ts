/**
 * Which thread a run belongs to: what it shares with the runs of a thread, less the longer the thread lay idle.
 *
 * Source: springdrift 4 (threading score of the paper: 3, 2, 1, from 4 on), 17 (M2).
 * Differs: a thread that lies idle attracts less, so that one of last year does not swallow all later work.
 */
import { z } from 'zod';

const DAY_MS = 86_400_000;

/** Source: springdrift 4. */
const WEIGHTS = { locations: 3, domain: 2, keywords: 1 } as const;
export const JOIN_SCORE = 4;

/** A week's pause does not end a thread; after it, a month halves what a thread attracts. */
const IDLE_DAYS = 7;
const HALVING_DAYS = 30;

/** Newest places and keywords of a thread that are compared. Source: springdrift 4. */
export const THREAD_WORDS_KEPT = 20;

/** What a run is about, by code or by the Archivist's model. */
export const RunLabels = z.object({
  /** Empty: unknown. */
  domain: z.string(),
  /** Where it worked: paths and hosts. */
  locations: z.array(z.string()),
  keywords: z.array(z.string()),
});
export type RunLabels = z.infer<typeof RunLabels>;

export interface Thread extends Readonly<RunLabels> {
  readonly threadId: string;
  readonly name: string;
  readonly runs: number;
  readonly lastRunId: string;
  /** Milliseconds since 1970. */
  readonly lastAtMs: number;
}

export interface Join {
  readonly threadId: string;
  readonly name: string;
  readonly score: number;
  /** What it shares with the thread. */
  readonly matched: RunLabels;
  /** From 1. */
  readonly position: number;
  /** What goes on, in one sentence; empty in a new thread. */
  readonly continuity: string;
}

/** Case is ignored in places and keywords; a domain is the same or another. */
export function shared(a: RunLabels, b: RunLabels): RunLabels {
  return {
    domain: a.domain !== '' && a.domain === b.domain ? a.domain : '',
    locations: both(a.locations, b.locations),
    keywords: both(a.keywords, b.keywords),
  };
}

function both(a: readonly string[], b: readonly string[]): string[] {
  const other = new Set(b.map((it) => it.toLowerCase()));
  return [...new Set(a.map((it) => it.toLowerCase()))].filter((it) => other.has(it));
}

/** @param idleMs  since the thread's last run */
export function threadScore({ domain, locations, keywords }: RunLabels, idleMs: number): number {
  const points =
    WEIGHTS.locations * locations.length + (domain === '' ? 0 : WEIGHTS.domain) + WEIGHTS.keywords * keywords.length;
  const idleDays = Math.max(0, idleMs / DAY_MS - IDLE_DAYS);
  return points * 2 ** (-idleDays / HALVING_DAYS);
}

/**
 * The thread with the highest score, the first of equal ones, or a new one.
 *
 * @param threads  in the order of their beginning
 * @param run  its id names a thread that it begins
 */
export function joinThread(
  threads: readonly Thread[],
  labels: RunLabels,
  run: { readonly runId: string; readonly atMs: number },
): Join {
  const candidates = threads.map((thread) => {
    const matched = shared(labels, thread);
    return { thread, matched, score: threadScore(matched, run.atMs - thread.lastAtMs) };
  });
  const score = Math.max(0, ...candidates.map((it) => it.score));
  const best = score < JOIN_SCORE ? undefined : candidates.find((it) => it.score === score);
  if (best === undefined) {
    const threadId = `thread-${run.runId}`;
    const matched = { domain: '', locations: [], keywords: [] };
    return { threadId, name: nameOf(labels, run.runId), score: 0, matched, position: 1, continuity: '' };
  }
  const { thread, matched } = best;
  const { threadId, name, runs, lastRunId } = thread;
  return { threadId, name, score, matched, position: runs + 1, continuity: continuityOf(lastRunId, matched) };
}

/** What the name of a thread without domain, place and keyword begins with. */
export const NAMELESS = 'Thread ';

/** Source: springdrift 4. */
function nameOf({ domain, locations: [location], keywords }: RunLabels, runId: string): string {
  if (domain !== '' && location !== undefined) return `${domain} — ${location}`;
  return (domain || location) ?? (keywords.slice(0, 2).join(' ') || `${NAMELESS}${runId.slice(0, 8)}`);
}

function continuityOf(lastRunId: string, { locations, keywords }: RunLabels): string {
  const where = locations.length === 0 ? `about ${keywords.join(', ')}` : `again on ${locations.join(', ')}`;
  return `goes on after ${lastRunId}, ${where}`;
}
