/**
 * The five thinking roles of a simulated run. The executor does what its step says and always claims to have done it; the validator
 * reads what the calls put out, and errs as often as its task says; the meta-validator says yes to everything.
 */
import type { AttemptVerdicts } from '@retainer/mind/request/answers/attempt-verdicts';
import type { Merge } from '@retainer/mind/request/answers/merge';
import type { Plan } from '@retainer/mind/request/answers/plan';
import { noUsage } from '@retainer/mind/cycle/state';
import type { CyclePurpose } from '@retainer/mind/run/event';
import type { Blocked, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { call, criterion, perceived } from '../../test/support/run-scenarios.ts';
import type { Mind, Thinking } from '../../test/support/run-world.ts';
import { intentOf, type Step } from './choose-plan.ts';
import { chance } from './chance.ts';
import { criteriaOf, type Candidate, type Part, type SimulatedTask } from './generate-task.ts';
import type { Plant } from './plant.ts';

/** One call of an executor. */
export interface Tried {
  readonly subtaskId: string;
  readonly round: number;
  readonly step: Step;
  readonly record: ToolCallRecord;
  /** Criteria that it truly shows, the first ones. */
  readonly shows: number;
  readonly isRight: boolean;
}

export interface SimulatedMind {
  readonly mind: Mind;
  /** In the order in which they were made. */
  readonly tried: readonly Tried[];
}

type Role = CyclePurpose['role'];

export interface MindOptions {
  readonly task: SimulatedTask;
  readonly plant: Plant;
  readonly paceRatio: number;
  /** Of the whole task. */
  readonly criteriaCount: number;
  /** Of the round that begins. */
  readonly plan: () => readonly Step[];
  /** Ids of what earlier rounds proved. */
  readonly proven: () => readonly string[];
  /** Roles whose answer is there already: they take neither time nor tokens. */
  readonly free: readonly Role[];
}

/** Tokens and time of one cycle, as models of the middle size take them. */
const usual: Readonly<Record<Role, { readonly tokens: number; readonly ms: number }>> = {
  Perceiver: { tokens: 1000, ms: 3000 },
  Planner: { tokens: 3000, ms: 10_000 },
  Executor: { tokens: 4000, ms: 15_000 },
  AgentValidator: { tokens: 2000, ms: 5000 },
  MetaValidator: { tokens: 2500, ms: 6000 },
};

/** A call that times out takes so much longer. */
const TIME_OUT_MS = 20_000;

export function simulatedMind(options: MindOptions): SimulatedMind {
  const tried: Tried[] = [];
  let steps: readonly Step[] = [];
  const think = (purpose: CyclePurpose, blocked: Blocked | undefined): Thinking => {
    switch (purpose.role) {
      case 'Perceiver':
        return perceived('Plan');
      case 'Planner':
        steps = options.plan();
        return { value: planOf(steps) };
      case 'Executor': {
        const attempt = tryStep(options, purpose, { steps, blocked, before: newest(tried, purpose.subtaskId) });
        tried.push(attempt);
        return { text: 'It is done.', calls: [attempt.record], modelCalls: 2 };
      }
      case 'AgentValidator':
        return { value: judge(options.task, newest(tried, purpose.subtaskId), tried.length) };
      case 'MetaValidator':
        return { value: sayYes(tried, purpose.round, options) };
    }
  };
  const mind: Mind = (purpose, { limits, blocked }) => {
    const { tokens, ms } = usual[purpose.role];
    if (options.free.includes(purpose.role)) return { ...think(purpose, blocked), usage: noUsage, takesMs: 0 };
    if (tokens > limits.tokens)
      return { outcome: 'OutOfBudget', reason: 'the tokens are used up', usage: usageOf(limits.tokens), takesMs: 0 };
    const thinking = think(purpose, blocked);
    const waitedMs = (thinking.calls ?? []).some((it) => it.status === 'TimedOut') ? TIME_OUT_MS : 0;
    return { ...thinking, usage: usageOf(tokens), takesMs: Math.round((ms + waitedMs) * options.paceRatio) };
  };
  return { mind, tried };
}

function usageOf(tokens: number): NonNullable<Thinking['usage']> {
  return { ...noUsage, inputTokens: Math.max(0, tokens) };
}

function planOf(steps: readonly Step[]): Plan {
  const subtasks = steps.map((step) => ({
    sequence: sequenceOf(step.part, steps),
    intent: intentOf(step),
    context: '',
    criteria: criteriaOf(step.part).map((it) => criterion(it)),
    plannedTools: [step.tool],
  }));
  return { criteria: [], subtasks };
}

/** After the part that it builds on, if that is still to be done. */
function sequenceOf({ needs }: Part, steps: readonly Step[]): number {
  const needed = steps.find((it) => it.part.name === needs);
  return needed === undefined ? 1 : 1 + sequenceOf(needed.part, steps);
}

interface Attempting {
  readonly steps: readonly Step[];
  readonly blocked: Blocked | undefined;
  /** Of the same subtask. */
  readonly before: Tried | undefined;
}

/** As the chokepoint does, it refuses what the round may not use. */
function tryStep({ task, plant }: MindOptions, purpose: CyclePurpose, attempting: Attempting): Tried {
  const { subtaskId = '', round } = purpose;
  const { steps, blocked, before } = attempting;
  const planned = steps[Number(subtaskId.slice(subtaskId.lastIndexOf('s') + 1)) - 1];
  if (planned === undefined) throw new Error(`no step of the plan is ${subtaskId}`);
  const step = before === undefined ? planned : corrected(task, before, blocked);
  const { tool, target } = step;
  const pair = { tool, target, input: JSON.stringify({ query: target }) };
  if (isRefused(step, blocked)) {
    const refusal = { rule: 'blocked/round', reason: 'it is blocked in this round' };
    return {
      subtaskId,
      round,
      step,
      record: call(purpose, { ...pair, status: 'Unrun', output: '', refusal }),
      shows: 0,
      isRight: false,
    };
  }
  const { status, output, shows } = plant.call(step);
  const record = call(purpose, { ...pair, status, output });
  return { subtaskId, round, step, record, shows, isRight: shows === criteriaOf(step.part).length };
}

function isRefused({ tool, target }: Candidate, blocked: Blocked | undefined): boolean {
  if (blocked === undefined) return false;
  const isPair = blocked.pairs?.some((it) => it.tool === tool && it.target === target) === true;
  return isPair || blocked.tools.includes(tool) || blocked.targets.includes(target);
}

/** Told that its result is wrong, an executor may try the next way by itself. A time-out asks for the same again. */
function corrected(
  { seed, improves = 0 }: SimulatedTask,
  { step, record, subtaskId }: Tried,
  blocked: Blocked | undefined,
): Step {
  if (record.status === 'TimedOut' || chance(seed, 'improves', subtaskId, record.callId) >= improves) return step;
  const { candidates } = step.part;
  const at = candidates.findIndex((it) => it.tool === step.tool && it.target === step.target);
  const next = [...candidates.slice(at + 1), ...candidates.slice(0, at)].find((it) => !isRefused(it, blocked));
  return { ...step, ...next };
}

export function newest(tried: readonly Tried[], subtaskId: string | undefined): Tried | undefined {
  return tried.findLast((it) => it.subtaskId === subtaskId);
}

/** @param number  of the attempt in the run: the same pair may be judged otherwise another time */
function judge(task: SimulatedTask, attempt: Tried | undefined, number: number): AttemptVerdicts {
  if (attempt === undefined) return { verdicts: [], whatWasWrong: '', whatToDo: '' };
  const { step, record, shows } = attempt;
  const wrong = 'the output is of something else';
  const verdicts = criteriaOf(step.part).map((_, at) => {
    const names = [step.part.name, ...(at === 0 ? [] : [at])];
    return saysYes(task, at < shows, [...names, number])
      ? { criterion: at + 1, met: true, evidence: [record.callId], reason: 'the output shows it' }
      : { criterion: at + 1, met: false, failureClass: 'Logical' as const, evidence: [], reason: wrong };
  });
  const isRight = verdicts.every((it) => it.met);
  return { verdicts, whatWasWrong: isRight ? '' : wrong, whatToDo: isRight ? '' : 'prove it' };
}

function saysYes({ seed, judge: how }: SimulatedTask, isTrue: boolean, names: readonly (string | number)[]): boolean {
  if (how === undefined) return isTrue;
  const errs = chance(seed, 'judge', ...names) < (isTrue ? how.falseNo : how.falseYes);
  return isTrue !== errs;
}

function sayYes(tried: readonly Tried[], round: number, { proven, criteriaCount }: MindOptions): Merge {
  const ids = [...new Set(tried.filter((it) => it.round === round).map((it) => it.subtaskId))];
  const evidence = [...ids.flatMap((id) => newest(tried, id)?.record.callId ?? []), ...proven()];
  const verdicts = Array.from({ length: criteriaCount }, (_, at) => ({
    criterion: at + 1,
    met: true,
    evidence,
    reason: 'yes',
  }));
  return { output: 'All of it is there.', verdicts, summary: 'Done.' };
}
