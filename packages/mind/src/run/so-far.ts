/** What the last words of a run tell beside its last round, read from its record. */
import { roleName } from '@retainer/contract/api/roles';
import { endFault, isStuck } from '../cycle/end-fault.ts';
import { approvalBreaker } from './approval-breaker.ts';
import { isBudgetUsedUp } from './remaining-limits.ts';
import { received, roundOf, sent, type RoleCycle, type RunState } from './state.ts';
import type { FailedRound, RunSoFar } from './steer/last-words.ts';

export function soFar(state: RunState): RunSoFar {
  const { spec, nowMs } = state;
  const round = roundOf(state);
  const ended = [...state.roleCycles.values()].filter((it) => it.end !== undefined && it.purpose.round === round);
  const fault = ended.flatMap(faultOf).at(-1);
  const refusal = ended.flatMap((it) => it.end?.rejections ?? []).at(-1);
  const unanswered = lastUnanswered(state);
  const waitsFor = whatItWaitsFor(state);
  return {
    failedRounds: failedRounds(state),
    stage: stageOf(state, round),
    ...(fault === undefined ? {} : { fault }),
    ...(refusal === undefined ? {} : { refusal: { gate: refusal.gate, rule: refusal.rule } }),
    ...(waitsFor === undefined ? {} : { waitsFor }),
    ...(unanswered === undefined ? {} : { unanswered }),
    isAskingTooOften: approvalBreaker(state) !== undefined,
    isPastDeadline: nowMs >= (spec.deadlineMs ?? Infinity),
    isBudgetUsedUp: isBudgetUsedUp(state),
    isStuck: isStuck(ended.at(-1)?.end?.reason),
  };
}

/** A round after which the run went on. The last one is told by its outcomes. */
function failedRounds(state: RunState): readonly FailedRound[] {
  return sent(state, 'PlanDirective').flatMap(({ round }) =>
    received(state, 'ReplanRequest', round)
      .slice(-1)
      .map(({ payload: { outcomes, gapSummary } }) => ({
        round,
        matched: outcomes.filter((it) => it.status === 'Matched').length,
        subtasks: outcomes.length,
        gap: gapSummary,
      })),
  );
}

function stageOf(state: RunState, round: number): RunSoFar['stage'] {
  if (received(state, 'TaskSpec').length === 0) return 'Understanding';
  return sent(state, 'DispatchManifest', Math.max(1, round)).length === 0 ? 'Planning' : 'Working';
}

function faultOf({ purpose, end }: RoleCycle): readonly NonNullable<RunSoFar['fault']>[] {
  const kind = end?.outcome === 'Failed' ? endFault(end.reason) : undefined;
  return kind === undefined ? [] : [{ role: roleName(purpose.role), kind }];
}

function lastUnanswered(state: RunState): string | undefined {
  const answered = new Set(
    sent(state, 'ClarificationAnswer').flatMap(({ payload }) => (payload.text === undefined ? [] : payload.questionId)),
  );
  return sent(state, 'ClarificationRequest').findLast(({ payload }) => !answered.has(payload.questionId))?.payload
    .question;
}

function whatItWaitsFor({ question, waits }: RunState): RunSoFar['waitsFor'] {
  if (question !== undefined) return 'Answer';
  return waits.size > 0 ? 'Approval' : undefined;
}
