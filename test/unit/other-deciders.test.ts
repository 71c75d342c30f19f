/** A run that deciders of another number began: a restart goes on from its record, and says so. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '@retainer/contract/std/canonical-json';
import { DECIDERS } from '@retainer/mind/cycle/deciders';
import type { JournalRecord } from '@retainer/journal/journal';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { scripted } from '../support/agents.ts';
import { expectNoEffectTwice, expectOneDelivery } from '../support/crash-labels.ts';
import { play, World, worldAt } from '../support/crash-world.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { oneChangeRun, oneChangeScript } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const arrivals = [{ originId: 'task:work', command: { type: 'StartRun', spec: oneChangeRun('r') } }] as const;
const OTHER = DECIDERS - 1;

/** The last decision before the crash, as deciders of today would not make it. */
const decisions = [
  { kind: 'ModelRequested', store: 'cycle', from: /"maxOutputTokens":\d+/, to: '"maxOutputTokens":77' },
  { kind: 'CycleRequested', store: 'run', from: /"turns":\d+/, to: '"turns":7' },
] as const;

describe.each(decisions)('a crash after a $kind that is decided otherwise today', ({ kind, store, from, to }) => {
  let model: ModelPort;
  let before: readonly JournalRecord[];
  const end = new World();

  beforeAll(async () => {
    model = await scripted(oneChangeScript);
    const journal = new MemoryJournal();
    await play(journal, end, model, arrivals);
    const last = journal.records.findIndex((it) => it.kind === kind && from.test(JSON.stringify(it.payload)));
    expect(last).toBeGreaterThan(0);
    before = journal.records.slice(0, last + 1).with(last, rewritten(journal.records[last], from, to));
  });

  async function goOn(records: readonly JournalRecord[]): Promise<{ journal: MemoryJournal; world: World }> {
    const journal = new MemoryJournal(records);
    const world = worldAt(records, end, 'DoneAndUnknown');
    await play(journal, world, model, arrivals);
    return { journal, world };
  }
  const changes = ({ records }: MemoryJournal): readonly JournalRecord[] =>
    records.filter((it) => it.kind === 'DecidersChanged');

  verifies('run:other-deciders', 'goes on from its record where other deciders made it, and records that', async () => {
    const { journal, world } = await goOn(before.map((it) => numbered(it, OTHER)));
    expect(changes(journal)).toContainEqual(
      expect.objectContaining({ store, payload: expect.objectContaining({ deciders: DECIDERS }) }),
    );
    expectOneDelivery(world, kind);
    expectNoEffectTwice(world, kind);
    expect(world.deliveries[0]?.body).toMatchObject({ outcome: 'Succeeded' });
  });

  it('is no record of these deciders, so the work ends', async () => {
    const { journal, world } = await goOn(before);
    expect(changes(journal)).toEqual([]);
    expectOneDelivery(world, kind);
    expect(world.deliveries[0]?.body).not.toMatchObject({ outcome: 'Succeeded' });
  });
});

it('a decision of other deciders that a crash cut off ends the run, and its last words say why', async () => {
  const model = await scripted(oneChangeScript);
  const end = new World();
  const whole = new MemoryJournal();
  await play(whole, end, model, arrivals);
  const cut = whole.records.findIndex((it) => it.kind === 'CycleRequested');
  const before = whole.records
    .slice(0, cut)
    .map((it) => numbered(rewritten(it, /"intent":"[^"]*"/, '"intent":"another"'), OTHER));
  const world = worldAt(before, end, 'DoneAndUnknown');
  await play(new MemoryJournal(before), world, model, arrivals);
  expectOneDelivery(world, 'cut off');
  expect(JSON.stringify(world.deliveries[0]?.body)).toContain('a crash cut off its last decision');
});

function rewritten(record: JournalRecord | undefined, from: RegExp, to: string): JournalRecord {
  if (record === undefined) throw new Error('no such record');
  return { ...record, payload: JSON.parse(JSON.stringify(record.payload).replace(from, to)) as Json };
}

function numbered(record: JournalRecord, deciders: number): JournalRecord {
  if (record.kind !== 'RunAdmitted' && record.kind !== 'CycleStarted') return record;
  return { ...record, payload: { ...(record.payload as Record<string, Json>), deciders } };
}
