/** Runs that a person or a new version wanted again. */
import type { z } from 'zod';
import type { setAsideKinds } from './set-aside.ts';

export interface TriedAgain {
  /** Not set aside since: a start drives them, even if nothing of them was recorded. */
  readonly open: Set<string>;
  /** They had ended: the same work begins anew, as a run of its own. */
  readonly anew: Set<string>;
}

type Kinds = typeof setAsideKinds;
type Of<K extends keyof Kinds> = z.infer<Kinds[K]>;

export function noneTriedAgain(): TriedAgain {
  return { open: new Set(), anew: new Set() };
}

export const triedAgainFolds = {
  RunSetAside: ({ open }: TriedAgain, { runId }: Of<'RunSetAside'>) => void open.delete(runId),
  RunTriedAgain: ({ open }: TriedAgain, { runId }: Of<'RunTriedAgain'>) => void open.add(runId),
  RunAskedAnew: ({ anew }: TriedAgain, { runId }: Of<'RunAskedAnew'>) => void anew.add(runId),
  RunGivenUp: ({ open }: TriedAgain, { runId }: Of<'RunGivenUp'>) => void open.delete(runId),
  GivenUpDelivered: () => undefined,
} as const;

/** The run of an attempt at the same work. @param runId  of the first  @param attempt  from 1 */
export function attemptRunId(runId: string, attempt: number): string {
  return attempt === 1 ? runId : `${runId}-${attempt}`;
}

/** The number of attempts at the same work, from 1. @param runOf  the run of each attempt */
export function attemptOf({ anew }: Pick<TriedAgain, 'anew'>, runOf: (attempt: number) => string): number {
  let attempt = 1;
  while (anew.has(runOf(attempt))) attempt += 1;
  return attempt;
}
