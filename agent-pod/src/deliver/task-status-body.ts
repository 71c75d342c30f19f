/**
 * Builds the status of a Task, always with all fields of the agent's field manager. Pure.
 *
 * I1  A status fits the schema of Task: longer texts are cut at the end of a character, further list items are dropped.
 * I2  A status is bounded: a summary of 4 KiB and paths on the agent's volume, never a transcript.
 *
 * Source: design 3 (bounded results), 7 (outcomes).
 */
import type { Condition } from '@retainer/contract/api/conditions';
import { RecordId, STATUS_SUMMARY_LENGTH_MAX } from '@retainer/contract/api/fields';
import { requiredUnmetMessage } from '@retainer/contract/api/task-end';
import { isReached, requiredUnmet, type TaskOutcome, type TaskStatus } from '@retainer/contract/api/task-status';
import { printable } from '@retainer/contract/std/printable';
import { beyond } from '@retainer/contract/std/said-once';
import { secondTime } from '@retainer/kube/lease-record';
import type { ApprovalQuestion } from '@retainer/mind/cycle/state';
import { appealOf } from '@retainer/mind/gate/override';
import { effectText, renderEffect } from '@retainer/mind/gate/render-effect';
import type { KnownTools } from '@retainer/mind/gate/tool-facts';
import type { Delivery } from '../ports/ports.ts';
import type { RunEventOf } from '@retainer/mind/run/event';
import { heldBecause, partsText, type Held } from '@retainer/mind/parts/aside/set-aside';
import type { OpenQuestion } from '@retainer/mind/run/state';
import { awaitingApproval } from './awaiting-approval.ts';
import { awaitingModel, type ModelWait } from './awaiting-model.ts';
import { readyAtEnd, type OwnCondition } from './ready-at-end.ts';

export interface RunProgress extends ModelWait {
  readonly runId: string;
  readonly characterDigest: string;
  readonly generation: number | undefined;
  readonly startedAtMs: number;
  readonly isSetAside: boolean;
  readonly held?: Held;
  readonly approvals: readonly ApprovalQuestion[];
  /** Requests for which the Task has an entry with another digest. */
  readonly mistyped: readonly string[];
  /** Requests that the Task has entries for and that this run never made. */
  readonly unasked?: readonly string[];
  /** The last finished round. */
  readonly steered: Pick<RunEventOf<'RoundSteered'>, 'explanation'> | undefined;
  readonly question: OpenQuestion | undefined;
  /** Time of the last answer, milliseconds since 1970; undefined without one. */
  readonly answeredAtMs: number | undefined;
  /** End of the last wait for an approval, milliseconds since 1970; undefined without one. */
  readonly decidedAtMs: number | undefined;
  readonly change?: RunEventOf<'CharacterChanged'>;
}

export type RunResult = Omit<RunEventOf<'RunConcluded'>, 'kind'>;

export interface RunReport {
  readonly task: string;
  readonly runId: string;
  readonly characterDigest: string;
  readonly generation: number | undefined;
  /** The Task's conditions before. */
  readonly before: readonly Condition[];
  readonly result: RunResult;
  readonly resultRef: NonNullable<TaskStatus['resultRef']>;
}

/** The limits of the Task's schema: characters and list items. */
const EFFECT_LENGTH_MAX = 1024;
const AGENT_SAYS_LENGTH_MAX = 512;
const APPEAL_LENGTH_MAX = 512;
const REASON_LENGTH_MAX = 1024;
const CRITERION_REASON_LENGTH_MAX = 512;
const EVIDENCE_MAX = 16;
const ARTIFACTS_MAX = 32;
const CRITERIA_MAX = 64;
const RULE_LENGTH_MAX = 128;
const TOOL_LENGTH_MAX = 128;
const PENDING_APPROVALS_MAX = 20;
const UNSUPPORTED_MAX = 32;
const UNSUPPORTED_LENGTH_MAX = 256;
const QUESTION_LENGTH_MAX = 2048;

/** Bytes of the summary reserved for unmet criteria, so that a long result does not push them out. */
const MISSING_BYTES_MAX = 1024;

/** Losses are rounded to three decimal places. */
const LOSS_DIGITS = 1000;

const REASONS = {
  Accepted: 'Accepted',
  Succeeded: 'Succeeded',
  Abandoned: 'Abandoned',
  Refused: 'Refused',
  Cancelled: 'Cancelled',
  Failed: 'InfrastructureFailed',
} as const satisfies Readonly<Record<TaskOutcome, string>>;

/** The next step for a person, by outcome. Contains no user text: the result is in `summary`. */
const NEXT_STEPS = {
  Accepted: 'every required criterion is proven; the result is in status.summary',
  Succeeded: 'done; the Task names no criteria, so nothing was verified',
  Abandoned: 'abandoned: status.summary says what was reached and what is missing; retainer explain shows every round',
  Refused: 'a gate refused: status.refusal says why, and how to appeal',
  Cancelled: 'cancelled; create a new Task to try again',
  Failed: 'the model, a tool or the runtime failed, not the Task: check the agent, then create a new Task',
} as const satisfies Readonly<Record<TaskOutcome, string>>;

/** The next step for a person. */
const SET_ASIDE =
  'the program failed in this run, and the agent works on without it: a new version tries it again; spec.cancel ends it';

/** For a success with unproven criteria. */
const NEAR_ENOUGH = 'close enough to the goal, but not fully proven: status.criteria shows what is missing';

export function runningStatus(progress: RunProgress, known: KnownTools): TaskStatus {
  const { runId, characterDigest, generation, startedAtMs, approvals, steered, question } = progress;
  const pending = approvals.slice(0, PENDING_APPROVALS_MAX).map((it) => pendingApproval(it, known));
  return {
    conditions: runningConditions(progress).map((condition) => stamped(condition, generation)),
    runId,
    characterDigest,
    acceptedAt: secondTime(startedAtMs),
    startedAt: secondTime(startedAtMs),
    ...(pending.length === 0 ? {} : { pendingApprovals: pending }),
    ...(progress.held === undefined ? {} : { heldUnder: progress.held.to }),
    ...(steered === undefined ? {} : steering(steered.explanation)),
    ...(question === undefined
      ? {}
      : {
          question: {
            id: question.questionId,
            text: cut(question.question, QUESTION_LENGTH_MAX),
            askedAt: secondTime(question.askedAtMs),
          },
        }),
  };
}

function runningConditions(progress: RunProgress): readonly OwnCondition[] {
  const conditions: (OwnCondition | undefined)[] = [
    progress.held !== undefined
      ? { ...HELD, message: heldMessage(progress.held), atMs: progress.startedAtMs }
      : progress.isSetAside
        ? { type: 'Running', status: 'False', reason: 'SetAside', message: SET_ASIDE, atMs: progress.startedAtMs }
        : {
            type: 'Running',
            status: 'True',
            reason: 'Running',
            message: 'the agent works on it',
            atMs: progress.startedAtMs,
          },
    awaitingAnswer(progress),
    awaitingApproval(progress),
    awaitingModel(progress),
    characterChanged(progress),
  ];
  return conditions.filter((it) => it !== undefined);
}

const HELD = { type: 'Running', status: 'False', reason: 'Held' } as const;

export function heldMessage(held: Held): string {
  return `${heldBecause(held)}: set spec.continueUnder to status.heldUnder to let the Task go on, or spec.cancel`;
}

export function changedMessage(change: RunProgress['change']): string {
  const { parts = [], compared } = change ?? {};
  const sums =
    compared === undefined
      ? ''
      : `; ${compared.otherwise} of ${compared.decisions} decisions in the last ${compared.runs} runs would have been otherwise`;
  return `the Task goes on under a character changed${partsText(parts)}${sums}`;
}

function characterChanged({ change }: RunProgress): OwnCondition | undefined {
  if (change === undefined) return undefined;
  const type = 'CharacterChanged';
  return { type, status: 'True', reason: type, message: changedMessage(change), atMs: change.atMs };
}

/** False after the answer; its time is the time at which the run's clock continued. */
function awaitingAnswer({ question, answeredAtMs: atMs }: RunProgress): OwnCondition | undefined {
  const type = 'AwaitingAnswer';
  if (question !== undefined)
    return {
      type,
      status: 'True',
      reason: 'QuestionAsked',
      message: 'the agent has a question: answer status.question in spec.answers',
      atMs: question.askedAtMs,
    };
  return atMs === undefined
    ? undefined
    : { type, status: 'False', reason: 'Running', message: 'no question is open', atMs };
}

export function finalStatus(report: RunReport): TaskStatus {
  const { task, runId, characterDigest, generation, before, result, resultRef } = report;
  const { outcome, endedAtMs, startedAtMs, criteria, refusal, loss, gradL, directive, replans } = result;
  const unmet = outcome === 'Succeeded' ? requiredUnmet(criteria.slice(0, CRITERIA_MAX)) : [];
  const { reason, message } = endOf(result, unmet);
  const end = { status: 'True', reason, message, atMs: endedAtMs } as const;
  const conditions: readonly OwnCondition[] = [
    ...readyAtEnd({ outcome, reason, unmet, atMs: endedAtMs, before }),
    { type: 'Running', status: 'False', reason, message: 'the run has ended', atMs: endedAtMs },
    { type: isReached(outcome) ? 'Complete' : 'Failed', ...end },
  ];
  const artifacts = result.files.flatMap(artifact).slice(0, ARTIFACTS_MAX);
  return {
    conditions: conditions.map((condition) => stamped(condition, generation)),
    outcome,
    summary: summaryOf(result),
    ...(result.unsupported === undefined ? {} : { unsupported: unsupportedOf(result.unsupported) }),
    ...(loss === undefined ? {} : { loss: lossOf(loss) }),
    ...(gradL === undefined ? {} : { gradient: bounded(gradL, -1) }),
    ...(directive === undefined ? {} : { directive }),
    replans,
    criteria: criteria.slice(0, CRITERIA_MAX).map(criterion),
    ...(unmet.length === 0 ? {} : { unmet }),
    ...(refusal === undefined ? {} : { refusal: refusalOf(refusal, task) }),
    usage: {
      inputTokens: result.usage.inputTokens + result.usage.cacheReadTokens + result.usage.cacheWriteTokens,
      outputTokens: result.usage.outputTokens,
      costUsd: result.costUsd,
    },
    resultRef,
    ...(artifacts.length === 0 ? {} : { artifacts }),
    runId,
    characterDigest,
    acceptedAt: secondTime(startedAtMs),
    startedAt: secondTime(startedAtMs),
    finishedAt: secondTime(endedAtMs),
  };
}

/** Reason and message of the condition Complete or Failed. */
function endOf(
  { outcome, partial }: RunResult,
  unmet: readonly number[],
): { readonly reason: string; readonly message: string } {
  if (unmet.length > 0) return { reason: 'RequiredUnmet', message: requiredUnmetMessage(unmet) };
  return { reason: REASONS[outcome], message: outcome === 'Succeeded' && partial ? NEAR_ENOUGH : NEXT_STEPS[outcome] };
}

export function resultOf({ body }: Delivery): RunResult {
  return body as unknown as RunResult;
}

/** Cuts a text to `bytesMax` bytes of UTF-8, at the end of a character, and marks the cut. */
export function cutBytes(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return bytes.toString();
  const mark = ' …';
  let end = bytesMax - Buffer.byteLength(mark);
  // A byte 10xxxxxx continues a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString() + mark;
}

/** Falls back to the reasons if the result is empty. Unmet criteria follow the text of a partial or abandoned run. */
function summaryOf(result: RunResult): string {
  const { outcome, summary, unmet, partial } = result;
  const isShort = outcome === 'Abandoned' || (outcome === 'Succeeded' && partial);
  const list = unmet.map((it) => `- ${it.trim()}`).join('\n');
  const missing = !isShort || unmet.length === 0 ? '' : `\n\nMissing:\n${cutBytes(list, MISSING_BYTES_MAX)}`;
  const text = outcome === 'Abandoned' || outcome === 'Refused' ? reasonFirst(result) : summary;
  const said = text.trim() === '' ? result.reasons.join('; ') : text;
  return cutBytes(said, STATUS_SUMMARY_LENGTH_MAX - Buffer.byteLength(missing)) + missing;
}

/** The reasons, then what the summary adds to them. Without a result, it begins with them. */
function reasonFirst({ summary, reasons }: RunResult): string {
  const why = reasons.join('; ');
  const rest = beyond(summary, reasons);
  if (why === '' || rest === '') return why === '' ? summary : why;
  return rest === summary.trim() ? `${why}\n\nPartial result:\n${rest}` : `${why}\n\n${rest}`;
}

type Steering = Pick<TaskStatus, 'loss' | 'gradient' | 'directive' | 'replans'>;

/** For a round that does not end the run: every failed round causes one replan. */
function steering({ loss, gradL, directive, rounds }: RunEventOf<'RoundSteered'>['explanation']): Steering {
  return { loss: lossOf(loss), gradient: bounded(gradL, -1), directive, replans: rounds };
}

function lossOf({ d, p, omega, l }: NonNullable<RunResult['loss']>): NonNullable<TaskStatus['loss']> {
  return { distance: bounded(d, 0), process: bounded(p, 0), resource: bounded(omega, 0), total: bounded(l, 0) };
}

/** Rounded, and within the bounds of the schema. */
function bounded(value: number, min: number): number {
  // `+ 0` turns −0 into 0.
  return Math.max(min, Math.min(1, Math.round(value * LOSS_DIGITS) / LOSS_DIGITS)) + 0;
}

function criterion(verdict: RunResult['criteria'][number]): NonNullable<TaskStatus['criteria']>[number] {
  const unverified = verdict.verdict === 'Unverified' ? 'Unverified' : undefined;
  const failureClass = verdict.verdict === 'Met' ? undefined : (verdict.failureClass ?? unverified);
  const evidence = verdict.evidence.filter((id) => RecordId.safeParse(id).success).slice(0, EVIDENCE_MAX);
  return {
    index: verdict.index - 1,
    verdict: verdict.verdict,
    ...(failureClass === undefined ? {} : { failureClass }),
    ...(verdict.basis === undefined ? {} : { basis: verdict.basis }),
    ...(verdict.untrusted === true ? { untrusted: true } : {}),
    ...(evidence.length === 0 ? {} : { evidence }),
    reason: cut(verdict.reason, CRITERION_REASON_LENGTH_MAX),
  };
}

function unsupportedOf(claims: readonly string[]): string[] {
  return claims.slice(0, UNSUPPORTED_MAX).map((it) => cut(it, UNSUPPORTED_LENGTH_MAX));
}

function refusalOf(refusal: NonNullable<RunResult['refusal']>, task: string): NonNullable<TaskStatus['refusal']> {
  const { rule, reason, subjectDigest } = refusal;
  return {
    rule: cut(rule, RULE_LENGTH_MAX),
    reason: cut(reason, REASON_LENGTH_MAX),
    ...(subjectDigest === undefined ? {} : { subjectDigest: `sha256:${subjectDigest}` }),
    appeal: cut(appealOf(refusal, task), APPEAL_LENGTH_MAX),
  };
}

function artifact({ path, sizeBytes, sha256 }: RunResult['files'][number]): NonNullable<TaskStatus['artifacts']> {
  const full = `workspace/${path}`;
  return full.length > 1024 ? [] : [{ path: full, digest: `sha256:${sha256}`, sizeBytes }];
}

function pendingApproval(
  request: ApprovalQuestion,
  known: KnownTools,
): NonNullable<TaskStatus['pendingApprovals']>[number] {
  const { requestId, tool, argumentsDigest, effectClass, agentSays, requestedAtMs, expiresAtMs } = request;
  return {
    id: requestId,
    tool: cut(tool, TOOL_LENGTH_MAX),
    argumentsDigest: `sha256:${argumentsDigest}`,
    effectClass,
    effect: cut(
      effectText(renderEffect(known.factsOf(tool), request.input, request), EFFECT_LENGTH_MAX),
      EFFECT_LENGTH_MAX,
    ),
    ...(agentSays === undefined ? {} : { agentSays: cut(printable(agentSays), AGENT_SAYS_LENGTH_MAX) }),
    requestedAt: secondTime(requestedAtMs),
    expiresAt: secondTime(expiresAtMs),
  };
}

function stamped({ atMs, ...condition }: OwnCondition, generation: number | undefined): Condition {
  return {
    ...condition,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime: secondTime(atMs),
  };
}

/** Never leaves half a surrogate pair. */
function cut(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return Buffer.from(text).toString();
  return `${Buffer.from(text.slice(0, lengthMax - 1))
    .toString()
    .replace(/\uFFFD$/, '')}…`;
}
