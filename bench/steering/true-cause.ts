/** Why a round of a simulated run really failed, which no role is told. */
import type { Round } from './arms.ts';
import { pairOf, type SimulatedTask } from './generate-task.ts';

export const TRUE_CAUSES = ['WrongTool', 'WrongTarget', 'Chance', 'Refused', 'Infeasible'] as const;

/**
 * `Chance`: the pair works, and the call failed by itself. `Refused`: the step used what the round may not use.
 * `Infeasible`: no pair works.
 */
export type TrueCause = (typeof TRUE_CAUSES)[number];

/** Of the first step that failed, as the directive names it; undefined where none was tried and failed. */
export function trueCause({ hidden }: SimulatedTask, { attempts }: Round): TrueCause | undefined {
  const failed = attempts.find((it) => !it.isRight);
  if (failed === undefined) return undefined;
  if (!failed.step.part.canBeDone) return 'Infeasible';
  if (failed.record.refusal !== undefined) return 'Refused';
  const kind = hidden.get(pairOf(failed.step))?.kind ?? 'WrongTarget';
  return kind === 'Works' ? 'Chance' : kind;
}
