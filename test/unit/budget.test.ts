import { describe, expect } from 'vitest';
import { promptTokens } from '@retainer/mind/assemble/request-size';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { totalTokens } from '@retainer/mind/cycle/state';
import { BusUnavailableError, type Publisher } from '@retainer/agent-pod/bus/bus';
import type { BudgetCaps } from '@retainer/mind/gate/budget/budget';
import type { Gate } from '@retainer/mind/gate/gate';
import type { JournalRecord } from '@retainer/journal/journal';
import { foldRecord } from '@retainer/agent-pod/loop/fold-record';
import { Oversight } from '@retainer/agent-pod/loop/oversight';
import { Projections } from '@retainer/mind/projections/projections';
import type { RunSpec } from '@retainer/mind/run/event';
import type { AgentRuntime } from '@retainer/agent-pod/loop/agent-runtime';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { makeRuntime, unlimited, unobserved, World } from '../support/crash-world.ts';
import { cycleSpec } from '../support/cycles.ts';
import { greedyModel } from '../support/greedy-model.ts';
import { DOUBTFUL } from '../support/gate-inquiries.ts';
import { manualClock, type ManualClock } from '../support/manual-clock.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { runSpec, type RolePart } from '../support/runs.ts';
import { gates, scoredConfig } from '../support/scored-cycle.ts';
import { Seeded } from '../support/seeded.ts';
import { verifies } from '../verifies.ts';

const KILLS = 20;

/** Far above what the budget allows: nothing else ends these runs. */
const limits = {
  ...cycleSpec().limits,
  turns: 200,
  toolCalls: 1000,
  tokens: 1_000_000,
  contextTokens: 100_000,
  wallClockMs: 600_000,
};
const HOUR_MS = 3_600_000;

interface Life {
  readonly journal: MemoryJournal;
  readonly runtime: AgentRuntime;
  readonly world: World;
  readonly clock: ManualClock;
}

interface Setting {
  readonly model: ModelPort;
  readonly budgets: Partial<BudgetCaps>;
  readonly records?: readonly JournalRecord[];
  readonly clock?: ManualClock;
  readonly bus?: Publisher;
  readonly gate?: Gate;
}

function live({ model, budgets, bus, gate, records = [], clock = manualClock() }: Setting): Life {
  const journal = new MemoryJournal(records);
  const world = new World();
  // What a killed process still does fails at its journal; that is no fault of the next one.
  const onFault = (): void => undefined;
  const surroundings = {
    journal,
    world,
    model,
    clock,
    onFault,
    ...(bus === undefined ? {} : { bus }),
    ...(gate === undefined ? {} : { gate }),
  };
  const runtime = makeRuntime({ ...surroundings, oversight: { budgets: { ...unlimited, ...budgets } } });
  return { journal, runtime, world, clock };
}

async function submit({ runtime }: Life, runId: string, changed: Partial<RunSpec & RolePart> = {}): Promise<void> {
  const { limits: own = limits, ...origin } = changed;
  const task = { namespace: 'default', name: runId };
  const spec = runSpec({ runId, task, ...origin }, ['look', 'change'], { limits: own });
  await runtime.accept(`task:${runId}`, 'test', { type: 'StartRun', spec });
}

function outcomeOf({ world }: Life): { readonly outcome: string; readonly reasons: string } | undefined {
  const [delivery] = world.deliveries;
  return delivery && { outcome: delivery.body.outcome, reasons: String(delivery.body['reasons']) };
}

function countOf(records: readonly JournalRecord[], kind: string): number {
  return records.filter((it) => it.kind === kind).length;
}

describe('an agent whose model always wants one more call', () => {
  verifies(
    'budget:ends-the-run',
    'stops at the budget, says which one and when it goes on, and blames no approach',
    async () => {
      const model = greedyModel();
      const life = live({ model, budgets: { tokensPerHour: 20_000 } });
      await life.runtime.start();
      await submit(life, 'a');
      await life.runtime.closed('a');
      expect(outcomeOf(life)).toMatchObject({ outcome: 'Abandoned' });
      expect(outcomeOf(life)?.reasons).toMatch(
        /budgets\.tokensPerHour of the Agent is 20000.*try again at 2030-01-01T01:01:00/,
      );
      expect(model.usedTokens).toBeLessThanOrEqual(20_000);
      expect(model.usedTokens).toBeGreaterThan(18_000);
      expect(countOf(life.journal.records, 'MegramWritten')).toBe(0);
      expect(life.journal.records.findLast((it) => it.kind === 'LimitReached')?.payload).toMatchObject({
        limit: 'budgets.tokensPerHour',
        max: 20_000,
      });
      await life.runtime.stop();
    },
  );

  verifies(
    'budget:ends-the-run',
    'stops at the budget where a gate would have had to ask, and is not refused',
    async () => {
      const model = greedyModel();
      const life = live({ model, budgets: { tokensPerHour: 3000 }, gate: scoredConfig.gate });
      await life.runtime.start();
      const spec = runSpec({ runId: 'a', intent: DOUBTFUL, input: DOUBTFUL, gates }, ['look'], { limits });
      await life.runtime.accept('task:a', 'test', { type: 'StartRun', spec });
      await life.runtime.closed('a');
      expect(outcomeOf(life)).toMatchObject({ outcome: 'Abandoned' });
      expect(outcomeOf(life)?.reasons).toMatch(/budgets\.tokensPerHour of the Agent is 3000.*this call may take/);
      expect(model.calls.map(({ callId }) => callId.replace(/.*-/, ''))).toEqual(['hijack', 'leakage']);
      await life.runtime.stop();
    },
  );

  verifies('budget:time-windows', 'is refused within the hour, and works again after it', async () => {
    const model = greedyModel();
    const life = live({ model, budgets: { tokensPerHour: 20_000 } });
    await life.runtime.start();
    await submit(life, 'a');
    await life.runtime.closed('a');
    const { length } = model.calls;
    life.clock.advance(HOUR_MS / 2);
    await submit(life, 'b');
    expect((await life.runtime.closed('b')).concluded?.outcome).toBe('Abandoned');
    expect(model.usedTokens).toBeLessThanOrEqual(20_000);
    life.clock.advance(2 * HOUR_MS);
    await submit(life, 'c');
    await life.runtime.closed('c');
    expect(model.calls.length).toBeGreaterThan(length * 1.5);
    await life.runtime.stop();
  });

  verifies('budget:checked-before-the-call', 'answers tool calls beyond the day’s with the reason', async () => {
    const model = greedyModel();
    const life = live({ model, budgets: { toolCallsPerDay: 5 } });
    await life.runtime.start();
    await submit(life, 'a');
    await life.runtime.closed('a');
    expect(life.world.effects.size).toBe(5);
    const refused = life.journal.records.filter((it) => JSON.stringify(it.payload).includes('"text":"[budget]'));
    expect(refused[0]?.payload).toMatchObject({ outcome: { status: 'Error' } });
    await life.runtime.stop();
  });

  verifies(
    'budget:survives-kill',
    `killed ${KILLS} times in the middle: its counters stand each time, and the whole stays within the budget`,
    async () => {
      const seeded = new Seeded(27);
      const model = greedyModel();
      const budgets = { tokensPerHour: 60_000 };
      const clock = manualClock();
      let records: readonly JournalRecord[] = [];
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const life = live({ model, budgets, records, clock });
        await life.runtime.start();
        await submit(life, 'a');
        const length = records.length + 1 + seeded.below(8);
        while (life.journal.records.length < length) await Promise.resolve();
        records = life.journal.records.slice();
        life.journal.mode = 'Degraded';
        await life.runtime.stop();
        const used = model.usedTokens;
        const next = live({ model: silentModel(), budgets, records, clock });
        await next.runtime.start();
        const [level] = next.runtime.budgets();
        // A call whose result was lost counts with all that it may have used; the greedy model uses all of it.
        expect(level?.used, `kill ${kill}`).toBe(recordedTokens(next.journal.records));
        expect(level?.used, `kill ${kill}`).toBeGreaterThanOrEqual(used);
        await next.runtime.stop();
        clock.advance(1000);
      }
      expect(countOf(records, 'RunClosed')).toBe(0);
      const last = live({ model, budgets, records, clock });
      await last.runtime.start();
      await last.runtime.closed('a');
      expect(outcomeOf(last)?.outcome).toBe('Abandoned');
      expect(model.usedTokens).toBeLessThanOrEqual(budgets.tokensPerHour);
      await last.runtime.stop();
    },
  );

  verifies(
    'budget:survives-kill',
    'goes over by no more than one call where the provider counts more than was estimated',
    async () => {
      for (const promptFactor of [1.2, 2, 4]) {
        const model = greedyModel(promptFactor);
        const life = live({ model, budgets: { tokensPerDay: 30_000 } });
        await life.runtime.start();
        await submit(life, 'a');
        await life.runtime.closed('a');
        expect(model.usedTokens - 30_000, `factor ${promptFactor}`).toBeLessThanOrEqual(largest(model.calls));
        await life.runtime.stop();
      }
    },
  );

  verifies('budget:side-by-side', 'runs side by side never exceed it together', async () => {
    const model = greedyModel();
    const life = live({ model, budgets: { tokensPerDay: 25_000 } });
    await life.runtime.start();
    const runIds = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(runIds.map((runId) => submit(life, runId)));
    const ended = await Promise.all(runIds.map((runId) => life.runtime.closed(runId)));
    expect(ended.map((it) => it.concluded?.outcome)).toEqual(runIds.map(() => 'Abandoned'));
    expect(model.usedTokens).toBeLessThanOrEqual(25_000);
    await life.runtime.stop();
  });
});

describe('the kill switch', () => {
  verifies('budget:kill-switch', 'ends a run whose model never answers, with the bus down', async () => {
    let asked = 0;
    const silent = silentModel();
    const model: ModelPort = { ...silent, infer: (...call) => ((asked += 1), silent.infer(...call)) };
    const life = live({ model, budgets: {}, bus: downBus });
    await life.runtime.start();
    await submit(life, 'a');
    await passed(life, () => asked === 1);
    const command = { type: 'CancelRun', runId: 'a', by: 'ann', reason: 'enough' } as const;
    expect(await life.runtime.accept('cancel:a', 'test', command)).toBe(true);
    const cancelledAtMs = life.clock.nowMs();
    await passed(life, () => life.world.deliveries.length > 0);
    expect(outcomeOf(life)).toEqual({ outcome: 'Cancelled', reasons: 'cancelled by ann: enough' });
    // Nothing waits for the bus, nor for a time limit of the model or of the run.
    expect(life.clock.nowMs() - cancelledAtMs).toBeLessThanOrEqual(10_000);
    expect(asked).toBe(1);
    await life.runtime.stop();
  });
});

/** Levels are of budgets with a limit. */
const unlimitedOwn: BudgetCaps = { ...unlimited, schedulerTokensPerHour: 1_000_000 };

const ofJob = {
  cause: { kind: 'Job', jobId: 'j', momentMs: 0, maker: 'Agent' },
  replyTo: { channel: 'Notice', target: 'ann' },
  conversation: 'job/j',
} as const;

describe('a run that no Task asked for', () => {
  const rows: readonly (readonly [Partial<BudgetCaps>, RegExp, string])[] = [
    [
      { schedulerTokensPerHour: 20_000 },
      /spec\.scheduler\.tokensPerHour of the Agent is 20000.*try again at 2030-01-01T01:01:00/,
      'spec.scheduler.tokensPerHour',
    ],
    [
      { schedulerCyclesPerHour: 1 },
      /spec\.scheduler\.cyclesPerHour of the Agent is 1, and 1 such cycles .*try again at 2030-01-01T01:01:00/,
      'spec.scheduler.cyclesPerHour',
    ],
    [
      { schedulerCyclesPerHour: 0 },
      /spec\.scheduler\.cyclesPerHour of the Agent is 0.*raise spec\.scheduler\.cyclesPerHour/,
      'spec.scheduler.cyclesPerHour',
    ],
  ];
  for (const [budgets, told, limit] of rows)
    verifies('cause:own-time-budget', `ends with an outcome that names ${JSON.stringify(budgets)}`, async () => {
      const model = greedyModel();
      const life = live({ model, budgets });
      await life.runtime.start();
      await submit(life, 'job', ofJob);
      await life.runtime.closed('job');
      expect(outcomeOf(life)).toMatchObject({ outcome: 'Abandoned' });
      expect(outcomeOf(life)?.reasons).toMatch(told);
      expect(life.journal.records.findLast((it) => it.kind === 'LimitReached')?.payload).toMatchObject({ limit });
      const asked = new Set(model.calls.map(({ callId }) => callId.replace(/-q\d+$/, '')));
      expect(asked.size).toBeLessThanOrEqual(budgets.schedulerCyclesPerHour ?? Infinity);
      expect(model.usedTokens).toBeLessThanOrEqual(budgets.schedulerTokensPerHour ?? Infinity);
      const free = life.runtime.ownTimeWait()?.freeAtMs;
      expect(free).toBe(budgets.schedulerCyclesPerHour === 0 ? 'Never' : Date.UTC(2030, 0, 1, 1, 1));
      // A Task beside it has the budgets of all work, and no other.
      const before = model.calls.length;
      const { clock, journal } = life;
      await submit(life, 'task', { limits: { ...limits, turns: 3 } });
      await life.runtime.closed('task');
      expect(model.calls.length).toBeGreaterThan(before + 1);
      expect(journal.records.filter((it) => it.kind === 'LimitReached' && it.runId === 'task')).not.toContainEqual(
        expect.objectContaining({ payload: expect.objectContaining({ limit }) }),
      );
      if (typeof free === 'number') clock.advance(free - clock.nowMs());
      expect(life.runtime.ownTimeWait()?.freeAtMs).toBe(free === 'Never' ? 'Never' : undefined);
      await life.runtime.stop();
    });

  verifies(
    'cause:own-time-budget',
    'is counted from every prefix of the record as if nobody had been killed',
    async () => {
      const model = greedyModel();
      const life = live({ model, budgets: { schedulerTokensPerHour: 40_000 } });
      await life.runtime.start();
      await submit(life, 'task', { limits: { ...limits, turns: 3 } });
      await submit(life, 'job', ofJob);
      await Promise.all(['task', 'job'].map((runId) => life.runtime.closed(runId)));
      await life.runtime.stop();
      const { records } = life.journal;
      const counts = new Set<number>();
      for (let length = 0; length <= records.length; length += 1) {
        const prefix = records.slice(0, length);
        const ofJobs = prefix.filter((it) => it.runId === 'job' && it.store === 'cycle');
        const refused = new Set(
          ofJobs.flatMap(({ kind, payload }) => (kind === 'ModelFailed' ? [callIdIn(payload)] : [])),
        );
        const own = ofJobs.filter(({ payload }) => !refused.has(callIdIn(payload)));
        const oversight = new Oversight(
          { ...unobserved, budgets: unlimitedOwn },
          () => 0,
          () => undefined,
        );
        await foldRecord(
          new MemoryJournal(prefix),
          new Projections({ oversight: oversight.projection }),
          life.clock.nowMs(),
        );
        const used = Object.fromEntries(oversight.budgets(life.clock.nowMs()).map((it) => [it.field, it.used]));
        const cycles = new Set(own.filter((it) => it.kind === 'ModelRequested').map(({ cycleId }) => cycleId)).size;
        expect(used, `of ${length} records`).toEqual({
          schedulerCyclesPerHour: cycles,
          schedulerTokensPerHour: recordedTokens(own),
        });
        counts.add(recordedTokens(own));
      }
      expect(counts.size).toBeGreaterThan(5);
    },
  );
});

/** It takes nothing. */
const downBus: Publisher = {
  publish: ({ id }) => Promise.reject(new BusUnavailableError(id, 'it is down')),
  close: () => Promise.resolve(),
};

/** Lets the time pass, second by second, until it holds. */
async function passed({ clock }: Life, holds: () => boolean): Promise<void> {
  for (let seconds = 0; seconds < 60 && !holds(); seconds += 1) {
    clock.advance(1000);
    for (let ticks = 0; ticks < 20; ticks += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

const callIdIn = (payload: unknown): unknown => (payload as { readonly callId?: unknown }).callId ?? 'none';

/** By the record alone: what was answered, and for every other call what it might have used. */
function recordedTokens(records: readonly JournalRecord[]): number {
  const answered = new Map(
    records
      .filter((it) => it.kind === 'ModelAnswered')
      .map((it) => it.payload as unknown as Extract<CycleEvent, { kind: 'ModelAnswered' }>)
      .map(({ callId, answer }) => [callId, totalTokens(answer.usage)]),
  );
  return records
    .filter((it) => it.kind === 'ModelRequested')
    .map((it) => it.payload as unknown as Extract<CycleEvent, { kind: 'ModelRequested' }>)
    .reduce(
      (sum, { callId, request }) => sum + (answered.get(callId) ?? promptTokens(request) + request.maxOutputTokens),
      0,
    );
}

function largest(calls: readonly { readonly tokens: number }[]): number {
  return Math.max(...calls.map(({ tokens }) => tokens));
}

/** Nobody answers: what was in flight stays so. */
function silentModel(): ModelPort {
  return { name: 'silent', infer: () => new Promise(() => undefined) };
}
