/**
 * The five thinking roles of a simulated run. The executor does what its step says and always claims to have done it; the validator
 * reads what the calls put out, and errs as often as its task says; the meta-validator says yes to everything.
 */
import type { AttemptVerdicts, Merge, Plan } from '@retainer/mind/assemble/role-answers';
import { noUsage } from '@retainer/mind/cycle/state';
import type { CyclePurpose } from '@retainer/mind/run/event';
import type { Blocked, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { call, criterion, perceived } from '../../test/support/run-scenarios.ts';
import type { Mind, Thinking } from '../../test/support/run-world.ts';
import { intentOf, type Step } from './choose-plan.ts';
import { chance } from './chance.ts';
import type { SimulatedTask } from './generate-task.ts';
import { RIGHT_OUTPUT, type Plant } from './plant.ts';

/** One call of an executor. */
export interface Tried {
  readonly subtaskId: string;
  readonly round: number;
  readonly step: Step;
  readonly record: ToolCallRecord;
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
        const attempt = tryStep(options.plant, purpose, { steps, blocked });
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
    sequence: 1,
    intent: intentOf(step),
    context: '',
    criteria: [criterion(step.part.criterion)],
    plannedTools: [step.tool],
  }));
  return { criteria: [], subtasks };
}

/** As the chokepoint does, it refuses what the round may not use. */
function tryStep(
  plant: Plant,
  purpose: CyclePurpose,
  { steps, blocked }: { readonly steps: readonly Step[]; readonly blocked: Blocked | undefined },
): Tried {
  const { subtaskId = '', round } = purpose;
  const step = steps[Number(subtaskId.slice(subtaskId.lastIndexOf('s') + 1)) - 1];
  if (step === undefined) throw new Error(`no step of the plan is ${subtaskId}`);
  const { tool, target } = step;
  const pair = { tool, target, input: JSON.stringify({ query: target }) };
  const isPair = blocked?.pairs?.some((it) => it.tool === tool && it.target === target) === true;
  if (isPair || blocked?.tools.includes(tool) === true || blocked?.targets.includes(target) === true) {
    const refusal = { rule: 'blocked/round', reason: 'it is blocked in this round' };
    return {
      subtaskId,
      round,
      step,
      record: call(purpose, { ...pair, status: 'Unrun', output: '', refusal }),
      isRight: false,
    };
  }
  const { status, output } = plant.call(step);
  const record = call(purpose, { ...pair, status, output });
  return { subtaskId, round, step, record, isRight: output === RIGHT_OUTPUT };
}

export function newest(tried: readonly Tried[], subtaskId: string | undefined): Tried | undefined {
  return tried.findLast((it) => it.subtaskId === subtaskId);
}

/** @param number  of the attempt in the run: the same pair may be judged otherwise another time */
function judge(task: SimulatedTask, attempt: Tried | undefined, number: number): AttemptVerdicts {
  if (attempt !== undefined && saysYes(task, attempt, number)) {
    const met = { criterion: 1, met: true, evidence: [attempt.record.callId], reason: 'the output shows it' };
    return { verdicts: [met], whatWasWrong: '', whatToDo: '' };
  }
  const reason = 'the output is of something else';
  const unmet = { criterion: 1, met: false, failureClass: 'Logical' as const, evidence: [], reason };
  return { verdicts: [unmet], whatWasWrong: reason, whatToDo: 'prove it' };
}

function saysYes({ seed, judge: how }: SimulatedTask, { isRight, step }: Tried, number: number): boolean {
  if (how === undefined) return isRight;
  const errs = chance(seed, 'judge', step.part.name, number) < (isRight ? how.falseNo : how.falseYes);
  return isRight !== errs;
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
