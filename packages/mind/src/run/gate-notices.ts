/**
 * What gates said in a run. No memory holds it: later runs learn of a refusal only as an outcome.
 *
 * Source: springdrift 15: notices that were remembered taught the model to refuse by itself.
 */
import { endsOf, type RunState } from './state.ts';

/** Whether a text repeats what a gate said in this run. */
export function holdsNotice(state: Pick<RunState, 'roleCycles'>, text: string): boolean {
  const rejections = endsOf(state).flatMap((it) => it.rejections);
  return rejections.some(({ reason, rule }) => text.includes(reason) || text.includes(rule));
}
