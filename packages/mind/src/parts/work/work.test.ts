import { describe, expect } from 'vitest';
import { TRUSTED, UNTRUSTED, workLife, WorkRecord } from '../../../../../test/support/work-life.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { createItem, deleteItem } from './decide-item.ts';
import { deleteEndeavour, editEndeavour } from './decide-endeavour.ts';
import { ENDED_ITEMS_KEPT, OPEN_ITEMS_MAX } from './limits.ts';
import { startWork, type Work } from './work-state.ts';
import { work } from './work.ts';
import type { Recorded } from '../../part/projection.ts';

const SEEDS = [1, 2, 3, 4];
const DEEDS = 400;

function folded(records: readonly Recorded[], state: Work = startWork()): Work {
  for (const record of records) work.take(state, record);
  return state;
}

/** As a start finds it in the cache: through JSON. */
function restored(state: Work): Work {
  const kept = work.keep(state);
  const made = startWork();
  const form: unknown = JSON.parse(JSON.stringify(kept?.form));
  expect(kept !== undefined && work.restore(made, { version: kept.version, form })).toBe(true);
  return made;
}

describe('the state of work', () => {
  for (const seed of SEEDS)
    verifies('work:folded', `is that of its record, from every prefix and every cache (seed ${seed})`, () => {
      const { record, fitted } = workLife(seed, DEEDS);
      expect(fitted).toBeGreaterThan(DEEDS / 8);
      const kinds = new Set(record.records.map(({ kind }) => kind));
      expect(kinds.size).toBeGreaterThan(15);
      const running = startWork();
      for (const [at, it] of record.records.entries()) {
        work.take(running, it);
        if (at % 23 !== 0) continue;
        expect(folded(record.records.slice(at + 1), restored(running))).toEqual(record.state);
        expect(folded(record.records.slice(0, at + 1))).toEqual(running);
      }
      expect(running).toEqual(record.state);
    });

  for (const seed of SEEDS)
    verifies('work:no-shells', `has a step in each item and no circle, whatever was tried (seed ${seed})`, () => {
      const { record } = workLife(seed, DEEDS);
      const running = startWork();
      for (const it of record.records) {
        work.take(running, it);
        for (const item of [...running.items.values(), ...running.ended.values()])
          expect(item.steps.length).toBeGreaterThan(0);
      }
      const { items } = record.state;
      const reaches = (from: string, to: string, seen: ReadonlySet<string> = new Set()): boolean =>
        (items.get(from)?.dependsOn ?? []).some(
          (id) => id === to || (!seen.has(id) && reaches(id, to, new Set([...seen, id]))),
        );
      expect([...items.keys()].filter((id) => reaches(id, id))).toEqual([]);
    });

  for (const seed of SEEDS)
    verifies('work:deleted-stays', `never has a deleted one again (seed ${seed})`, () => {
      const { record } = workLife(seed, DEEDS);
      const deleted = new Set<string>();
      const running = startWork();
      for (const it of record.records) {
        work.take(running, it);
        const { itemId, endeavourId } = it.payload as { readonly itemId?: string; readonly endeavourId?: string };
        if (it.kind === 'ItemDeleted') deleted.add(itemId ?? '');
        if (it.kind === 'EndeavourDeleted') deleted.add(endeavourId ?? '');
        const there = [running, restored(running)].flatMap((known) => [
          ...known.items.keys(),
          ...known.ended.keys(),
          ...known.endeavours.keys(),
          ...known.over.keys(),
        ]);
        expect(there.filter((id) => deleted.has(id))).toEqual([]);
      }
      expect(deleted.size).toBeGreaterThan(1);
    });

  verifies('work:deleted-stays', 'keeps why, through a restart, and takes no later operation on it', () => {
    const record = new WorkRecord();
    const [itemId, endeavourId] = [record.item(), record.endeavour()];
    const [created] = record.records;
    record.do(deleteItem(record.making(), itemId, 'Not wanted.'));
    record.do(deleteEndeavour(record.making(), endeavourId, 'No use.'));
    const after = restored(record.state);
    expect(after.deleted.get(itemId)).toMatchObject({ reason: 'Not wanted.', by: 'agent' });
    expect(after.deleted.get(endeavourId)).toMatchObject({ reason: 'No use.' });
    if (created !== undefined) work.take(after, { ...created, seq: 90 });
    work.take(after, { store: 'work', kind: 'ItemActivated', seq: 91, timeMs: 1, payload: { itemId } });
    expect([after.items.size, after.endeavours.size]).toEqual([0, 0]);
    expect(record.do(deleteItem(record.making(), itemId, 'Again.'))).toBe(
      `itemId: "${itemId}" was deleted by agent; name another one.`,
    );
  });

  verifies('work:label', 'has the worst label of all who wrote into it', () => {
    const record = new WorkRecord();
    const itemId = record.item({}, { label: TRUSTED });
    const endeavourId = record.endeavour({}, { label: UNTRUSTED });
    expect(record.state.items.get(itemId)?.label).toEqual(TRUSTED);
    expect(record.state.endeavours.get(endeavourId)?.label).toEqual(UNTRUSTED);
    record.write('StepAdded', { itemId, description: 'As the page says.', label: UNTRUSTED });
    expect(record.state.items.get(itemId)?.label).toMatchObject({ trust: 'Untrusted', readers: ['owner'] });
    const { label } = record.state.endeavours.get(endeavourId) ?? {};
    record.do(editEndeavour(record.making({ label: TRUSTED }), endeavourId, { goal: 'Mine.' }));
    expect(record.state.endeavours.get(endeavourId)?.label).toMatchObject({ trust: label?.trust });
  });

  verifies('work:bounded', 'keeps the newest ended items, and counts the others', () => {
    const record = new WorkRecord();
    for (let at = 0; at < ENDED_ITEMS_KEPT + 3; at += 1)
      record.write('ItemEnded', { itemId: record.item(), status: 'Failed', reason: 'No data.' });
    expect([record.state.ended.size, record.state.left]).toEqual([ENDED_ITEMS_KEPT, 3]);
    expect(restored(record.state)).toEqual(record.state);
  });

  verifies('work:bounded', 'takes no item beyond the most that may be open', () => {
    const record = new WorkRecord();
    for (let at = 0; at < OPEN_ITEMS_MAX; at += 1) record.item();
    const more = createItem(record.making(), { title: 'x', description: 'x', steps: [{ description: 'x' }] });
    expect(more).toEqual({
      ok: false,
      error: `itemId: ${OPEN_ITEMS_MAX} items are open, and that is the most; end or delete one first.`,
    });
  });
});
