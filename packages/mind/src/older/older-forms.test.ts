import { describe, expect, it } from 'vitest';
import type { Json } from '@retainer/contract/std/canonical-json';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import type { StoreDefinition } from '@retainer/journal/stores';
import { olderForms } from './older-forms.ts';
import { readOlder } from '../../../../test/support/older-record.ts';
import { verifies } from '../../../../test/verifies.ts';

const stores: readonly StoreDefinition[] = agentStores;

const message = { id: 'r-m1', type: 'TaskReceived' };
const purpose = { role: 'Planner', round: 1 };

const rows: readonly (readonly [kind: string, version: number, older: Json, newer: Json])[] = [
  ['MessageSent', 1, { message }, { messages: [message] }],
  ['CycleRequested', 1, { spec: {}, errand: purpose }, { spec: {}, purpose }],
  ['RetryScheduled', 1, { dueAtMs: 1, errand: purpose }, { dueAtMs: 1, purpose }],
];

describe('a record of an older version', () => {
  for (const [kind, version, older, newer] of rows)
    verifies('journal:older-forms', `reads as one of today: ${kind} of version ${version}`, () => {
      expect(readOlder(kind, version, older)).toEqual(newer);
    });

  it.each(Object.keys(olderForms))('is of a kind that a store has: %s', (kind) => {
    expect(stores.filter(({ kinds }) => Object.hasOwn(kinds, kind))).toHaveLength(1);
  });

  it.each(Object.entries(olderForms))('is damaged, and stays as it is: %s', (kind, older) => {
    for (const version of older.keys())
      for (const damaged of ['text', null, 7, []]) expect(readOlder(kind, version + 1, damaged)).toEqual(damaged);
  });
});
