/**
 * The end of a run for people: the Steerer's last message becomes an outcome, then one delivery, unless nothing is new, and one entry of the narrative.
 */
import { eachOnce } from '@retainer/contract/std/said-once';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { missingTools } from '../parts/jobs/end-of-run.ts';
import { isGoodEnd } from '../parts/jobs/jobs.ts';
import { approvalBreaker } from './approval-breaker.ts';
import { deliverable } from './delivered.ts';
import type { RoleContext } from './role-context.ts';
import type { CriterionVerdict, RunEventOf, RunOutcome } from './event.ts';
import { fallbackNote, fallbacksOf } from './fall-back.ts';
import { reportText } from './report.ts';
import type { FinalResult } from './roles/steerer.ts';
import { endings } from './steer/wording.ts';
import { callsOf, received, roundOf, sent, unendedRoleCycles, type RunState } from './state.ts';
import { isUnchanged } from './unchanged.ts';
import { UNSUPPORTED_MARK, UNSUPPORTED_MAX } from './verdict/fabrication.ts';

/** Longest summary in a status, in characters. Source: design 3 (4 KiB). */
const SUMMARY_CHARACTERS_MAX = 4000;

/** Accepted needs the directive Accept and a proven criterion of the people. Source: design 7 (outcomes). */
function outcomeOf(state: RunState, final: FinalResult): RunOutcome {
  if (final.directive === 'Abandon') return endings[final.cause ?? 'Distance'];
  const ofPeople = final.taskVerdicts.filter((it) => it.index <= state.spec.criteria.length);
  const isProven = final.directive === 'Accept' && ofPeople.some((it) => it.verdict === 'Met');
  return isProven ? 'Accepted' : 'Succeeded';
}

/** Concludes the run when the usage of all its cycles is known. */
export function concludeWhenCounted(roleContext: RoleContext): void {
  if (unendedRoleCycles(roleContext.state).length === 0) concludeRun(roleContext);
}

/** Concludes the run once, and not before the Steerer's final message. */
export function concludeRun(roleContext: RoleContext): void {
  const final = received(roleContext.state, 'FinalResult')[0]?.payload;
  if (final === undefined || roleContext.state.concluded !== undefined) return;
  const { state, known } = roleContext;
  const body = deliverable(state, known, conclusion(state, final), SUMMARY_CHARACTERS_MAX);
  roleContext.record({ kind: 'RunConcluded', ...body });
  const { spec } = state;
  const isUntold = isGoodEnd(body.outcome) && hasCalledAll(state) && isUnchanged(spec.cause, body.summary);
  if (!isUntold)
    roleContext.record({ kind: 'DeliveryRequested', deliveryId: `${spec.runId}-d1`, ...spec.replyTo, body });
  roleContext.record({
    kind: 'ArchiveRequested',
    summary: body.summary,
    ...(isUntold ? { undelivered: 'Unchanged' as const } : {}),
  });
}

/** What its job demands. */
function hasCalledAll(state: RunState): boolean {
  const { cause } = state.spec;
  return cause.kind !== 'Job' || missingTools(cause.requiredTools ?? [], callsOf(state).map(callEnd)).length === 0;
}

const callEnd = ({ tool, status }: ToolCallRecord) => ({ tool, isOk: status === 'Ok' });

function conclusion(state: RunState, final: FinalResult): Omit<RunEventOf<'RunConcluded'>, 'kind'> {
  const outcome = outcomeOf(state, final);
  const refusal = refusalOf(state);
  const reasons = reasonsOf(state, final, outcome);
  const unsupported = unsupportedIn(state, final);
  const fellBack = fallbacksOf(state);
  return {
    outcome,
    summary: summaryOf(final, reasons, fallbackNote(state)),
    reasons,
    criteria: criteriaOf(state, final),
    unmet: [...final.unmet],
    ...(unsupported.length === 0 ? {} : { unsupported }),
    ...(outcome === 'Refused' && refusal !== undefined ? { refusal } : {}),
    files: writtenFiles(state),
    ...(final.fastPath ? {} : { loss: final.loss, gradL: final.gradL }),
    directive: final.directive,
    replans: final.replans,
    partial: final.partial,
    ...(fellBack.length === 0 ? {} : { fellBack }),
    usage: state.usage,
    costUsd: state.costUsd,
    isCostComplete: state.isCostComplete && [...state.roleCycles.values()].every((it) => it.end !== undefined),
    startedAtMs: state.startedAtMs,
    endedAtMs: state.nowMs,
  };
}

/** Each once, as far as the result still says it. */
function unsupportedIn(state: RunState, { output }: FinalResult): string[] {
  const claims = new Set(state.judged.flatMap((it) => it.unsupported));
  return [...claims].filter((it) => output.includes(it + UNSUPPORTED_MARK)).slice(0, UNSUPPORTED_MAX);
}

/** The result, and the planner's report on an abandoned run. */
function summaryOf(final: FinalResult, reasons: readonly string[], note: string): string {
  const result = final.output || reasons.join('; ') || final.summary;
  const report = reportText(final.report, final.summary);
  const rest = report === '' ? note : `\n\n${report}${note}`;
  return result.slice(0, SUMMARY_CHARACTERS_MAX - rest.length) + rest;
}

function reasonsOf(state: RunState, final: FinalResult, outcome: RunOutcome): string[] {
  if (outcome === 'Accepted') return [];
  const rejections = rejectionsOf(state);
  if (outcome === 'Refused' && rejections.length > 0)
    return [...eachOnce(rejections.map((it) => `${it.reason} (rule ${it.rule})`))];
  const [abort] = sent(state, 'TaskAbort');
  if (outcome === 'Cancelled' && abort !== undefined)
    return [`cancelled by ${abort.payload.by}: ${abort.payload.reason}`];
  if (outcome === 'Succeeded' && state.spec.criteria.length === 0)
    return ['the Task names no success criteria, so nothing was verified'];
  return [final.summary];
}

/** The refusal that ended the run. A refused input is bound to the Task's own words. */
function refusalOf(state: RunState): NonNullable<RunEventOf<'RunConcluded'>['refusal']> | undefined {
  const [refusal] = rejectionsOf(state);
  const { wordsDigest } = state.spec;
  return refusal?.gate === 'Input' && wordsDigest !== undefined ? { ...refusal, subjectDigest: wordsDigest } : refusal;
}

function rejectionsOf(state: RunState): readonly NonNullable<RunEventOf<'RunConcluded'>['refusal']>[] {
  const round = roundOf(state);
  const stopped = state.change?.refused ?? approvalBreaker(state);
  if (stopped !== undefined) return [stopped];
  return [...state.roleCycles.values()].flatMap((it) => (it.purpose.round === round ? (it.end?.rejections ?? []) : []));
}

/** The people's criteria and the planner's, with the last verdict on each. */
function criteriaOf(state: RunState, final: FinalResult): CriterionVerdict[] {
  const criteria = sent(state, 'DispatchManifest').at(-1)?.payload.criteria ?? state.spec.criteria;
  return criteria.map(({ text, required }, position) => {
    const index = position + 1;
    const verdict = final.taskVerdicts.find((it) => it.index === index);
    const none = { verdict: 'Unverified' as const, evidence: [], reason: 'the run ended before it was judged' };
    return { ...(verdict ?? none), index, text, required };
  });
}

function writtenFiles(state: RunState): RunEventOf<'RunConcluded'>['files'] {
  const files = callsOf(state).flatMap((it) => it.files);
  return [...new Map(files.map((file) => [file.path, file])).values()];
}
