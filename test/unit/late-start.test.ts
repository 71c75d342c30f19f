/** A process starts long after the last one died: what runs waited for with a clock is over, all at once. */
import { AgentControl } from '@retainer/contract/api/agent-control';
import type { JournalRecord } from '@retainer/journal/journal';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { beforeAll, expect } from 'vitest';
import { scripted } from '../support/agents.ts';
import { play, World, worldAt, type Arrival } from '../support/crash-world.ts';
import { cycleSpec } from '../support/cycles.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { citingRule, runSpec } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

/** More than a cycle can do before it hears that it is given up. */
const calls = [1, 2, 3, 4, 5].map(
  (turn) => `
  - name: call ${turn}
    when: {role: executor, turn: ${turn}}
    answer: {calls: [{tool: change, input: ${turn}}]}`,
);

/** Two executors side by side. */
const script = String.raw`
version: 1
rules:${citingRule}
  - name: every task needs a plan
    when: {role: perceiver}
    answer: {text: '<perception><task slug="work" shape="Plan"><intent>Do both.</intent></task></perception>'}
  - name: two steps at once
    when: {role: planner}
    answer: {text: '<plan><subtask sequence="1"><intent>Do one.</intent><criterion>It is done</criterion></subtask><subtask sequence="1"><intent>Do two.</intent><criterion>It is done</criterion></subtask></plan>'}
${calls.join('')}
  - name: done
    when: {role: executor}
    answer: {text: 'It is done.'}
`;

const HOUR_MS = 3_600_000;
const DEADLINE_MS = Date.UTC(2030, 0, 1) + HOUR_MS / 2;
const EXECUTORS = ['r-c1', 'r-c2'];

/** Its cycles have more time than it has, and standing still is no work: only the Task's deadline ends them. */
function startRun(): readonly Arrival[] {
  const limits = { ...cycleSpec().limits, wallClockMs: 10 * HOUR_MS };
  const control = AgentControl.parse({ maxReplans: 0, fastLoop: { maxRetries: 0 } });
  return [
    {
      originId: 'task:work',
      command: { type: 'StartRun', spec: runSpec({ control, deadlineMs: DEADLINE_MS }, ['change'], { limits }) },
    },
  ];
}

const is = (kind: string, cycleId?: string) => (it: JournalRecord) =>
  it.kind === kind && (cycleId === undefined || idOf(it) === cycleId);

/** Of a cycle's record, and of a run's that names one. */
function idOf({ cycleId, payload }: JournalRecord): string | undefined {
  return cycleId ?? (payload as { readonly cycleId?: string }).cycleId;
}

let model: ModelPort;
const whole = new MemoryJournal();
const end = new World();

beforeAll(async () => {
  model = await scripted(script);
  await play(whole, end, model, startRun());
});

/** The record of a process that starts so long after these. */
async function startedLater(prefix: readonly JournalRecord[], downMs: number): Promise<readonly JournalRecord[]> {
  const journal = new MemoryJournal(prefix);
  const world = worldAt(prefix, end, 'DoneAndKnown');
  world.downMs = downMs;
  await play(journal, world, model, []);
  return journal.records;
}

verifies('loop:late-start', 'an hour later, every cycle that the run gives up is cancelled', async () => {
  let together = 0;
  for (let length = 1; length <= whole.records.length; length += 1) {
    const prefix = whole.records.slice(0, length);
    const isBegun = EXECUTORS.every((id) => prefix.some(is('CycleStarted', id)));
    if (!isBegun || prefix.some(is('ToolFinished'))) continue;
    const records = await startedLater(prefix, HOUR_MS);
    const givenUp = records.filter(is('CycleAbandoned')).flatMap((it) => idOf(it) ?? []);
    const ends = givenUp.map((id) => records.find(is('CycleEnded', id))?.payload);
    const cancelled = givenUp.map(() => expect.objectContaining({ outcome: 'Cancelled' }));
    expect(ends, `after ${length} records (${prefix.at(-1)?.kind})`).toEqual(cancelled);
    if (givenUp.length > 1) together += 1;
  }
  expect(together).toBeGreaterThan(0);
});

verifies('loop:late-start', 'what a given-up cycle used is counted before the run is told without it', async () => {
  const cancelled = new MemoryJournal();
  const cancel = { type: 'CancelRun', runId: 'r', by: 'ann', reason: 'enough' } as const;
  await play(cancelled, new World(), model, [...startRun(), { originId: 'cancel:work', command: cancel }]);
  const [givenUp] = cancelled.records.filter(is('CycleAbandoned')).flatMap((it) => idOf(it) ?? []);
  if (givenUp === undefined) throw new Error('no cycle was given up');
  // The process died after the last word was read, before the cycle had written its end.
  const unended = new Set(['CycleCancelled', 'CycleEnded', 'CycleConcluded']);
  const told = cancelled.records.findIndex(is('RunConcluded'));
  const prefix = cancelled.records.slice(0, told).filter((it) => !(unended.has(it.kind) && idOf(it) === givenUp));
  const records = await startedLater(prefix, 60_000);
  expect(records.filter(is('EndsOverdue'))).toEqual([]);
  expect(records.findIndex(is('CycleConcluded', givenUp))).toBeLessThan(records.findIndex(is('RunConcluded')));
  expect(records.filter(is('CycleConcluded', givenUp))).toHaveLength(1);
});
