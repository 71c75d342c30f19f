/**
 * Puts threads to sleep that no run will join again, and old ones that began with one run and were never about anything.
 *
 * Source: springdrift 4 (thread pruning: one run at most, older than 7 days, without a name of its own or without anything that it is
 * about). Differs: it sleeps, and stays readable; so does a thread that lies idle for so long that even a run which shares everything with
 * it would not join.
 */
import { JOIN_SCORE, NAMELESS, threadScore } from '../../parts/threads/thread-rules.ts';
import type { LabelledThread } from '../../parts/threads/threads.ts';
import type { Change, Pass } from './change.ts';

const DAY_MS = 86_400_000;

/** Source: springdrift 4. */
const IDLE_DAYS_MAX = 7;

const NEVER_GREW = 'a week after its only run it is about nothing';
const TOO_OLD = 'it lies idle for so long that no run would join it';

export const ageThreads: Pass = function* ({ threads }, nowMs) {
  const changes: Change[] = [];
  for (const thread of threads.byId.values()) {
    yield;
    const reason = thread.isDormant === true ? undefined : reasonToSleep(thread, nowMs - thread.lastAtMs);
    if (reason === undefined) continue;
    const payload = { threadId: thread.threadId, reason };
    changes.push({ reason, commands: [{ store: 'thread', kind: 'ThreadDormant', payload }] });
  }
  return changes;
};

function reasonToSleep(thread: LabelledThread, idleMs: number): string | undefined {
  const { runs, name, domain, locations, keywords } = thread;
  const isNameless = name.startsWith(NAMELESS) || (domain === '' && locations.length + keywords.length === 0);
  if (runs <= 1 && isNameless && idleMs > IDLE_DAYS_MAX * DAY_MS) return NEVER_GREW;
  // Idleness only grows, so what cannot be joined now never is.
  return idleMs > IDLE_DAYS_MAX * DAY_MS && threadScore(thread, idleMs) < JOIN_SCORE ? TOO_OLD : undefined;
}
