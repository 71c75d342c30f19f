import { describe, expect, it } from 'vitest';
import { roleRow } from '../../api/roles.ts';
import { verifies } from '../../../../test/verifies.ts';
import { busPayloads } from './payloads.ts';
import { BUS_ROLES, BUS_ROUTES, mayTravel, type BusMessageType } from './roles.ts';

const types = Object.keys(BUS_ROUTES) as BusMessageType[];
const senders = (type: BusMessageType): readonly string[] => BUS_ROUTES[type].from;

/** Every pair of roles. */
const pairs = BUS_ROLES.flatMap((from) => BUS_ROLES.map((to) => ({ from, to })));

describe('the routes', () => {
  verifies('bus:routes', 'every type has a route, and every route a type', () => {
    expect(types.toSorted()).toEqual(Object.keys(busPayloads).toSorted());
  });

  verifies('bus:routes', 'every type is read by one role', () => {
    const read = BUS_ROLES.flatMap((role) => roleRow(role).reads ?? []);
    expect(read.toSorted()).toEqual([...new Set(read)].toSorted());
  });

  verifies('bus:routes', 'a message may go the ways of its type, and no other', () => {
    for (const type of types) {
      const open = pairs.filter(({ from, to }) => mayTravel(type, from, to));
      expect(open).toEqual(pairs.filter(({ from, to }) => senders(type).includes(from) && BUS_ROUTES[type].to === to));
      expect(open).toHaveLength(senders(type).length);
    }
  });

  it.each(['', 'Order', 'taskspec', 'constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'lets an unknown type %j go nowhere',
    (type) => {
      expect(pairs.filter(({ from, to }) => mayTravel(type, from, to))).toEqual([]);
    },
  );

  it.each([
    ['FinalResult', ['Steerer']],
    ['MemoryWrite', ['Steerer']],
    ['PlanDirective', ['Steerer']],
    ['MemoryRead', ['Planner']],
    ['TaskAbort', ['User']],
  ] as const)('lets nobody send a %s but %j', (type, from) => {
    expect(senders(type)).toEqual(from);
  });

  it('never sends a role a word of its own', () => {
    expect(types.filter((type) => senders(type).includes(BUS_ROUTES[type].to))).toEqual([]);
  });

  it('lets every role but the auditor speak and hear', () => {
    const others = BUS_ROLES.filter((role) => role !== 'Auditor');
    expect(others.filter((role) => !types.some((type) => senders(type).includes(role)))).toEqual([]);
    expect(others.filter((role) => !types.some((type) => BUS_ROUTES[type].to === role))).toEqual([]);
    expect(
      pairs.filter(({ from, to }) => [from, to].includes('Auditor') && types.some((it) => mayTravel(it, from, to))),
    ).toEqual([]);
  });
});
