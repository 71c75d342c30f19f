/** Models that lie in one place and are honest everywhere else, and what must hold of a run whatever they say. */
import { maxReplansOf } from '@retainer/contract/api/agent-control';
import { MESSAGE_CHARS_MAX } from '@retainer/agent-pod/bus/message-text';
import { totalTokens } from '@retainer/mind/cycle/state';
import { deadlineOf } from '@retainer/mind/run/deadline';
import type { ThinkingRole } from '@retainer/contract/api/roles';
import type { CyclePurpose, RunSpec } from '@retainer/mind/run/event';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { expect } from 'vitest';
import { call, criterion, judged, merged, perceived, planned, worked } from './run-scenarios.ts';
import { RunWorld, type Mind, type Thinking } from './run-world.ts';
import { runSpec } from './runs.ts';

export const WORK = 'The work is done';
export const criteria = [criterion(WORK)];

/** What one call of the model in these tests uses, so that a run within its budget is one that stops asking. */
export const TOKENS = 50_000;

export const spec = (change: Partial<RunSpec> = {}): RunSpec =>
  runSpec(
    { criteria, budget: { tokens: TOKENS, toolCalls: 1000 }, onNoAnswer: 'Proceed', answerWaitMs: 1000, ...change },
    ['read_file', 'run_code'],
  );

export const given = (value: unknown): Thinking => ({ value: value as never });

export type Lies = { readonly [R in ThinkingRole]?: Mind };

/** Honest but where it lies. One subtask, unless the perceiver says that it takes a plan. */
export function liar(lies: Lies): Mind {
  const honest: Mind = (purpose) => {
    switch (purpose.role) {
      case 'Perceiver':
        return perceived('SingleStep');
      case 'Planner':
        return planned([`Try ${purpose.round}`]);
      case 'Executor':
        return worked(purpose);
      case 'AgentValidator':
        return judged(purpose, true);
      case 'MetaValidator':
        return merged([`r-r${purpose.round}-s1-a1-t1`]);
    }
  };
  return (purpose, cycle) => (lies[purpose.role] ?? honest)(purpose, cycle);
}

/** Says yes, and rests it on these calls. */
export const yes = (...evidence: readonly string[]): Thinking =>
  given({
    verdicts: [{ criterion: 1, met: true, evidence, reason: 'shown' }],
    whatWasWrong: '',
    whatToDo: '',
  });

export const planOf = (...subtasks: readonly object[]): Thinking =>
  given({
    criteria: [],
    subtasks: subtasks.map((it, at) => ({
      sequence: 1,
      intent: `Step ${at + 1}`,
      context: '',
      criteria: [criterion(`Step ${at + 1} is shown`)],
      plannedTools: [],
      ...it,
    })),
  });

export const takesAPlan: Lies = { Perceiver: () => perceived('Plan') };

/** Whatever happened: one end, in time, within the budget, told so that a person can act on it, and accepted only on evidence. */
export function play(mind: Mind, change: Partial<RunSpec> = {}): RunWorld {
  const admitted = spec(change);
  const world = new RunWorld({ spec: admitted, mind }).play();
  const { concluded, state } = world;
  expect(world.of('RunConcluded')).toHaveLength(1);
  expect(world.messages().filter((it) => it.type === 'FinalResult')).toHaveLength(1);
  expect(world.nowMs).toBeLessThanOrEqual(deadlineOf(state) + 5000);
  expect(concluded.replans).toBeLessThanOrEqual(maxReplansOf(admitted.control));
  expect(totalTokens(state.usage)).toBeLessThanOrEqual(TOKENS);
  if (concluded.outcome === 'Accepted') expectEvidence(world);
  else expect(concluded.reasons.join('').trim()).not.toBe('');
  for (const message of world.messages())
    expect(JSON.stringify(message).length, message.type).toBeLessThanOrEqual(MESSAGE_CHARS_MAX);
  return world;
}

function expectEvidence({ concluded, state }: RunWorld): void {
  const ok = [...state.roleCycles.values()]
    .filter((it) => it.purpose.role === 'Executor')
    .flatMap((it) => it.end?.calls ?? [])
    .filter((it) => it.status === 'Ok')
    .map((it) => it.callId);
  expect(concluded.criteria.some((it) => it.verdict === 'Met')).toBe(true);
  for (const { verdict, required, evidence } of concluded.criteria) {
    if (required) expect(verdict).toBe('Met');
    if (verdict === 'Met') expect(evidence.length).toBeGreaterThan(0);
    for (const id of evidence) expect(ok).toContain(id);
  }
}

export const roleCycles = (world: RunWorld, role: ThinkingRole): number =>
  world.of('CycleRequested').filter((it) => it.purpose.role === role).length;

export interface Lie {
  readonly name: string;
  readonly lies: Lies;
  /** Found in what a person is told. */
  readonly told: RegExp;
  readonly outcome?: string;
  readonly change?: Partial<RunSpec>;
}

/** Never accepted, and what is missing is said. */
export function expectRefusal({ lies, told, outcome = 'Abandoned', change }: Lie): void {
  const { concluded } = play(liar(lies), change);
  const words = [...concluded.reasons, ...concluded.criteria.map((it) => it.reason)].join('; ');
  expect(`${concluded.outcome}: ${words}`).toMatch(new RegExp(`^(${outcome}): `));
  expect(words).toMatch(told);
  expect(concluded.unmet).toContain(WORK);
}

export const failing = (purpose: CyclePurpose, status: ToolCallRecord['status']): Thinking =>
  worked(purpose, { status });
export const own = (purpose: CyclePurpose): string => call(purpose).callId;
