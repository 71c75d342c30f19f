/**
 * The calls that people refused, for work that the agent begins by itself: a fold of the store `run`. What cycles under way were
 * refused is in their own states; `deniedBefore` is told both.
 *
 * I1  A denial is known as long as one of the newest `DENIALS_KEPT` is, over restarts.
 */
import { z } from 'zod';
import { DENIED } from '../gate/approval.ts';
import type { DeniedBefore } from '../gate/verdict.ts';
import type { GateRejection } from '../cycle/state.ts';
import { addNewest } from '../part/newest-members.ts';
import { defineProjection, omitEach } from '../part/projection.ts';
import { runKinds, type RunSpec } from '../run/event.ts';

/** Far more than people say no to in years. So many take some 4 MB. */
const DENIALS_KEPT = 10_000;
/** Runs in which a person said no; nobody makes a job in a run of long ago. */
const DENIED_RUNS_KEPT = 10_000;
/** Characters of a person's reason that are told again. */
const REASON_CHARACTERS_MAX = 500;

export interface Denials {
  /** What was said, by the digest of tool and arguments; the newest denial last. */
  readonly byDigest: Map<string, string>;
  readonly runs: Set<string>;
}

export function takeDenials({ byDigest, runs }: Denials, runId: string, rejections: readonly GateRejection[]): void {
  for (const { rule, reason, subjectDigest } of rejections) {
    if (rule !== DENIED) continue;
    addNewest(runs, runId, DENIED_RUNS_KEPT);
    if (subjectDigest === undefined) continue;
    byDigest.delete(subjectDigest);
    byDigest.set(subjectDigest, reason.slice(0, REASON_CHARACTERS_MAX));
    const [oldest] = byDigest.keys();
    if (byDigest.size > DENIALS_KEPT && oldest !== undefined) byDigest.delete(oldest);
  }
}

export const denials = defineProjection({
  store: 'run',
  kinds: runKinds,
  start: (): Denials => ({ byDigest: new Map(), runs: new Set() }),
  folds: {
    ...omitEach(runKinds, 'no person says no with it'),
    CycleConcluded: (state: Denials, { rejections }, { runId }) => {
      if (runId !== undefined) takeDenials(state, runId, rejections);
    },
  },
  window: 'WholeStore',
  cached: {
    version: 1,
    schema: z.object({ denied: z.array(z.tuple([z.string(), z.string()])), runs: z.array(z.string()) }),
    keep: ({ byDigest, runs }) => ({ denied: [...byDigest], runs: [...runs] }),
    restore: ({ byDigest, runs }, kept) => {
      for (const [digest, reason] of kept.denied) byDigest.set(digest, reason);
      for (const runId of kept.runs) runs.add(runId);
    },
  },
});

/** The work under way. */
interface UnderWay {
  openCycles(): readonly { readonly spec: { readonly runId: string }; readonly rejections: readonly GateRejection[] }[];
  openRuns(): readonly { readonly spec: Pick<RunSpec, 'runId' | 'cause'> }[];
}

/** What people refused before, as far as it bears on a call: all of it in work that the agent begins for itself. */
export function deniedBefore(
  { byDigest, runs }: Denials,
  underWay: UnderWay,
  { runId, argumentsDigest }: { readonly runId: string; readonly argumentsDigest: string },
): DeniedBefore {
  const denied = underWay
    .openCycles()
    .flatMap(({ spec, rejections }) => rejections.map((it) => ({ ...it, runId: spec.runId })))
    .filter(({ rule }) => rule === DENIED);
  const isInRun = runs.has(runId) || denied.some((it) => it.runId === runId);
  const told = denied.findLast((it) => it.subjectDigest === argumentsDigest)?.reason ?? byDigest.get(argumentsDigest);
  const cause = underWay.openRuns().find(({ spec }) => spec.runId === runId)?.spec.cause;
  const isOfOwnJob = cause?.kind === 'Job' && cause.maker === 'Agent';
  return {
    ...(isOfOwnJob && told !== undefined ? { call: told } : {}),
    ...(isInRun ? { inRun: true as const } : {}),
  };
}
