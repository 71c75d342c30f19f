/** The numbers of a round, for the decision, the record and people. Source: artoo A.9. */
import type { Loss } from '@retainer/contract/wire/bus/payloads';
import { distance } from './distance.ts';
import type { RoundResult } from './judged.ts';
import { gradient, lossOf, resourceCost } from './loss.ts';
import { NEUTRAL, processImplausibility } from './process.ts';
import { openShare, roundBefore } from './parts.ts';
import type { SteerContext, SteerState } from './steer-state.ts';

export interface Measure {
  /** Failed rounds, including the measured one if it failed. */
  readonly rounds: number;
  readonly loss: Loss;
  readonly gradL: number;
  readonly gradQ: number;
  /** Change of D alone; absent where the rounds are measured by their own plans. */
  readonly gradD?: number;
}

/** Measures a round that failed, or that ends early: its known outcomes count. */
export function measureFailed(state: SteerState, rounds: number, result: RoundResult, context: SteerContext): Measure {
  const byParts = distanceByParts(context);
  const d = byParts?.d ?? distance(context.criteria, result);
  const p = processImplausibility(result.outcomes);
  const measured = measure(state, rounds, { d, p, elapsedMs: result.elapsedMs }, context);
  return byParts === undefined ? measured : { ...measured, gradD: byParts.gradD };
}

/** Profile `Spec` measures each round by its own plan. */
function distanceByParts({
  control,
  history,
}: SteerContext): { readonly d: number; readonly gradD: number } | undefined {
  if (control.profile === 'Spec' || history === undefined) return undefined;
  const d = openShare(history);
  const before = roundBefore(history);
  return { d, gradD: before.steps.length === 0 ? 0 : d - openShare(before) };
}

/** By definition nothing is left to do, and no failure speaks against the approach. */
export function measureAccepted(state: SteerState, elapsedMs: number, context: SteerContext): Measure {
  return measure(state, state.rounds, { d: 0, p: NEUTRAL, elapsedMs }, context);
}

function measure(
  state: SteerState,
  rounds: number,
  { d, p, elapsedMs }: { readonly d: number; readonly p: number; readonly elapsedMs: number },
  { control, ...use }: SteerContext,
): Measure {
  const omega = resourceCost(control, { ...use, rounds, elapsedMs });
  const loss = lossOf(control.weights, { d, p, omega });
  return {
    rounds,
    loss,
    gradL: gradient(loss.l, state.lPrevious),
    gradQ: gradient(loss.q, state.qPrevious),
  };
}

/** What says whether the run gets better. Source: artoo A.9. */
export function decidingGradient(
  { gradL, gradQ, gradD }: Measure,
  { control }: Pick<SteerContext, 'control'>,
): { readonly name: 'L' | 'Q' | 'D'; readonly value: number } {
  if (control.profile === 'Spec') return { name: 'L', value: gradL };
  return gradD === undefined ? { name: 'Q', value: gradQ } : { name: 'D', value: gradD };
}
