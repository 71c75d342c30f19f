/**
 * Checks and numbers a planner's plan. Only a plan that passes becomes subtasks.
 *
 * I1  The runtime assigns ids, sequences and positions; no text of a model is in them.
 * I2  The people's criteria come first, unchanged, whatever the planner says.
 *
 * Source: artoo A.4 (ids; blocked tools: rejected once with the reason, then a failed round; no subtasks), A.7 (dense sequences),
 * C (people's criteria may be added to, never taken away; workers).
 */
import { roleName } from '@retainer/contract/api/roles';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { Blocked, BusCriterion, PartAdvice, Salvage, SubTask } from '@retainer/contract/wire/bus/payloads';
import { oneLine } from '../../request/lines.ts';
import { memoriesBehind, type ShownLine } from '../../assemble/constraint-lines.ts';
import { recordedAnswer } from '../../request/answers.ts';
import type { Plan } from '../../request/answers/plan.ts';
import { partKey, partTexts, sameText } from './part-key.ts';

export interface PlanQuestion {
  readonly runId: string;
  readonly round: number;
  readonly taskSlug: string;
  /** The people's criteria, in their order. */
  readonly peopleCriteria: readonly BusCriterion[];
  /** Tools and targets that this round may not use. */
  readonly blocked: Blocked;
  /** How each open part goes on; absent: the whole was advised. */
  readonly parts?: readonly PartAdvice[];
  readonly salvage: readonly Salvage[];
  /** The lines of memory that the planner was shown or, if nobody planned, the worker is shown. */
  readonly advice: readonly ShownLine[];
  /** One step, made without a planner. */
  readonly isUnplanned: boolean;
  readonly maxSubtasks: number;
  /** The possible workers besides the executor, and the tools of each. */
  readonly workers: readonly { readonly name: string; readonly tools: readonly string[] }[];
  /** `planDigest` of the plan that failed in the previous round. */
  readonly lastFailed?: string;
  /** Plans of this round that were already rejected. */
  readonly rejections: number;
}

type Manifest = BusPayload<'DispatchManifest'>;

export type PlanDecision =
  | {
      readonly kind: 'Accepted';
      readonly manifest: Manifest;
      readonly subtasks: readonly SubTask[];
      /** See `planDigest`. */
      readonly digest: string;
    }
  /** The planner may try once more, and learns the reason. */
  | { readonly kind: 'Rejected'; readonly reason: string }
  | { readonly kind: 'Failed'; readonly failure: BusPayload<'PlanFailure'> };

/** Rejections per round that allow another attempt. Source: artoo A.4. */
const REJECTIONS_MAX = 1;

/** The default worker, as `toolName` spells it. */
const EXECUTOR = 'executor';

/** Most criteria of the whole task: a Task's status has room for as many. */
const TASK_CRITERIA_MAX = 64;

/** Most criteria of one subtask: as many as people may give a Task, which may be one step. */
const SUBTASK_CRITERIA_MAX = 32;

/** Most characters of one intent, and of one criterion: as many as a Task's intent may have, which may be one step. */
const TEXT_CHARACTERS_MAX = 8192;

/** Most characters of a worker's text besides its intent: a Task's context, remembered facts and assumptions. */
const CONTEXT_CHARACTERS_MAX = 65_536;

/** @param answer  the planner's answer, parsed; anything else is a failure of the planner */
export function decidePlan(question: PlanQuestion, answer: unknown): PlanDecision {
  const plan = recordedAnswer('Plan', answer);
  if (plan === undefined) return failed('the planner gave no usable plan', 'Infrastructure');
  if (plan.subtasks.length === 0) return failed('the plan has no subtasks', 'Logical');
  const fault = faultOf(plan, question);
  if (fault === undefined) return accepted(question, plan);
  return question.rejections < REJECTIONS_MAX ? { kind: 'Rejected', reason: fault } : failed(fault, 'Logical');
}

function failed(reason: string, failureClass: 'Logical' | 'Infrastructure'): PlanDecision {
  return { kind: 'Failed', failure: { reason, failureClass } };
}

/** A task for one subtask needs no model to plan it. Source: artoo C. */
export function singleStepPlan(intent: string, context: string, peopleCriteria: readonly BusCriterion[]): Plan {
  return {
    criteria: [],
    subtasks: [{ sequence: 1, intent, context, criteria: [...peopleCriteria], plannedTools: [] }],
  };
}

type Check = (plan: Plan, question: PlanQuestion) => string | undefined;

/** Checks in reading order of a plan: its size, its texts, repetitions, forbidden parts. */
const checks: readonly Check[] = [
  ({ subtasks }, { maxSubtasks }) =>
    subtasks.length > maxSubtasks
      ? `the plan has ${subtasks.length} subtasks; make it ${maxSubtasks} at most`
      : undefined,
  ({ subtasks }) => numbered(subtasks, textFault),
  ({ criteria }, { peopleCriteria }) =>
    criteriaFault(criteria, TASK_CRITERIA_MAX - peopleCriteria.length, 'the whole has'),
  ({ subtasks }) => numbered(subtasks, (it) => criteriaFault(it.criteria, SUBTASK_CRITERIA_MAX, 'it has')),
  ({ subtasks }) =>
    numbered(subtasks, (it, at) => {
      const first = subtasks.findIndex((other) => workOf(other) === workOf(it));
      return first < at ? `it asks for the same as subtask ${first + 1}` : undefined;
    }),
  ({ subtasks }, { blocked }) =>
    numbered(subtasks, ({ plannedTools }) => {
      const tool = plannedTools.find((it) => blocked.tools.some((other) => toolName(other) === toolName(it)));
      return tool === undefined ? undefined : `it plans to use ${oneLine(tool)}, which is blocked in this round`;
    }),
  ({ subtasks }, { workers }) => numbered(subtasks, (it) => workerFault(it, workers)),
  (plan, { lastFailed, parts = [] }) =>
    planDigest(plan) === lastFailed && !parts.some((it) => it.directive === 'Retry' || it.directive === 'Refine')
      ? 'this is the plan that failed in the round before; plan differently'
      : undefined,
];

/** Stops at the first fault: a later check may rely on the size that an earlier one has checked. */
function faultOf(plan: Plan, question: PlanQuestion): string | undefined {
  for (const check of checks) {
    const fault = check(plan, question);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

type Planned = Plan['subtasks'][number];

function numbered(
  subtasks: readonly Planned[],
  faultOf: (it: Planned, at: number) => string | undefined,
): string | undefined {
  for (const [at, subtask] of subtasks.entries()) {
    const fault = faultOf(subtask, at);
    if (fault !== undefined) return `subtask ${at + 1}: ${fault}`;
  }
  return undefined;
}

function textFault({ intent, context }: Planned): string | undefined {
  if (intent.trim() === '') return 'it has no intent; say what is to be done';
  if (intent.length > TEXT_CHARACTERS_MAX) return `its intent is longer than ${TEXT_CHARACTERS_MAX} characters`;
  if (context.length > CONTEXT_CHARACTERS_MAX) return `its context is longer than ${CONTEXT_CHARACTERS_MAX} characters`;
  return undefined;
}

function workerFault(planned: Planned, workers: PlanQuestion['workers']): string | undefined {
  const worker = specialistOf(planned);
  if (worker === undefined) return undefined;
  const found = foundIn(workers, worker);
  const names = [EXECUTOR, ...workers.map(({ name }) => roleName(name))].join(', ');
  if (found === undefined) return `there is no worker ${oneLine(worker)}; choose one of: ${names}`;
  const foreign = planned.plannedTools.find((tool) => !found.tools.some((own) => toolName(own) === toolName(tool)));
  return foreign === undefined ? undefined : `the worker ${roleName(found.name)} has no tool ${oneLine(foreign)}`;
}

/** The worker that the plan names, as the model spells it; undefined for the executor. */
function specialistOf({ worker }: Planned): string | undefined {
  return worker === undefined || toolName(worker) === EXECUTOR ? undefined : worker;
}

/** Worker names are compared as tool names are. */
function foundIn(workers: PlanQuestion['workers'], worker: string): PlanQuestion['workers'][number] | undefined {
  return workers.find(({ name }) => toolName(name) === toolName(worker));
}

function criteriaFault(criteria: readonly BusCriterion[], max: number, owner: string): string | undefined {
  if (criteria.length > max) return `${owner} ${criteria.length} criteria; give ${max} at most`;
  if (criteria.some(({ text }) => text.trim() === '')) return `${owner} an empty criterion`;
  const isLong = criteria.some(({ text }) => text.length > TEXT_CHARACTERS_MAX);
  return isLong ? `${owner} a criterion of more than ${TEXT_CHARACTERS_MAX} characters` : undefined;
}

/** One spelling for all variants of a model: `Run-Code`, `run code`, `run_code`. */
export function toolName(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** The requested work, without regard to capitals and blanks. */
function workOf({ intent, context }: Planned): string {
  return canonicalJson([sameText(intent), sameText(context)]);
}

/** 64 hexadecimal digits, equal for the same work in order; capitals, blanks and parallel order do not count. */
export function planDigest(plan: Plan): string {
  const ranks = denseRanks(plan.subtasks.map((it) => it.sequence));
  const subtasks = plan.subtasks
    .map((it, at) =>
      canonicalJson({
        rank: ranks[at] ?? 1,
        work: workOf(it),
        criteria: it.criteria.map(({ text }) => sameText(text)),
        tools: it.plannedTools.map(toolName).toSorted(),
        ...digestOfWorker(it),
      }),
    )
    .toSorted();
  return sha256Hex(canonicalJson(subtasks));
}

function digestOfWorker(planned: Planned): { readonly worker?: string } {
  const worker = specialistOf(planned);
  return worker === undefined ? {} : { worker: toolName(worker) };
}

/** From 1 without gaps, in the order of the numbers. Anything below 1 counts as 1. Source: artoo A.7. */
export function denseRanks(sequences: readonly number[]): readonly number[] {
  const numbers = sequences.map((it) => (it >= 1 ? it : 1));
  const ranks = new Map([...new Set(numbers)].toSorted((a, b) => a - b).map((number, at) => [number, at + 1]));
  return numbers.map((it) => ranks.get(it) ?? 1);
}

function accepted(question: PlanQuestion, plan: Plan): PlanDecision {
  const subtasks = subtasksOf(question, plan);
  return {
    kind: 'Accepted',
    subtasks,
    digest: planDigest(plan),
    manifest: {
      taskSlug: question.taskSlug,
      subtaskIds: subtasks.map((it) => it.subtaskId),
      criteria: taskCriteria(question.peopleCriteria, plan.criteria),
      salvage: [...question.salvage],
      ...memoryOf(question, plan),
      planDigest: planDigest(plan),
    },
  };
}

/** What was shown, and what of it the plan cites: a name that was not shown cites nothing. */
function memoryOf({ advice, isUnplanned }: PlanQuestion, plan: Plan): Pick<Manifest, 'memoryRefs' | 'basedOn'> {
  const memoryRefs = memoriesBehind(advice);
  if (isUnplanned || memoryRefs.length === 0) return { memoryRefs };
  return { memoryRefs, basedOn: memoriesBehind(plan.subtasks.flatMap((it) => citedBy(it, advice))) };
}

function citedBy({ basedOn = [] }: Planned, advice: readonly ShownLine[]): readonly ShownLine[] {
  return advice.filter(({ name }) => basedOn.includes(name));
}

/** Whoever works is shown what the plan cites, and all where nobody planned. */
function adviceFor({ advice, isUnplanned }: PlanQuestion, planned: Planned): Pick<SubTask, 'advice'> {
  const lines = isUnplanned ? advice : citedBy(planned, advice);
  return lines.length === 0 ? {} : { advice: lines.map(({ line }) => line) };
}

/** By sequence, then in the planner's order. */
function subtasksOf(question: PlanQuestion, plan: Plan): readonly SubTask[] {
  const { runId, round, blocked, workers, parts = [] } = question;
  const ranks = denseRanks(plan.subtasks.map((it) => it.sequence));
  return plan.subtasks
    .map((planned, at) => ({ planned, sequence: ranks[at] ?? 1 }))
    .toSorted((a, b) => a.sequence - b.sequence)
    .map(({ planned, sequence }, position) => ({
      subtaskId: `${runId}-r${round}-s${position + 1}`,
      sequence,
      position,
      intent: planned.intent,
      context: planned.context,
      criteria: withoutDoubles(planned.criteria),
      blocked: blockedFor(blocked, planned, parts),
      ...workerOf(planned, workers),
      ...adviceFor(question, planned),
    }));
}

/**
 * A subtask of a known part may not use what failed for that part. One that the run did not know keeps off all of it: a part in
 * other words is no other part.
 */
function blockedFor(blocked: Blocked, planned: Planned, parts: readonly PartAdvice[]): Blocked {
  const key = partKey(partTexts(planned));
  const own = parts.find((it) => partKey(it.criteria) === key);
  return own === undefined ? blocked : { ...blocked, pairs: own.avoid };
}

function workerOf(planned: Planned, workers: PlanQuestion['workers']): Pick<SubTask, 'worker'> {
  const worker = specialistOf(planned);
  const found = worker === undefined ? undefined : foundIn(workers, worker);
  return found === undefined ? {} : { worker: found.name };
}

/** Drops the planner's repetitions of the people's criteria: the people's wording counts. */
function taskCriteria(people: readonly BusCriterion[], planned: readonly BusCriterion[]): BusCriterion[] {
  const said = new Set(people.map(({ text }) => sameText(text)));
  return [...people, ...withoutDoubles(planned).filter(({ text }) => !said.has(sameText(text)))];
}

function withoutDoubles(criteria: readonly BusCriterion[]): BusCriterion[] {
  const texts = criteria.map(({ text }) => sameText(text));
  return criteria.filter((_, at) => texts.indexOf(texts[at] ?? '') === at);
}
