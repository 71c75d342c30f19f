/**
 * R4b, the MetaValidator: waits for all outcomes of a round, merges them and judges the task as a whole. It reports a
 * failed subtask without asking a model. Doubt counts as no. It never plans, retries or remembers.
 *
 * Source: artoo A.8, A.17. Differs: where one subtask carried exactly the task's criteria, its verdicts are the
 * task's, and no second call is made.
 */
import { maxReplansOf } from '@retainer/contract/api/agent-control';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import type { BusMessageOf } from '@retainer/contract/wire/bus/envelope';
import type { CriteriaVerdict, SubTaskOutcome, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { recordedAnswer } from '../../request/answers.ts';
import { assembleMergeInput } from '../../assemble/merge-input.ts';

import type { RoleContext } from '../role-context.ts';
import { mergedStatements, mergeOutputs } from '../dispatch/merge.ts';
import { isBudgetUsedUp } from '../remaining-limits.ts';
import { elapsedMs, runTraceOf, pendingRoleCycles, received, sent, type RunState, type RoleCycle } from '../state.ts';
import { correctionsIn, gapBeforeMerge, judgeTask, type TaskQuestion } from '../verdict/judge-task.ts';
import type { OpenClaims } from '../verdict/hangs-on.ts';
import { claimsOf, isShownText, unmarkedText } from '../verdict/unsupported.ts';
import { retryLater, type Role } from './role.ts';

export const metaValidator: Role = {
  reads: {
    DispatchManifest: (roleContext, { round, id }) => gate(roleContext, round, id),
    SubTaskOutcome: (roleContext, { round, id }) => gate(roleContext, round, id),
  },
  retry: (roleContext, { purpose }) => merge(roleContext, purpose.round, purpose.causationId),
  concluded: (roleContext, roleCycle, end) => {
    const { purpose, spec } = roleCycle;
    const { round, causationId } = purpose;
    const timesAsked = [...roleContext.state.roleCycles.values()].filter(isOf(round)).length;
    if (retryLater(roleContext, roleCycle, end, timesAsked)) return;
    return conclude(
      roleContext,
      { round, causationId, cycleId: spec.cycleId },
      end.outcome === 'Replied' ? end.value : undefined,
    );
  },
};

/** Judges when all outcomes have arrived. */
function gate(roleContext: RoleContext, round: number, causationId: string): void {
  const { state } = roleContext;
  const [manifest] = received(state, 'DispatchManifest', round);
  if (manifest === undefined || isAnswered(state, round)) return;
  const outcomes = outcomesOf(state, round);
  if (!manifest.payload.subtaskIds.every((id) => outcomes.some((it) => it.subtaskId === id))) return;
  const gap = gapBeforeMerge(questionOf(state, round));
  if (gap !== undefined) return replan(roleContext, { round, causationId }, { gap, taskVerdicts: [] });
  const [only] = outcomes;
  const isWhole = outcomes.length === 1 && canonicalJson(only?.criteria) === canonicalJson(manifest.payload.criteria);
  if (isWhole && only !== undefined && manifest.payload.salvage.length === 0) {
    const { output, verdicts } = only;
    return accept(roleContext, { round, causationId }, { summary: output, output, taskVerdicts: verdicts });
  }
  return merge(roleContext, round, causationId);
}

function merge(roleContext: RoleContext, round: number, causationId: string): void {
  const { state } = roleContext;
  if (isBudgetUsedUp(state)) return conclude(roleContext, { round, causationId }, undefined);
  const { scope, intent } = state.spec;
  const { criteria, outcomes, salvage } = questionOf(state, round);
  const input = assembleMergeInput({
    nowMs: state.nowMs,
    intent,
    ...(scope === undefined ? {} : { scope }),
    criteria,
    outcomes,
    salvage,
  });
  return roleContext.think({ round, causationId }, { input, structured: 'Merge' });
}

function questionOf(state: RunState, round: number): Omit<TaskQuestion, 'open' | 'known'> {
  const { criteria, salvage } = manifestOf(state, round).payload;
  return { criteria, salvage, outcomes: outcomesOf(state, round) };
}

/** The calls of every subtask of the run that matched, by its id. */
function keptCalls(state: RunState): ReadonlyMap<string, readonly ToolCallRecord[]> {
  return new Map(received(state, 'SubTaskOutcome').map(({ payload }) => [payload.subtaskId, payload.calls]));
}

interface Reference {
  readonly round: number;
  readonly causationId: string;
  readonly cycleId?: string;
}

/** @param answer  of the model; undefined when it gave none */
function conclude(roleContext: RoleContext, reference: Reference, answer: unknown): void {
  const { state } = roleContext;
  const question = questionOf(state, reference.round);
  const { known } = roleContext;
  const basis = { wishes: [state.spec.intent], trace: runTraceOf(state), kept: keptCalls(state) };
  const { accepted, verdicts, gap, corrections } = judgeTask(
    { ...question, ...basis, open: openClaims(state, question), known },
    answer,
  );
  roleContext.record({ kind: 'VerdictsJudged', verdicts: [...verdicts], corrections: [...corrections] });
  if (!accepted) return replan(roleContext, reference, { gap, taskVerdicts: verdicts });
  return accept(roleContext, reference, { ...honest(state, question, answer), taskVerdicts: verdicts });
}

/** Of what the subtasks brought: what the model adds to it is not delivered. */
function openClaims(state: RunState, { criteria, outcomes, salvage }: ReturnType<typeof questionOf>): OpenClaims {
  const calls = outcomes.flatMap((it) => it.calls);
  const { input, intent } = state.spec;
  return {
    ...claimsOf(
      unmarkedText(mergedStatements(outcomes, salvage)),
      calls,
      [input, ...salvage.map((it) => it.output)],
      criteria.map((it) => it.text),
    ),
    asked: `${intent} ${input}`,
  };
}

/** The merged text if all its claims are supported, else the outputs, each checked before. Source: artoo A.15 (Law 0). */
function honest(
  state: RunState,
  { outcomes, salvage }: ReturnType<typeof questionOf>,
  answer: unknown,
): { readonly output: string; readonly summary: string } {
  const side = mergeOutputs(outcomes, salvage);
  const merged = recordedAnswer('Merge', answer);
  if (merged === undefined) return { output: side, summary: side };
  const calls = outcomes.flatMap((it) => it.calls);
  const given = [state.spec.input, ...salvage.map((it) => it.output)];
  const isShown = (text: string): boolean => text !== '' && isShownText(text, calls, given);
  const output = isShown(merged.output) ? merged.output : side;
  return { output, summary: isShown(merged.summary) ? merged.summary : output };
}

function accept(
  roleContext: RoleContext,
  reference: Reference,
  merged: { readonly output: string; readonly summary: string; readonly taskVerdicts: readonly CriteriaVerdict[] },
): void {
  const { state } = roleContext;
  const { summary, output, taskVerdicts } = merged;
  roleContext.send(
    'OutcomeSummary',
    {
      summary,
      output,
      elapsedMs: elapsedMs(state),
      outcomes: [...outcomesOf(state, reference.round)],
      taskVerdicts: [...taskVerdicts],
    },
    reference,
  );
}

function replan(
  roleContext: RoleContext,
  reference: Reference,
  { gap, taskVerdicts }: { readonly gap: string; readonly taskVerdicts: readonly CriteriaVerdict[] },
): void {
  const { state } = roleContext;
  const outcomes = outcomesOf(state, reference.round);
  const failedRounds = sent(state, 'ReplanRequest').length + 1;
  roleContext.send(
    'ReplanRequest',
    {
      gapSummary: gap,
      failedSubtasks: outcomes.filter((it) => it.status === 'Failed').map((it) => it.subtaskId),
      corrections: correctionsIn(outcomes),
      elapsedMs: elapsedMs(state),
      outcomes: [...outcomes],
      taskVerdicts: [...taskVerdicts],
      recommendation: failedRounds > maxReplansOf(state.spec.control) ? 'Abandon' : 'Replan',
    },
    reference,
  );
}

function isAnswered(state: RunState, round: number): boolean {
  return (
    sent(state, 'ReplanRequest', round).length > 0 ||
    sent(state, 'OutcomeSummary', round).length > 0 ||
    pendingRoleCycles(state).some(isOf(round)) ||
    [...state.roleCycles.values()].some((it) => it.end !== undefined && isOf(round)(it))
  );
}

function isOf(round: number): (roleCycle: RoleCycle) => boolean {
  return ({ purpose }) => purpose.role === 'MetaValidator' && purpose.round === round;
}

function manifestOf(state: RunState, round: number): BusMessageOf<'DispatchManifest'> {
  const [manifest] = received(state, 'DispatchManifest', round);
  if (manifest === undefined) throw new Error(`round ${round} has no manifest`);
  return manifest;
}

/** In the order of the manifest. Source: artoo A.8 (merge order). */
export function outcomesOf(state: RunState, round: number): readonly SubTaskOutcome[] {
  return received(state, 'SubTaskOutcome', round)
    .map((it) => it.payload)
    .toSorted((a, b) => a.sequence - b.sequence || a.position - b.position);
}
