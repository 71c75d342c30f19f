/**
 * Which of its two models works on a step: the fast one where the perceiver called the Task one step and code finds nothing to the
 * contrary, the capable one from then on that an attempt failed.
 *
 * Source: springdrift 6 (routing by complexity).
 */
import type { SubTask } from '@retainer/contract/wire/bus/payloads';
import type { WorkKind } from '../event.ts';
import { received, sent, type RunState } from '../state.ts';

/** More criteria than these are several things to get right. */
const CRITERIA_MAX = 2;

/** Characters of intent and background; longer instructions are no simple ones. */
const WORDS_CHARACTERS_MAX = 2000;

export function workKind(state: RunState, subtask: SubTask, at: { round: number; attempt: number }): WorkKind {
  if (at.round > 1 || at.attempt > 1) return 'Repeated';
  const [understood] = received(state, 'TaskSpec');
  const isOneStep = understood?.payload.shape === 'SingleStep' && sent(state, 'SubTask', at.round).length === 1;
  const words = subtask.intent.length + subtask.context.length;
  const isSmall = subtask.criteria.length <= CRITERIA_MAX && words <= WORDS_CHARACTERS_MAX;
  return isOneStep && isSmall ? 'Simple' : 'Complex';
}
