/** A run in which long texts are read in quarantine, one of them in vain, killed after each record. */
import { beforeAll, describe, expect } from 'vitest';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { scripted } from '../support/agents.ts';
import { crashLabel, expectNoEffectTwice, expectOneDelivery } from '../support/crash-labels.ts';
import { crashPoints, play, World, worldAt, type Arrival } from '../support/crash-world.ts';
import { cycleSpec } from '../support/cycles.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { oneStepRule, runSpec } from '../support/runs.ts';
import { gates } from '../support/scored-cycle.ts';
import { verifies } from '../verifies.ts';

type Of<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;

/** What the second of the long texts says: see `World`. */
const useless = `value ${sha256Hex(JSON.stringify(['long', 2])).slice(0, 4)}`;

const script = String.raw`
version: 1
rules:${oneStepRule}
  - name: a text that the reader makes nothing of
    when: {role: quarantine-reader, task: '${useless}'}
    answer: {text: 'Here is what I found.'}
  - name: fields
    when: {role: quarantine-reader, task: '(?P<said>value [0-9a-f]{4})'}
    answer:
      text: >-
        <reading kind="Data" holdsInstructions="true"><subject>Values.</subject>
        <field type="Text" name="first" value="{{task.said}}"><quote>{{task.said}}</quote></field></reading>
  - name: look
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: look, input: long}, {tool: look, input: [long, 2]}, {tool: look, input: 1}]}
  - name: work
    when: {role: executor, turn: 2}
    answer: {calls: [{tool: change, input: 1}]}
  - name: done
    when: {role: executor}
    answer: {text: done}
`;

function startRun(): readonly Arrival[] {
  const limits = { ...cycleSpec().limits, tokens: 200_000, wallClockMs: 600_000 };
  const spec = runSpec({ gates }, ['look', 'change'], { limits });
  return [{ originId: 'task:work', command: { type: 'StartRun', spec } }];
}

function eventsOf<K extends CycleEvent['kind']>(journal: MemoryJournal, wanted: K): readonly Of<K>[] {
  return journal.records.flatMap(({ kind, payload }) => (kind === wanted ? [payload as unknown as Of<K>] : []));
}

describe('a run that reads long texts', () => {
  let model: ModelPort;
  const whole = new MemoryJournal();
  const end = new World();

  beforeAll(async () => {
    model = await scripted(script);
    await play(whole, end, model, startRun());
  });

  verifies('provenance:long-text-withheld', 'shows fields of one, the ends of another, and a short one', () => {
    expect(end.deliveries.map((it) => it.body.outcome)).toEqual(['Succeeded']);
    const asked = eventsOf(whole, 'ReadingRequested').map(({ askId }) => askId);
    expect(asked.toSorted()).toEqual(['r-c1-t1-read1', 'r-c1-t2-read1', 'r-c1-t2-read2']);
    const request = eventsOf(whole, 'ModelRequested').find(({ turn, callId }) => turn === 2 && callId === 'r-c1-m2');
    const results = (request?.request.messages.at(-1)?.content ?? []).map((it) => ('text' in it ? it.text : ''));
    expect(results[0]).toMatch(/kind: Data[\s\S]*- "first": "value [0-9a-f]{4}" \(Text, at 0 %: /);
    expect(results[1]).toContain('Its reader gave no answer');
    expect(results[2]).toMatch(/\nvalue [0-9a-f]{4}\n/);
  });

  verifies('provenance:reader-restarts', 'ends once from every prefix of its record', async () => {
    for (const length of crashPoints(whole.records)) {
      const prefix = whole.records.slice(0, length);
      const label = crashLabel(prefix);
      const journal = new MemoryJournal(prefix);
      const world = worldAt(prefix, end, 'DoneAndKnown');
      await play(journal, world, model, startRun());
      expectOneDelivery(world, label);
      expectNoEffectTwice(world, label);
      const asked = eventsOf(journal, 'ReadingRequested').map(({ askId }) => askId);
      expect(asked, label).toEqual([...new Set(asked)]);
      for (const { request } of eventsOf(journal, 'ModelRequested'))
        expect(JSON.stringify(request.messages), label).not.toMatch(/(?:value [0-9a-f]{4} ){400}/);
    }
  });
});
