import { describe, expect } from 'vitest';
import {
  agentObject,
  condition,
  iso,
  minuteMs,
  observed,
  startMs,
  taskObject,
} from '../../../../test/support/observed-tasks.ts';
import { verifies } from '../../../../test/verifies.ts';
import { END_GRACE_MS, endOf } from './task-end.ts';

const started = { acceptedAt: iso(startMs), startedAt: iso(startMs) };
/** wallClock 5m, watchdogFactor 2. */
const overrunMs = startMs + 10 * minuteMs + END_GRACE_MS;
const suspended = agentObject({
  spec: { suspend: true },
  status: { conditions: [condition('PodReady', 'False', 'Suspended')] },
});
const draining = agentObject({
  spec: { suspend: true },
  status: { conditions: [condition('PodReady', 'False', 'Draining')] },
});
/** Before the operator has said anything of the suspension. */
const justSuspended = agentObject({ spec: { suspend: true } });
const resumed = agentObject({
  status: { conditions: [condition('Suspended', 'False', 'AgentReady', startMs + 60 * minuteMs)] },
});

const podReady = (status: 'True' | 'False', atMs: number) =>
  agentObject({ status: { conditions: [condition('PodReady', status, 'PodNotReady', atMs)] } });

interface Case {
  readonly name: string;
  readonly spec?: object;
  readonly status?: object;
  readonly agents?: readonly ReturnType<typeof agentObject>[];
  readonly nowMs?: number;
  readonly outcome?: string;
  readonly reason?: string;
  readonly wakeAtMs?: number;
}

const cancelled: readonly Case[] = [
  { name: 'cancelled, never accepted', spec: { cancel: true }, outcome: 'Cancelled', reason: 'Cancelled' },
  { name: 'cancelled, accepted by an Agent that lives', spec: { cancel: true }, status: { acceptedAt: iso(startMs) } },
  { name: 'cancelled, its Agent gone', spec: { cancel: true }, status: started, agents: [], outcome: 'Cancelled' },
  {
    name: 'cancelled, its Agent suspended',
    spec: { cancel: true },
    status: started,
    agents: [suspended],
    outcome: 'Cancelled',
  },
  { name: 'cancelled, its Agent still draining', spec: { cancel: true }, status: started, agents: [draining] },
  { name: 'cancelled, its Agent just suspended', spec: { cancel: true }, status: started, agents: [justSuspended] },
  { name: 'a schedule, cancelled', spec: { cancel: true, schedule: { cron: '@daily' } }, outcome: 'Cancelled' },
  { name: 'finished and then cancelled', spec: { cancel: true }, status: { outcome: 'Refused' } },
];

const deadline = { constraints: { deadline: iso(startMs + minuteMs) } };
const timed: readonly Case[] = [
  { name: 'nothing accepted, no deadline' },
  { name: 'before the deadline', spec: deadline, nowMs: startMs + minuteMs - 1, wakeAtMs: startMs + minuteMs },
  {
    name: 'at the deadline, not accepted',
    spec: deadline,
    nowMs: startMs + minuteMs,
    outcome: 'Failed',
    reason: 'DeadlinePassed',
  },
  {
    name: 'at the deadline, accepted: its Agent has a grace',
    spec: deadline,
    status: { acceptedAt: iso(startMs) },
    nowMs: startMs + minuteMs,
    wakeAtMs: startMs + minuteMs + END_GRACE_MS,
  },
  {
    name: 'after deadline and grace, accepted',
    spec: deadline,
    status: { acceptedAt: iso(startMs) },
    nowMs: startMs + minuteMs + END_GRACE_MS,
    outcome: 'Failed',
    reason: 'DeadlinePassed',
  },
  { name: 'accepted, not begun', status: { acceptedAt: iso(startMs) }, nowMs: overrunMs * 2 },
  { name: 'begun, just within its time', status: started, nowMs: overrunMs - 1, wakeAtMs: overrunMs },
  { name: 'begun, out of time', status: started, nowMs: overrunMs, outcome: 'Failed', reason: 'InfrastructureFailed' },
  { name: 'out of time, its Agent gone', status: started, agents: [], nowMs: overrunMs, outcome: 'Failed' },
  {
    name: 'out of time by a larger factor',
    status: started,
    agents: [agentObject({ spec: { control: { watchdogFactor: 10 } } })],
    nowMs: overrunMs,
    wakeAtMs: startMs + 50 * minuteMs + END_GRACE_MS,
  },
  {
    name: 'the nearer of both limits',
    spec: deadline,
    status: started,
    nowMs: startMs,
    wakeAtMs: startMs + minuteMs + END_GRACE_MS,
  },
  { name: 'finished', status: { ...started, outcome: 'Accepted' }, nowMs: overrunMs },
  { name: 'its Agent suspended', status: started, agents: [suspended], nowMs: overrunMs * 2 },
  {
    name: 'its Agent resumed',
    status: started,
    agents: [resumed],
    nowMs: overrunMs,
    wakeAtMs: overrunMs + 60 * minuteMs,
  },
  { name: 'its pod down', status: started, agents: [podReady('False', startMs)], nowMs: overrunMs * 2 },
  {
    name: 'its pod up again',
    status: started,
    agents: [podReady('True', startMs + 60 * minuteMs)],
    nowMs: overrunMs,
    wakeAtMs: overrunMs + 60 * minuteMs,
  },
];

const awaiting = (type: string, status: 'True' | 'False', atMs = startMs): object => ({
  ...started,
  conditions: [condition(type, status, 'QuestionAsked', atMs)],
});
const heldSince = (atMs: number): object => ({ ...started, conditions: [condition('Running', 'False', 'Held', atMs)] });
const asked: readonly Case[] = [
  { name: 'while an answer is awaited', status: awaiting('AwaitingAnswer', 'True'), nowMs: overrunMs * 2 },
  { name: 'while no model can be asked', status: awaiting('AwaitingModel', 'True'), nowMs: overrunMs * 2 },
  { name: 'while it is held', status: heldSince(startMs), nowMs: overrunMs * 2 },
  {
    name: 'after a person let it go on under another character',
    status: awaiting('CharacterChanged', 'True', startMs + 60 * minuteMs),
    nowMs: overrunMs,
    wakeAtMs: overrunMs + 60 * minuteMs,
  },
  { name: 'while an approval is awaited', status: awaiting('AwaitingApproval', 'True'), nowMs: overrunMs * 2 },
  {
    name: 'after the answer the time begins anew',
    status: awaiting('AwaitingAnswer', 'False', startMs + 60 * minuteMs),
    nowMs: overrunMs,
    wakeAtMs: overrunMs + 60 * minuteMs,
  },
  {
    name: 'after the decision too',
    status: awaiting('AwaitingApproval', 'False', startMs + 60 * minuteMs),
    nowMs: overrunMs,
    wakeAtMs: overrunMs + 60 * minuteMs,
  },
  {
    name: 'the deadline runs on',
    spec: deadline,
    status: awaiting('AwaitingAnswer', 'True'),
    nowMs: startMs + minuteMs + END_GRACE_MS,
    outcome: 'Failed',
    reason: 'DeadlinePassed',
  },
];

const check = ({ spec = {}, status, agents, nowMs = startMs, outcome, reason, wakeAtMs }: Case): void => {
  const task = taskObject('a', { spec, ...(status === undefined ? {} : { status }) });
  const decision = endOf(observed(task, agents === undefined ? {} : { agents }), nowMs);
  expect(decision.end?.outcome).toBe(outcome);
  if (reason !== undefined) expect(decision.end?.reason).toBe(reason);
  expect(decision.wakeAtMs).toBe(wakeAtMs);
};

describe('endOf', () => {
  for (const it of [...cancelled, ...timed])
    verifies('operator-task:agent-ends-its-own', `${it.name}: ${it.outcome ?? 'nothing'}`, () => check(it));
  for (const it of asked)
    verifies('operator-task:clock-stands-for-people', `${it.name}: ${it.outcome ?? 'nothing'}`, () => check(it));
});
