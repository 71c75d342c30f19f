/** A round in numbers: what the decision, the record and people read. Source: artoo A.9. */
import type { Loss } from '@retainer/contract/wire/bus/payloads';
import { distance } from './distance.ts';
import type { RoundResult } from './judged.ts';
import { gradient, lossOf, resourceCost } from './loss.ts';
import { NEUTRAL, processImplausibility } from './process.ts';
import type { SteerContext, SteerState } from './steer-state.ts';

export interface Measure {
  /** Failing rounds, the measured one included if it is one. */
  readonly rounds: number;
  readonly loss: Loss;
  readonly gradL: number;
  readonly gradQ: number;
}

/** A round that failed, or that ends before it is done: what is known of it counts. */
export function measureFailed(state: SteerState, rounds: number, result: RoundResult, context: SteerContext): Measure {
  const d = distance(context.criteria, result);
  return measure(state, rounds, { d, p: processImplausibility(result.outcomes), elapsedMs: result.elapsedMs }, context);
}

/** By definition nothing is left to do, and nothing failed that could speak against the approach. */
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
