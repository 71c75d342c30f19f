/** The numbers of a round, for the decision, the record and people. Source: artoo A.9. */
import type { Loss } from '@retainer/contract/wire/bus/payloads';
import { distance } from './distance.ts';
import type { RoundResult } from './judged.ts';
import { gradient, lossOf, resourceCost } from './loss.ts';
import { NEUTRAL, processImplausibility } from './process.ts';
import type { SteerContext, SteerState } from './steer-state.ts';

export interface Measure {
  /** Failed rounds, including the measured one if it failed. */
  readonly rounds: number;
  readonly loss: Loss;
  readonly gradL: number;
  readonly gradQ: number;
}

/** Measures a round that failed, or that ends early: its known outcomes count. */
export function measureFailed(state: SteerState, rounds: number, result: RoundResult, context: SteerContext): Measure {
  const d = distance(context.criteria, result);
  return measure(state, rounds, { d, p: processImplausibility(result.outcomes), elapsedMs: result.elapsedMs }, context);
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
