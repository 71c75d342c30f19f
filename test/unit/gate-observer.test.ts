import { describe, expect } from 'vitest';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { tellRun } from '@retainer/agent-pod/review/tell-records';
import type { JournalRecord } from '@retainer/journal/journal';
import { startOfParts } from '@retainer/mind/parts/derived';
import { createAgentMetrics } from '@retainer/agent-pod/http/agent-metrics';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { scripted } from '../support/agents.ts';
import { makeRuntime, unobserved, World } from '../support/crash-world.ts';
import { manualClock } from '../support/manual-clock.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { oneStepRule, runSpec } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

/** The executor tries what is forbidden, as often as the limits let it. */
const script = String.raw`
version: 1
rules:${oneStepRule}
  - name: forbidden 1
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: change, input: {path: FORBIDDEN, number: 1}}]}
  - name: forbidden 2
    when: {role: executor, turn: 2}
    answer: {calls: [{tool: change, input: {path: FORBIDDEN, number: 2}}]}
  - name: forbidden 3
    when: {role: executor, turn: 3}
    answer: {calls: [{tool: change, input: {path: FORBIDDEN, number: 3}}]}
  - name: done
    when: {role: executor}
    answer: {text: done}
`;

const COOLDOWN_MS = 5000;

/** Far more than any of these scenes needs on a slow machine: a schema is compiled beside the loop. */
const STEPS_MAX = 20_000;

type Started = Extract<CycleEvent, { kind: 'CycleStarted' }>;

class Scene {
  readonly clock = manualClock();
  readonly world = new World();
  journal = new MemoryJournal();
  readonly model: ModelPort;

  constructor(model: ModelPort) {
    this.model = model;
  }

  open(): ReturnType<typeof makeRuntime> {
    const { journal, world, model, clock } = this;
    const observer = { ...unobserved.observer, enabled: true, cooldownMs: COOLDOWN_MS };
    return makeRuntime({ journal, world, model, clock, oversight: { observer }, onFault: () => undefined });
  }

  /** The same record, in a process that knows nothing else. */
  kill(): void {
    const { records } = this.journal;
    this.journal.mode = 'Degraded';
    this.journal = new MemoryJournal(records);
  }

  async until(holds: () => boolean, stepMs: number): Promise<void> {
    for (let steps = 0; steps < STEPS_MAX && !holds(); steps += 1) {
      for (let ticks = 0; ticks < 10; ticks += 1) await new Promise((resolve) => setImmediate(resolve));
      if (!holds()) this.clock.advance(stepMs);
    }
    expect(holds()).toBe(true);
  }

  records(kind: string): readonly JournalRecord[] {
    return this.journal.records.filter((it) => it.kind === kind);
  }
}

function start(runId: string): Parameters<ReturnType<typeof makeRuntime>['accept']> {
  const spec = runSpec({ runId, task: { namespace: 'default', name: runId } }, ['look', 'change']);
  return [`task:${runId}`, 'test', { type: 'StartRun', spec }];
}

/** A run whose executor was refused three times; nothing has begun after it. */
async function refused(): Promise<Scene> {
  const scene = new Scene(await scripted(script));
  const runtime = scene.open();
  await runtime.start();
  await runtime.accept(...start('a'));
  await scene.until(() => scene.records('GatesIntervened').length > 0, 0);
  await runtime.stop();
  scene.kill();
  return scene;
}

describe('the observer of the gates', () => {
  verifies(
    'meta:cooldown-is-a-state',
    'lets the next cycle begin when it has cooled down, in the next process too',
    async () => {
      const scene = await refused();
      const before = scene.records('CycleStarted').length;
      const atMs = scene.clock.nowMs();
      const runtime = scene.open();
      await runtime.start();
      await runtime.accept(...start('b'));
      await scene.until(() => scene.records('CycleStarted').length > before, 500);
      expect(scene.clock.nowMs() - atMs).toBeGreaterThanOrEqual(COOLDOWN_MS);
      expect(scene.clock.nowMs() - atMs).toBeLessThanOrEqual(COOLDOWN_MS + 1000);
      await runtime.stop();
    },
  );

  verifies(
    'meta:cooldown-is-a-state',
    'a run that waits for it can be cancelled, and asks no model any more',
    async () => {
      const scene = await refused();
      const runtime = scene.open();
      await runtime.start();
      const asked = scene.records('ModelAnswered').length;
      await runtime.accept(...start('b'));
      await runtime.accept('cancel:b', 'test', { type: 'CancelRun', runId: 'b', by: 'ann', reason: 'enough' });
      await scene.until(() => scene.world.deliveries.some((it) => it.runId === 'b'), 100);
      expect(scene.world.deliveries.find((it) => it.runId === 'b')?.body.outcome).toBe('Cancelled');
      expect(scene.records('ModelAnswered').filter((it) => it.runId === 'b')).toEqual([]);
      expect(scene.records('ModelAnswered').length).toBeGreaterThanOrEqual(asked);
      await runtime.stop();
    },
  );

  verifies('meta:visible', 'tells what it did in the record, in the story of the run and as a figure', async () => {
    const scene = await refused();
    const [record] = scene.records('GatesIntervened');
    expect(record).toMatchObject({
      store: 'agent',
      runId: 'a',
      payload: { cycleId: 'a-c1', intervention: 'Cooldown', detectors: ['RepeatedRejections'] },
    });
    const story = tellRun(scene.journal.records.filter((it) => it.runId === 'a'));
    expect(story?.steps.map((it) => it.text)).toContain(
      'the observer of the gates, after c1: Cooldown (RepeatedRejections)',
    );
    const metrics = createAgentMetrics({ namespace: 'default', name: 'ada' }, gauges);
    for (const it of scene.journal.records) metrics.count(it);
    expect(await metrics.render()).toMatch(/retainer_agent_gate_interventions_total\{intervention="Cooldown".*\} 1/);
  });

  verifies('meta:survives-kill', 'a tightening that the record names holds in the next process', async () => {
    const scene = new Scene(await scripted(script));
    const runtime = scene.open();
    await runtime.start();
    await runtime.accept(...start('a'));
    await scene.until(() => scene.records('CycleEnded').length > 0, 0);
    await runtime.stop();
    scene.kill();
    // As it was begun while the thresholds were tightened; what led to it is older than what is read.
    const records = scene.journal.records.map((record) =>
      record.kind === 'CycleStarted' ? tightened(record) : record,
    );
    scene.journal = new MemoryJournal(records);
    const next = scene.open();
    await next.start();
    await next.accept(...start('b'));
    await scene.until(() => scene.records('CycleStarted').some((it) => it.runId === 'b'), 100);
    const begun = scene.records('CycleStarted').find((it) => it.runId === 'b')?.payload as unknown as Started;
    expect(begun.spec.tightening).toBeGreaterThanOrEqual(0.7);
    expect(begun.spec.tightening).toBeLessThan(0.71);
    await next.stop();
  });
});

function tightened(record: JournalRecord): JournalRecord {
  const payload = record.payload as unknown as Omit<Started, 'kind'>;
  return { ...record, payload: { ...payload, spec: { ...payload.spec, tightening: 0.7 } } };
}

const gauges = {
  isApiServerReachable: () => true,
  isLeaseHeld: () => true,
  isReady: () => true,
  inboxLength: () => 0,
  openRuns: () => 0,
  runsSetAside: () => 0,
  commandsSetAside: () => 0,
  pendingApprovals: () => 0,
  openQuestions: () => 0,
  jobsStalled: () => 0,
  mailHealth: () => undefined,
  outputRejectionsInRow: () => 0,
  backup: () => undefined,
  known: startOfParts,
  probesUnansweredInRow: () => 0,
  isJournalWritable: () => true,
  budgets: () => [],
  volume: () => Promise.resolve({ totalBytes: 2, freeBytes: 1 }),
};
