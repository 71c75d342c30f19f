/**
 * Recomputes verdicts from the record, criterion by criterion: the model proposes, the evidence decides.
 *
 * I1  Every criterion has exactly one verdict, at its own index.
 * I2  A met criterion cites at least one call. Every cited call ran and succeeded, and no answer of a model adds one.
 * I3  What a verifiable criterion names is shown by its evidence; see `bearing.ts`. Then its basis is `Shown`, else `Judged`.
 *
 * Source: artoo A.6 (matched by index, missing is unmet; evidence grounding; unverified).
 */
import type { BusCriterion, CriteriaVerdict, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { ClaimedVerdict } from '../../request/answers/attempt-verdicts.ts';
import type { KnownTools } from '../../gate/tool-facts.ts';
import { redeems, UNSEEN, type RunTrace } from './acts.ts';
import { bearingOf, type Bearing } from './bearing.ts';
import { classOf } from './failure-class.ts';
import { claimHungOn, staleHungOn, unshownFix, unshownReason, type OpenClaims } from './hangs-on.ts';
import { holdsApart } from './shown-spellings.ts';

export interface Judgement {
  readonly verdicts: readonly CriteriaVerdict[];
  /** Faults of the validator's own account, one sentence each; at most `CORRECTIONS_MAX`. */
  readonly corrections: readonly string[];
  /** What to do about criteria that code found unmet, by their index. */
  readonly fixes: ReadonlyMap<number, string>;
}

export interface Question {
  readonly criteria: readonly BusCriterion[];
  readonly claims: readonly ClaimedVerdict[];
  /** Citable calls, in their order. */
  readonly calls: readonly ToolCallRecord[];
  /** Further citable ids: kept results of an earlier round, each with the calls that proved it. */
  readonly proven?: ReadonlyMap<string, readonly ToolCallRecord[]>;
  /** Intents that the criteria belong to. */
  readonly wishes?: readonly string[];
  /** Absent: the calls under judgement are all that is known of the run. */
  readonly trace?: RunTrace;
  /** What the result states and nothing shows. A criterion that hangs on it is not met. */
  readonly open?: OpenClaims;
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
  const fixes = judged.flatMap((it) => (it.fix === undefined ? [] : [[it.verdict.index, it.fix] as const]));
  return {
    verdicts: judged.map((it) => it.verdict),
    corrections: corrections.slice(0, CORRECTIONS_MAX),
    fixes: new Map(fixes),
  };
}

function isIndexOf(index: number, criteria: readonly BusCriterion[]): boolean {
  return Number.isInteger(index) && index >= 1 && index <= criteria.length;
}

interface CriterionJudgement {
  readonly verdict: CriteriaVerdict;
  readonly correction?: string;
  readonly fix?: string;
}

function judgeOne(question: Question, index: number): CriterionJudgement {
  const own = question.claims.filter((it) => it.criterion === index);
  const [only] = own;
  if (only === undefined) return unjudged(index, 'the validator gave no verdict');
  if (own.length > 1) return unjudged(index, `the validator gave ${own.length} verdicts`);
  const reason = only.reason.slice(0, REASON_CHARACTERS);
  if (!only.met) return { verdict: unmet(question, index, reason, only.failureClass) };
  const ids = new Set(only.evidence);
  const bearing = bearingFor(question, index, ids);
  const fault = faultOf(question, ids, bearing);
  if (fault !== undefined) {
    const fix = bearing.kind === 'Missing' ? { fix: bearing.fix } : {};
    return { verdict: unmet(question, index, fault), correction: `criterion ${index}: ${fault}`, ...fix };
  }
  return (
    unshownBy(question, index, reason, bearing) ??
    met(question, index, { bearing, cited: provenBy(question, ids), reason })
  );
}

/** Calls that show what the cited ones do not come first, so that a long list does not push them out. */
function met(
  question: Question,
  index: number,
  { bearing, cited, reason }: { readonly bearing: Bearing; readonly cited: readonly string[]; readonly reason: string },
): CriterionJudgement {
  const by = bearing.kind === 'Shown' ? bearing.by : [];
  const basis = bearing.kind === 'Shown' ? 'Shown' : 'Judged';
  const evidence = [...by, ...cited].slice(0, EVIDENCE_MAX);
  const rests = restOnUntrusted(question, evidence) ? { untrusted: true as const } : {};
  const verdict = { index, verdict: 'Met', basis, ...rests, evidence, reason } as const;
  return by.length === 0
    ? { verdict }
    : { verdict, correction: `criterion ${index}: what it names is shown by ${by.join(', ')}, which was not cited` };
}

function restOnUntrusted({ calls, proven }: Question, evidence: readonly string[]): boolean {
  const ids = new Set(evidence);
  const kept = [...(proven ?? [])].flatMap(([id, shown]) => (ids.has(id) ? shown : []));
  return [...kept, ...calls.filter((it) => ids.has(it.callId))].some((it) => it.untrusted === true);
}

/** What the cited ids stand for may come from an earlier round. */
function bearingFor(question: Question, index: number, ids: ReadonlySet<string>): Bearing {
  const { criteria, calls, wishes = [], trace = { calls, stood: UNSEEN }, known, proven } = question;
  const criterion = criteria[index - 1];
  if (criterion === undefined) return { kind: 'NamesNothing' };
  const kept = [...(proven ?? [])].flatMap(([id, shown]) => (ids.has(id) ? shown : []));
  const cited = new Set([...ids, ...kept.map((it) => it.callId)]);
  return bearingOf({ criterion, wishes, calls: [...kept, ...calls], cited, trace, known });
}

/** What a criterion hangs on and nothing shows speaks against the words of the result, not against how the work was done. */
function unshownBy(
  { criteria, open }: Question,
  index: number,
  reason: string,
  bearing: Bearing,
): CriterionJudgement | undefined {
  const criterion = criteria[index - 1];
  if (criterion === undefined || open === undefined) return undefined;
  // What the state of the files shows of the criterion's own figure, the result may repeat.
  const isTold = ({ text }: { readonly text: string }): boolean =>
    bearing.kind === 'Shown' && holdsApart(criterion.text, text, /[\d.,]/, /\d/);
  const left = { ...open, unsupported: open.unsupported.filter((it) => it.kind !== 'Number' || !isTold(it)) };
  const claim = claimHungOn(criterion, reason, left) ?? staleHungOn(criterion, reason, open);
  return claim && { ...unjudged(index, unshownReason(claim)), fix: unshownFix(claim) };
}

/** A missing or doubled verdict counts as unmet, and so does one on words that nothing shows: the approach is not to blame. */
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
function faultOf(question: Question, ids: ReadonlySet<string>, bearing: Bearing): string | undefined {
  if (provenBy(question, ids).length === 0) return 'the verdict cites no tool call that ran and succeeded';
  if (bearing.kind === 'Missing') return bearing.reason;
  // What is named is shown by calls that succeeded: nothing rests on one that did not.
  const failed = bearing.kind === 'Shown' ? undefined : question.calls.find((it) => restsOn(it, ids, question));
  if (failed !== undefined) {
    return `the verdict rests on call ${failed.callId}, which did not succeed, and nothing after it did the same`;
  }
  return undefined;
}

function provenBy({ calls, proven }: Question, ids: ReadonlySet<string>): readonly string[] {
  const ran = calls.filter((it) => it.status === 'Ok').map((it) => it.callId);
  return [...new Set([...ran, ...(proven?.keys() ?? [])])].filter((id) => ids.has(id));
}

/** Source: artoo A.6. Differs: read from the records' status, and for the calls only that the verdict itself rests on. */
function restsOn(call: ToolCallRecord, ids: ReadonlySet<string>, { calls, known }: Question): boolean {
  if (!ids.has(call.callId) || call.status === 'Ok') return false;
  return !calls.slice(calls.indexOf(call) + 1).some((later) => redeems(later, call, known));
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

/** The attempt as a whole counts for nothing, whatever is said of its criteria. */
export function fallen(
  criteria: readonly BusCriterion[],
  reason: string,
  failureClass: NonNullable<CriteriaVerdict['failureClass']>,
): readonly CriteriaVerdict[] {
  return criteria.map((_, position) => ({ index: position + 1, verdict: 'Unmet', failureClass, evidence: [], reason }));
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
