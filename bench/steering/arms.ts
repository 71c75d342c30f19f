/**
 * Ways to meet failure, each with the same task, plant, planner and budget: steered, the same plan again, the next plan whatever the
 * reason, and nothing.
 *
 * Every round is played by the real run. Arms but the steered one get one round of it at a time.
 */
import { AgentControl } from '@retainer/contract/api/agent-control';
import type { RunEventOf, RunOutcome, RunSpec } from '@retainer/mind/run/event';
import { totalTokens } from '@retainer/mind/cycle/state';
import type { BusMessageOf } from '@retainer/contract/wire/bus/envelope';
import type { BusMessageType } from '@retainer/contract/wire/bus/roles';
import type { z } from 'zod';
import { criterion } from '../../test/support/run-scenarios.ts';
import { RunWorld } from '../../test/support/run-world.ts';
import { rolePart, runSpec } from '../../test/support/runs.ts';
import { directedPlan, firstPlan, nextPlan, type Step } from './choose-plan.ts';
import { criteriaOf, type SimulatedTask } from './generate-task.ts';
import { Plant } from './plant.ts';
import { newest, simulatedMind, type MindOptions, type Tried } from './simulated-mind.ts';

export const ARMS = ['Steering', 'Retry', 'Next', 'None'] as const;
export type Arm = (typeof ARMS)[number];

export interface Budget {
  readonly tokens: number;
  readonly ms: number;
}

/** What every arm may use. The time is that of the watchdog with the default time budget. */
export const BUDGET: Budget = { tokens: 160_000, ms: 600_000 };

/** What it takes to try one step and to judge it. */
const STEP_TOKENS = 6000;

/** Most tokens of one cycle: some times the usual. */
const CYCLE_TOKENS_MAX = 20_000;

export interface Round {
  readonly steered: RunEventOf<'RoundSteered'>;
  /** The newest attempt at each step. */
  readonly attempts: readonly Tried[];
  /** Of its subtasks: those that were found right. */
  readonly matched: ReadonlySet<string>;
}

export interface ArmResult {
  /** `NearEnough`: a success that says what is missing. */
  readonly outcome: 'Accepted' | 'NearEnough' | 'GivenUp';
  /** It is called done, and a part of it is not. */
  readonly isFalseAccept: boolean;
  readonly rounds: readonly Round[];
  readonly tokens: number;
  readonly elapsedMs: number;
}

export type ControlChange = z.input<typeof AgentControl>;

interface Play extends Pick<MindOptions, 'plant' | 'free'> {
  readonly control: AgentControl;
  readonly budget: Budget;
  readonly plan: (directive: PlanDirective | undefined, last: readonly Step[]) => readonly Step[];
}

type PlanDirective = BusMessageOf<'PlanDirective'>['payload'];

export function playArm(arm: Arm, task: SimulatedTask, change: ControlChange = {}): ArmResult {
  switch (arm) {
    case 'Steering':
      return steer(task, AgentControl.parse(change));
    case 'Retry':
      return repeat(task, { replan: (steps) => steps, free: ['Perceiver', 'Planner'] });
    case 'Next':
      return repeat(task, { replan: nextPlan, free: ['Perceiver'] });
    case 'None':
      return playRound(task, new Plant(task), { steps: firstPlan(task), budget: BUDGET, free: [] });
  }
}

function steer(task: SimulatedTask, control: AgentControl): ArmResult {
  const plan: Play['plan'] = (directive, last) =>
    directive === undefined ? firstPlan(task) : directedPlan(task, last, directive);
  return play(task, { plant: new Plant(task), control, budget: BUDGET, free: [], plan });
}

interface Repetition {
  readonly replan: (steps: readonly Step[], failed: ReadonlySet<string>) => readonly Step[];
  /** Roles that need not think again. */
  readonly free: MindOptions['free'];
}

/** Until it is accepted or the budget is used. */
function repeat(task: SimulatedTask, { replan, free }: Repetition): ArmResult {
  const plant = new Plant(task);
  let steps = firstPlan(task);
  const results = [playRound(task, plant, { steps, budget: BUDGET, free: [] })];
  while (results.at(-1)?.outcome !== 'Accepted' && isEnough(left(results))) {
    const failed = (results.at(-1)?.rounds ?? []).flatMap(({ attempts, matched }) =>
      attempts.filter((it) => !matched.has(it.subtaskId)),
    );
    steps = replan(steps, new Set(failed.map((it) => it.step.part.name)));
    results.push(playRound(task, plant, { steps, budget: left(results), free }));
  }
  return joined(results);
}

/** The real run without a second plan. */
function playRound(
  task: SimulatedTask,
  plant: Plant,
  {
    steps,
    budget,
    free,
  }: { readonly steps: readonly Step[]; readonly budget: Budget; readonly free: MindOptions['free'] },
): ArmResult {
  return play(task, { plant, control: AgentControl.parse({ maxReplans: 0 }), budget, free, plan: () => steps });
}

function left(results: readonly ArmResult[]): Budget {
  return {
    tokens: BUDGET.tokens - sum(results.map((it) => it.tokens)),
    ms: BUDGET.ms - sum(results.map((it) => it.elapsedMs)),
  };
}

/** Whether one more step can be tried and judged. */
function isEnough({ tokens, ms }: Budget): boolean {
  return tokens >= STEP_TOKENS && ms > 0;
}

function joined(results: readonly ArmResult[]): ArmResult {
  return {
    outcome: results.at(-1)?.outcome ?? 'GivenUp',
    isFalseAccept: results.some((it) => it.isFalseAccept),
    rounds: results.flatMap((it) => it.rounds),
    tokens: sum(results.map((it) => it.tokens)),
    elapsedMs: sum(results.map((it) => it.elapsedMs)),
  };
}

function play(task: SimulatedTask, { plant, control, budget, free, plan }: Play): ArmResult {
  const messages = <T extends BusMessageType>(type: T): readonly BusMessageOf<T>[] =>
    world.messages().flatMap((it) => (it.type === type ? [it as BusMessageOf<T>] : []));
  let steps: readonly Step[] = [];
  const { mind, tried } = simulatedMind({
    task,
    plant,
    free,
    paceRatio: task.paceRatio,
    criteriaCount: task.parts.flatMap(criteriaOf).length,
    plan: () => (steps = plan(messages('PlanDirective').at(-1)?.payload, steps)),
    proven: () => keptIds(messages('DispatchManifest')),
  });
  const world = new RunWorld({ mind, spec: specOf(task, control, budget) });
  world.play();
  const matched = new Set(
    messages('SubTaskOutcome').flatMap(({ payload }) => (payload.status === 'Matched' ? [payload.subtaskId] : [])),
  );
  const rounds = world
    .of('RoundSteered')
    .map((steered) => ({ steered, attempts: attemptsOf(tried, steered.round), matched }));
  const kept = keptIds(messages('DispatchManifest')).flatMap((id) => newest(tried, id) ?? []);
  const { concluded } = world;
  return {
    outcome: outcomes[concluded.outcome] ?? 'GivenUp',
    isFalseAccept:
      concluded.outcome in outcomes &&
      concluded.unmet.length === 0 &&
      !areDone(task, [...kept, ...(rounds.at(-1)?.attempts ?? [])]),
    rounds,
    tokens: totalTokens(world.state.usage),
    elapsedMs: world.nowMs,
  };
}

const outcomes: Readonly<Partial<Record<RunOutcome, ArmResult['outcome']>>> = {
  Accepted: 'Accepted',
  Succeeded: 'NearEnough',
};

function specOf(task: SimulatedTask, control: AgentControl, budget: Budget): RunSpec {
  const tools = [...new Set(task.parts.flatMap((it) => it.candidates.map(({ tool }) => tool)))];
  const part = rolePart();
  const limits = { ...part.limits, tokens: CYCLE_TOKENS_MAX };
  const criteria = task.parts.flatMap(criteriaOf).map((it) => criterion(it));
  return runSpec({ criteria, control, budget: { tokens: budget.tokens }, deadlineMs: budget.ms }, tools, { limits });
}

function attemptsOf(tried: readonly Tried[], round: number): readonly Tried[] {
  const ofRound = tried.filter((it) => it.round === round);
  return ofRound.filter((it) => it === newest(ofRound, it.subtaskId));
}

/** Of the newest plan: what earlier rounds brought and it builds on. */
function keptIds(manifests: readonly BusMessageOf<'DispatchManifest'>[]): readonly string[] {
  return (manifests.at(-1)?.payload.salvage ?? []).map((it) => it.subtaskId);
}

function areDone({ parts }: SimulatedTask, attempts: readonly Tried[]): boolean {
  return parts.every(({ name }) => attempts.some((it) => it.step.part.name === name && it.isRight));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, it) => total + it, 0);
}
