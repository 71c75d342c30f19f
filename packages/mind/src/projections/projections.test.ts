import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { commonKinds } from '@retainer/journal/stores';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import { journalKinds, type Recorded } from '../part/projection.ts';
import { isTaken } from '../run/inbox.ts';
import { Projections, projections } from './projections.ts';

const rows = Object.entries(projections);

function record(change: Partial<Recorded>): Recorded {
  return { store: 'fact', kind: 'FactWritten', seq: 7, timeMs: 1, payload: {}, ...change };
}

describe('the table of projections', () => {
  for (const { name, kinds } of agentStores)
    verifies('loop:store-is-a-row', `says of store ${name} how each kind is folded, or why it is not`, () => {
      const ofStore = rows.filter(([, { store }]) => store === name);
      expect(ofStore).not.toEqual([]);
      for (const [row, projection] of ofStore)
        if (projection.others === undefined) expect(projection.kinds, row).toEqual(Object.keys(kinds));
        else expect(Object.keys(kinds), row).toEqual(expect.arrayContaining([...projection.kinds]));
    });

  verifies('loop:store-is-a-row', 'has a row for no store that is not there', () => {
    const names = new Set<string>(agentStores.map(({ name }) => name));
    expect(rows.map(([, { store }]) => store).filter((name) => !names.has(name))).toEqual([]);
  });

  verifies('loop:store-is-a-row', 'knows the kinds that the journal writes into every store', () => {
    expect(Object.keys(journalKinds)).toEqual(Object.keys(commonKinds));
    const known = new Projections();
    for (const kind of Object.keys(commonKinds)) known.take(record({ kind }));
    expect(known.states).toEqual(new Projections().states);
  });

  it('folds runs before what only open runs need', () => {
    const order = rows.map(([, { window }]) => window);
    expect(rows.findIndex(([, { store }]) => store === 'run')).toBeLessThan(order.indexOf('OpenRuns'));
  });

  verifies('loop:store-is-a-row', 'lets no record pass that it has no row for', () => {
    const known = new Projections();
    expect(() => known.take(record({ store: 'nowhere' }))).toThrow(
      'store nowhere has no row in the table of projections',
    );
    expect(() => known.take(record({ kind: 'FactForgotten' }))).toThrow(
      'record 7 of store fact has kind FactForgotten, which this version cannot read',
    );
    expect(() => known.take(record({ store: 'agent', kind: 'Configured' }))).not.toThrow();
  });
});

describe('names of old work', () => {
  const many = 60_000;
  const fold = (take: (known: Projections, at: number) => void): Projections => {
    const known = new Projections();
    for (let at = 0; at < many; at += 1) take(known, at);
    return known;
  };

  verifies('loop:names-are-bounded', 'leave the inbox when newer ones come, an open command never', () => {
    const command = { type: 'CancelRun', runId: 'r', by: 'ada', reason: 'x' };
    const { inbox } = fold((known, at) => {
      const payload = { originId: `o${at}`, source: 's', command };
      known.take(record({ store: 'inbox', kind: 'CommandAccepted', payload }));
      if (at > 0) known.take(record({ store: 'inbox', kind: 'CommandDone', payload: { originId: `o${at}` } }));
    }).states;
    expect(inbox.origins.size).toBe(50_000);
    expect(['o0', 'o1', 'o9999', 'o10000', `o${many - 1}`].map((it) => isTaken(inbox, it))).toEqual([
      true,
      false,
      false,
      true,
      true,
    ]);
  });

  verifies('loop:names-are-bounded', 'leave the known runs, and the runs with an entry', () => {
    const entry = { task: { namespace: 'default', name: 'work' }, intent: 'Do it.', tools: [] };
    const { runs, narratedRuns } = fold((known, at) => {
      known.take(record({ store: 'run', kind: 'RunClosed', payload: {}, runId: `r${at}` }));
      known.take(record({ store: 'narrative', kind: 'RunRemembered', payload: entry, runId: `r${at}` }));
    }).states;
    expect([runs.ids.size, narratedRuns.size]).toEqual([50_000, 1000]);
    expect([runs.ids, narratedRuns].map((names) => names.has(`r${many - 1}`))).toEqual([true, true]);
  });
});
