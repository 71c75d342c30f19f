/**
 * Recomputes verdicts from the record, criterion by criterion: the model proposes, the evidence decides.
 *
 * I1  Every criterion has exactly one verdict, at its own index.
 * I2  A met criterion cites at least one call. Every cited call ran and succeeded, and no answer of a model adds one.
 *
 * Source: artoo A.6 (matched by index, missing is unmet; evidence grounding; unverified).
 */
import type { BusCriterion, CriteriaVerdict, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { ClaimedVerdict } from '../../assemble/role-answers.ts';
import { classOf } from './failure-class.ts';
import type { KnownTools } from '../../gate/tool-facts.ts';
import { targetKindOf } from '../../gate/tool-target.ts';

export interface Judgement {
  readonly verdicts: readonly CriteriaVerdict[];
  /** Faults of the validator's own account, one sentence each; at most `CORRECTIONS_MAX`. */
  readonly corrections: readonly string[];
}

export interface Question {
  readonly criteria: readonly BusCriterion[];
  readonly claims: readonly ClaimedVerdict[];
  /** Citable calls, in their order. */
  readonly calls: readonly ToolCallRecord[];
  /** Further citable ids: proofs of an earlier round. */
  readonly proven?: ReadonlySet<string>;
  /** Unsupported claims of the result. With any of them, no criterion is met. */
  readonly unsupported?: readonly string[];
  readonly known: KnownTools;
}

/** Most sentences on a validator's account. A broken account may go on for ever. */
const CORRECTIONS_MAX = 64;

/** Most kept characters of a model's reason. */
const REASON_CHARACTERS = 1000;

/** Most calls that one verdict keeps as its evidence. */
const EVIDENCE_MAX = 32;

export function judgeCriteria(question: Question): Judgement {
  const judged = question.criteria.map((_, position) => judgeOne(question, position + 1));
  const strangers = question.claims
    .filter((it) => !isIndexOf(it.criterion, question.criteria))
    .map((it) => `verdict on criterion ${it.criterion}, which does not exist, was ignored`);
  const corrections = [...strangers, ...judged.flatMap((it) => (it.correction === undefined ? [] : [it.correction]))];
  return { verdicts: judged.map((it) => it.verdict), corrections: corrections.slice(0, CORRECTIONS_MAX) };
}

function isIndexOf(index: number, criteria: readonly BusCriterion[]): boolean {
  return Number.isInteger(index) && index >= 1 && index <= criteria.length;
}

interface CriterionJudgement {
  readonly verdict: CriteriaVerdict;
  readonly correction?: string;
}

function judgeOne(question: Question, index: number): CriterionJudgement {
  const own = question.claims.filter((it) => it.criterion === index);
  const [only] = own;
  if (only === undefined) return unjudged(index, 'the validator gave no verdict');
  if (own.length > 1) return unjudged(index, `the validator gave ${own.length} verdicts`);
  const reason = only.reason.slice(0, REASON_CHARACTERS);
  if (!only.met) return { verdict: unmet(question, index, reason, only.failureClass) };
  const ids = new Set(only.evidence);
  const fault = faultOf(question, ids);
  if (fault !== undefined) {
    return { verdict: unmet(question, index, fault), correction: `criterion ${index}: ${fault}` };
  }
  return { verdict: { index, verdict: 'Met', evidence: provenBy(question, ids).slice(0, EVIDENCE_MAX), reason } };
}

/** A missing or doubled verdict counts as unmet; only the validator is to blame. */
function unjudged(index: number, reason: string): CriterionJudgement {
  return {
    verdict: { index, verdict: 'Unmet', failureClass: 'Unverified', evidence: [], reason },
    correction: `criterion ${index}: ${reason}`,
  };
}

function unmet(
  { calls, known }: Question,
  index: number,
  reason: string,
  claimed?: ClaimedVerdict['failureClass'],
): CriteriaVerdict {
  return { index, verdict: 'Unmet', failureClass: classOf(claimed, reason, calls, known), evidence: [], reason };
}

/** Why a claimed criterion is not met; read from the top. */
function faultOf(question: Question, ids: ReadonlySet<string>): string | undefined {
  if (provenBy(question, ids).length === 0) return 'the verdict cites no tool call that ran and succeeded';
  const failed = question.calls.find((it) => ids.has(it.callId) && it.status !== 'Ok' && !isRedeemed(it, question));
  if (failed !== undefined) {
    return `the verdict rests on call ${failed.callId}, which did not succeed, and nothing after it did the same`;
  }
  const [claim] = question.unsupported ?? [];
  return claim === undefined ? undefined : `the result says ${JSON.stringify(claim)}, which no tool output shows`;
}

function provenBy({ calls, proven }: Question, ids: ReadonlySet<string>): readonly string[] {
  const ran = calls.filter((it) => it.status === 'Ok').map((it) => it.callId);
  return [...new Set([...ran, ...(proven ?? [])])].filter((id) => ids.has(id));
}

/**
 * Whether a failed action was repeated with success. A later look does not count: its finding may be older.
 *
 * Source: artoo A.6 (a later listing does not prove the primary action). Differs: read from the records' status, and for
 * the calls only that the verdict itself rests on.
 */
function isRedeemed(failed: ToolCallRecord, { calls, known }: Question): boolean {
  const after = calls.slice(calls.indexOf(failed) + 1);
  const isAnyTheSame = targetKindOf(known.factsOf(failed.tool)) === 'Command';
  const isSame = (it: ToolCallRecord): boolean => isAnyTheSame || it.target === failed.target;
  return after.some((it) => it.status === 'Ok' && it.tool === failed.tool && isSame(it));
}

/** No call ran that could prove anything, so no model is asked. Source: artoo A.6. */
export function unproven(
  criteria: readonly BusCriterion[],
  calls: readonly ToolCallRecord[],
  known: KnownTools,
): readonly CriteriaVerdict[] {
  const reason = 'no tool call ran and succeeded, so nothing proves it';
  return criteria.map((_, position) => ({
    index: position + 1,
    verdict: 'Unmet',
    failureClass: classOf(undefined, '', calls, known),
    evidence: [],
    reason,
  }));
}

/** Nobody judged, for the given reason. Source: artoo A.6. */
export function unverified(criteria: readonly BusCriterion[], reason: string): readonly CriteriaVerdict[] {
  return criteria.map((_, position) => ({
    index: position + 1,
    verdict: 'Unverified',
    failureClass: 'Unverified',
    evidence: [],
    reason,
  }));
}

export function areRequiredMet(criteria: readonly BusCriterion[], verdicts: readonly CriteriaVerdict[]): boolean {
  return criteria.every((criterion, position) => !criterion.required || verdicts[position]?.verdict === 'Met');
}
