/** How the agent is, through the runtime and its record. */
import { describe, expect } from 'vitest';
import type { JournalRecord } from '@retainer/journal/journal';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import type { AffectMeasured } from '@retainer/mind/parts/affect/affect';
import { affectLine } from '@retainer/mind/parts/affect/affect-line';
import { AFFECT_BASELINE, type measureAffect } from '@retainer/mind/parts/affect/measure';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import type { RunEventOf, RunSpec } from '@retainer/mind/run/event';
import { somewhere } from '../support/selves.ts';
import { scripted, agentDefinition } from '../support/agents.ts';
import { crashLabel } from '../support/crash-labels.ts';
import { crashPoints, makeRuntime, play, unobserved, World, worldAt } from '../support/crash-world.ts';
import { manualClock } from '../support/manual-clock.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { oneStepRule, runSpec } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const working = String.raw`
version: 1
rules:${oneStepRule}
  - name: works
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: change, input: {column: fail}}, {tool: change, input: {column: right}}]}
  - name: worked
    when: {role: executor}
    answer: {text: It is done.}
`;

/** The gate of `cycles.ts` does not let this out. */
const saying = String.raw`
version: 1
rules:${oneStepRule}
  - name: refused
    when: {role: executor}
    answer: {text: FORBIDDEN}
`;

/** By the name of the run, since each request may repeat what earlier runs were about. */
async function playing(): Promise<ModelPort> {
  const [worker, speaker] = [await scripted(working), await scripted(saying)];
  return {
    ...worker,
    infer: (request, options) => (options.callId.startsWith('work') ? worker : speaker).infer(request, options),
  };
}

function specOf(runId: string, input: string): RunSpec {
  return runSpec({ runId, task: { namespace: 'default', name: runId }, intent: input, input }, ['change']);
}

const measuredIn = (records: readonly JournalRecord[]): readonly AffectMeasured[] =>
  records.filter(({ kind }) => kind === 'AffectMeasured').map(({ payload }) => payload as unknown as AffectMeasured);

/** One run after the other, in one process. */
async function live(
  journal: MemoryJournal,
  model: ModelPort,
  inputs: readonly string[],
  more: Partial<Parameters<typeof makeRuntime>[0]> = {},
): Promise<void> {
  const runtime = makeRuntime({ journal, world: new World(), model, ...more });
  await runtime.start();
  const before = journal.records.length;
  for (const [index, input] of inputs.entries()) {
    const runId = `${input}-${before}-${index}`;
    await runtime.accept(`task:${runId}`, 'test', { type: 'StartRun', spec: specOf(runId, input) });
    await runtime.closed(runId);
  }
  await runtime.stop();
}

describe('the measurements', () => {
  verifies('affect:signals', 'count rejected texts and failures in a row, over all runs', async () => {
    const journal = new MemoryJournal();
    const model = await playing();
    await live(journal, model, ['work', 'say', 'say']);
    await live(journal, model, ['say', 'work']);
    const measurements = measuredIn(journal.records);
    expect(measurements.map(({ signals }) => [signals.outputRejectionsInRow, signals.failuresInRow])).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
      [3, 3],
      [0, 3],
    ]);
    expect(measurements.map(({ signals }) => signals.successRate)).toEqual([0.5, 1, 0.5, 1 / 3, 0.25]);
    expect(measurements[0]?.signals).toMatchObject({ toolCalls: 2, toolFailures: 1, retries: 0, gateRejections: 0 });
    expect(measurements[3]?.affect).toMatchObject({ desperation: 100, trend: 'Rising' });
    expect(measurements[4]?.affect).toMatchObject({ trend: 'Falling' });
    const calm = measurements.map(({ affect }) => affect.calm);
    for (const [index, target] of [70, 65, 45, 25, 70].entries())
      expect(calm[index]).toBeCloseTo(0.15 * target + 0.85 * (calm[index - 1] ?? 75), 9);
  });

  verifies('affect:signals', 'are one half where nothing is known, and of the newest twenty', async () => {
    const journal = new MemoryJournal();
    await live(journal, await playing(), [...Array<string>(20).fill('work'), 'say', 'work']);
    const rates = measuredIn(journal.records).map(({ signals }) => signals.successRate);
    expect([rates[0], rates[1], rates[20], rates[21]]).toEqual([0.5, 1, 1, 0.95]);
    const recalled = measuredIn(journal.records).map(({ signals }) => signals.recallRate);
    expect([recalled[0], recalled[1], recalled[20], recalled[21]]).toEqual([0, 0.5, 1, 1]);
  });

  verifies('affect:one-measurement', 'are one for each run without an Executor cycle', async () => {
    const journal = new MemoryJournal();
    await live(journal, await playing(), ['FORBIDDEN', 'work']);
    const measurements = journal.records.filter(({ kind }) => kind === 'AffectMeasured');
    expect(measurements.map(({ cycleId }) => cycleId === undefined)).toEqual([true, false]);
    expect(measuredIn(measurements)[0]?.signals).toMatchObject({ gateRejections: 1, failuresInRow: 1, toolCalls: 0 });
  });

  for (const input of ['work', 'say', 'FORBIDDEN'])
    verifies('affect:one-measurement', `are one after a crash anywhere in a run: ${input}`, async () => {
      const model = await playing();
      const whole = new MemoryJournal();
      const end = new World();
      const arrivals = [
        { originId: 'task:r', command: { type: 'StartRun', spec: specOf(`${input}-r`, input) } },
      ] as const;
      await play(whole, end, model, arrivals);
      const [expected] = measuredIn(whole.records);
      for (const length of crashPoints(whole.records)) {
        const prefix = whole.records.slice(0, length);
        const journal = new MemoryJournal(prefix);
        await play(journal, worldAt(prefix, end, 'DoneAndKnown'), model, arrivals);
        const measurements = measuredIn(journal.records);
        const isClosedBefore = prefix.some(({ kind }) => kind === 'RunClosed');
        const hadNone = !prefix.some(({ kind }) => kind === 'AffectMeasured');
        // A run that is closed is not looked at again: only a crash of the machine can cost its measurement.
        if (isClosedBefore && hadNone) continue;
        expect(measurements, crashLabel(prefix)).toHaveLength(1);
        if (prefix.every(({ kind }) => kind !== 'CycleStarted') || input !== 'work')
          expect(measurements[0]?.signals.failuresInRow, crashLabel(prefix)).toBe(expected?.signals.failuresInRow);
      }
    });
});

type Started = Extract<CycleEvent, { kind: 'CycleStarted' }>;
type Requested = Extract<CycleEvent, { kind: 'ModelRequested' }>;

const { spec } = agentDefinition().agent;
const agent = 'default/agent, retainer 1.0.0';
const preamble = { agent, spec, place: somewhere(), charactersMax: 8000, factHalfLifeDays: 30 };
const observed = { observer: { ...unobserved.observer, enabled: true, cooldownMs: 0 } };

function payloads<P>({ records }: MemoryJournal, kind: string): readonly P[] {
  return records.filter((it) => it.kind === kind).map(({ payload }) => payload as unknown as P);
}

describe('an agent whose outgoing texts were rejected three times in a row', () => {
  const inputs = ['say', 'say', 'say', 'work'];

  /** @param measure  absent: as it is computed */
  async function lived(measure?: typeof measureAffect): Promise<MemoryJournal> {
    const journal = new MemoryJournal();
    const more = { preamble, clock: manualClock(), oversight: observed, ...(measure === undefined ? {} : { measure }) };
    await live(journal, await playing(), inputs, more);
    return journal;
  }

  verifies('affect:told', 'reads it in its next recorded request', async () => {
    const journal = await lived();
    const { records } = journal;
    const third = records.filter(({ kind }) => kind === 'AffectMeasured')[2];
    const after = records.slice(records.findIndex((it) => it === third) + 1);
    const next = after.find(({ kind }) => kind === 'ModelRequested')?.payload as unknown as Requested | undefined;
    const told = next?.request.system.at(-1);
    const measured = payloads<AffectMeasured>(journal, 'AffectMeasured')[2]?.affect ?? AFFECT_BASELINE;
    expect(told).toEqual({
      text: expect.stringContaining(`<affect>${affectLine(measured)}</affect>`),
      cache: false,
      varies: true,
    });
    expect(told?.text).toMatch(/<gates outputs_held="for a person" outputs_rejected_in_row="3"\/>/);
    expect(told?.text).toMatch(
      /<event name="gates" title="outgoing texts wait for a person" at="[^"]*" since_last_cycle="yes"\/>/,
    );
    expect(measured).toMatchObject({ desperation: 100, trend: 'Rising' });
    expect(measured.calm).toBeCloseTo(0.15 * 25 + 0.85 * (0.15 * 45 + 0.85 * (0.15 * 65 + 0.85 * 75)), 9);
  });

  verifies('affect:decides-nothing', 'is judged as one with a pinned measurement', async () => {
    const [felt, pinned] = [await lived(), await lived(() => AFFECT_BASELINE)];
    const linesOf = (journal: MemoryJournal): readonly string[] =>
      payloads<Requested>(journal, 'ModelRequested').flatMap(({ request }) => /<affect>.*/.exec(told(request)) ?? []);
    expect(linesOf(felt)).not.toEqual(linesOf(pinned));
    expect(new Set(linesOf(pinned)).size).toBe(1);
    const decisions = (journal: MemoryJournal): readonly unknown[] => payloads(journal, 'GateDecided');
    const starts = (journal: MemoryJournal): readonly unknown[] =>
      payloads<Started>(journal, 'CycleStarted').map(({ spec }) => ({ ...spec, system: [] }));
    const asked = (journal: MemoryJournal): readonly unknown[] =>
      payloads<Requested>(journal, 'ModelRequested').map(({ request }) => ({ ...request, system: [] }));
    const ends = (journal: MemoryJournal): readonly unknown[] =>
      payloads<RunEventOf<'RunConcluded'>>(journal, 'RunConcluded').map((end) => ({ ...end, usage: {} }));
    for (const part of [decisions, starts, asked, ends]) expect(part(felt)).toEqual(part(pinned));
    expect(decisions(felt).length).toBeGreaterThan(0);
  });

  verifies('curator:prefix', 'sends the same bytes first, in every cycle of a role in a run', async () => {
    const journal = await lived();
    const cached = new Map<string, Set<string>>();
    for (const { kind, runId = '', payload } of journal.records) {
      if (kind !== 'ModelRequested') continue;
      const { request } = payload as unknown as Requested;
      const kept = JSON.stringify([request.tools, request.system.filter(({ cache }) => cache)]);
      const asker = `${request.role} of ${runId}`;
      cached.set(asker, (cached.get(asker) ?? new Set()).add(kept));
      expect(request.system.findIndex(({ cache }) => !cache)).toBeGreaterThanOrEqual(
        request.system.filter(({ cache }) => cache).length,
      );
    }
    for (const [asker, texts] of cached) expect(texts.size, asker).toBe(1);
    const manifests = payloads<Started>(journal, 'CycleStarted').map(({ spec, curated }) => [
      spec.role,
      curated?.map(({ slot }) => slot) ?? [],
    ]);
    const told = ['agent', 'sensorium', 'affect'];
    expect(manifests).toContainEqual(['Executor', told]);
    expect(manifests).toContainEqual(['Perceiver', [...told, 'counts', 'runs']]);
    expect(manifests.filter(([role]) => role === 'AgentValidator').every(([, slots]) => slots?.length === 0)).toBe(
      true,
    );
  });
});

const told = ({ system }: Requested['request']): string => system.map(({ text }) => text).join('\n');
