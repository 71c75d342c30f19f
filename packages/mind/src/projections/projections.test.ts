import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { commonKinds } from '@retainer/journal/stores';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import { journalKinds, type Recorded } from '../memory/projection.ts';
import { Projections, projections, unfoldedStores } from './projections.ts';

const rows = Object.entries(projections);

function record(change: Partial<Recorded>): Recorded {
  return { store: 'fact', kind: 'FactWritten', seq: 7, timeMs: 1, payload: {}, ...change };
}

describe('the table of projections', () => {
  for (const { name, kinds } of agentStores)
    verifies('loop:store-is-a-row', `says of store ${name} how each kind is folded, or why it is not`, () => {
      const ofStore = rows.filter(([, { store }]) => store === name);
      if (Object.hasOwn(unfoldedStores, name))
        expect([ofStore, unfoldedStores[name]?.because]).toEqual([[], expect.any(String)]);
      else expect(ofStore).not.toEqual([]);
      for (const [row, projection] of ofStore) expect(projection.kinds, row).toEqual(Object.keys(kinds));
    });

  verifies('loop:store-is-a-row', 'has a row for no store that is not there', () => {
    const names = new Set<string>(agentStores.map(({ name }) => name));
    const named = [...rows.map(([, { store }]) => store), ...Object.keys(unfoldedStores)];
    expect(named.filter((name) => !names.has(name))).toEqual([]);
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
