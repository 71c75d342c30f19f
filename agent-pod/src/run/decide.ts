/**
 * One Task run as a pure decision: execute in one cycle, judge each success criterion on the recorded evidence, deliver.
 *
 * I3  Stale inputs (a second conclusion of a cycle, a delivery confirmed twice) yield nothing.
 * I4  Every path ends in `RunConcluded`, then one delivery and one archive entry, then `RunClosed`.
 *
 * Source: design 5.1, 5.6. Differs: one executor cycle and one validating call; planning and steering come behind the same seam.
 */
import { assembleValidatorInput } from '../assemble/validator-input.ts';
import type { CycleSpec } from '../cycle/event.ts';
import { concludeRun, conclusion } from './conclude.ts';
import type { RunDecision, RunEvent, RunEventOf, RunInput, RunOutcome } from './event.ts';
import { evolveRun } from './evolve.ts';
import { judgeCriteria, unproven, unverified } from './judge.ts';
import { remainingLimits } from './remaining-limits.ts';
import type { RunState } from './state.ts';

interface Draft {
  state: RunState;
  readonly events: RunEvent[];
}

/** @returns the input and what was decided on it, in order; empty when the input is stale */
export function decideRun(state: RunState | undefined, input: RunInput): readonly RunEvent[] {
  if (isStale(state, input)) return [];
  const draft: Draft = { state: evolveRun(state, input), events: [input] };
  decideOn(draft, input);
  return draft.events;
}

function isStale(state: RunState | undefined, input: RunInput): boolean {
  if (state === undefined) return input.kind !== 'RunAdmitted';
  switch (input.kind) {
    case 'RunAdmitted':
      return true;
    case 'CycleConcluded':
      return state.pendingCycle?.cycleId !== input.cycleId;
    case 'RunCancelled':
      return state.concluded !== undefined;
    case 'DeadlinePassed':
      return state.concluded !== undefined || (state.spec.deadlineMs ?? Infinity) > input.atMs;
    case 'Delivered':
      return state.pendingDelivery?.deliveryId !== input.deliveryId;
    case 'Archived':
      return !state.pendingArchive;
  }
}

function decideOn(draft: Draft, input: RunInput): void {
  switch (input.kind) {
    case 'RunAdmitted':
      return push(draft, { kind: 'CycleRequested', spec: cycleSpec(draft.state, 'Executor', draft.state.spec.input) });
    case 'CycleConcluded':
      return input.role === 'Executor' ? decideExecuted(draft, input) : decideValidated(draft, input);
    case 'RunCancelled':
      return stop(draft, 'Cancelled', `cancelled by ${input.by}: ${input.reason}`);
    case 'DeadlinePassed':
      return stop(draft, 'Abandoned', 'the deadline passed');
    case 'Delivered':
    case 'Archived':
      return closeWhenDone(draft);
  }
}

/** A reply is judged, unless nothing ran that could prove it: that saves the call. Source: artoo RES-15. */
function decideExecuted(draft: Draft, input: RunEventOf<'CycleConcluded'>): void {
  const { spec } = draft.state;
  const isJudgeable = input.outcome === 'Replied' && input.rejections.length === 0 && spec.criteria.length > 0;
  if (!isJudgeable) return conclude(draft, concludeRun(draft.state));
  if (input.evidence.every((it) => it.outcome?.status !== 'Ok')) {
    push(draft, { kind: 'VerdictsJudged', ...mutable(unproven(spec.criteria)) });
    return conclude(draft, concludeRun(draft.state));
  }
  const limits = remainingLimits(draft.state, spec.validator.limits);
  if (limits.tokens <= 0 || limits.costUsd <= 0) return concludeUnverified(draft);
  const text = assembleValidatorInput({
    intent: spec.intent,
    criteria: spec.criteria,
    reply: input.text,
    evidence: input.evidence,
  });
  return push(draft, { kind: 'CycleRequested', spec: cycleSpec(draft.state, 'Validator', text) });
}

function concludeUnverified(draft: Draft): void {
  const reason = 'the budget is used up before the result could be verified';
  push(draft, { kind: 'VerdictsJudged', ...mutable(unverified(draft.state.spec.criteria, reason)) });
  conclude(draft, conclusion(draft.state, 'Abandoned', [reason]));
}

function decideValidated(draft: Draft, input: RunEventOf<'CycleConcluded'>): void {
  const { spec, execution } = draft.state;
  const judgement = judgeCriteria(spec.criteria, input.value, execution?.evidence ?? []);
  push(draft, { kind: 'VerdictsJudged', ...mutable(judgement) });
  conclude(draft, concludeRun(draft.state));
}

function stop(draft: Draft, outcome: RunOutcome, reason: string): void {
  const { pendingCycle } = draft.state;
  if (pendingCycle !== undefined) {
    push(draft, { kind: 'CycleAbandoned', cycleId: pendingCycle.cycleId, reason });
  }
  conclude(draft, conclusion(draft.state, outcome, [reason]));
}

function conclude(draft: Draft, concluded: RunEventOf<'RunConcluded'>): void {
  push(draft, concluded);
  const { kind: _, ...body } = concluded;
  const { spec } = draft.state;
  push(draft, {
    kind: 'DeliveryRequested',
    deliveryId: `${spec.runId}-d1`,
    channel: 'TaskStatus',
    target: `${spec.task.namespace}/${spec.task.name}`,
    body,
  });
  push(draft, { kind: 'ArchiveRequested', summary: concluded.summary });
}

function closeWhenDone(draft: Draft): void {
  const { pendingDelivery, pendingArchive, concluded } = draft.state;
  if (pendingDelivery !== undefined || pendingArchive || concluded === undefined) return;
  push(draft, { kind: 'RunClosed', outcome: concluded.outcome });
}

function cycleSpec(state: RunState, role: 'Executor' | 'Validator', input: string): CycleSpec {
  const { spec } = state;
  const part = role === 'Executor' ? spec.executor : spec.validator;
  return {
    cycleId: `${spec.runId}-${role === 'Executor' ? 'c1' : 'v1'}`,
    runId: spec.runId,
    role,
    autonomous: spec.autonomous,
    ...part,
    limits: remainingLimits(state, part.limits),
    input,
    ...(role === 'Validator' ? { structured: 'Verdicts' as const } : {}),
  };
}

function push(draft: Draft, event: RunDecision): void {
  draft.events.push(event);
  draft.state = evolveRun(draft.state, event);
}

function mutable(judgement: ReturnType<typeof judgeCriteria>): Omit<RunEventOf<'VerdictsJudged'>, 'kind'> {
  return { criteria: [...judgement.criteria], corrections: [...judgement.corrections] };
}
