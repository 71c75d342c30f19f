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
const memory = { source: { kind: 'Memory' }, trust: 'Untrusted', readers: 'Principal' };
const unknown = { source: { kind: 'Subtask' }, trust: 'Untrusted', readers: 'Principal' };
const canary = { tier: 'Fast', model: 'small' };
const gates = { canary, scorer: canary };
const shared = { identity: '', task: '', tools: ['look'] };
const executor = (...texts: readonly string[]) => ({ Executor: { system: texts.map((text) => ({ text })) } });
const task = { namespace: 'default', name: 'sum' };
const ofTask = {
  cause: { kind: 'Task' },
  replyTo: { channel: 'TaskStatus', target: 'default/sum' },
  conversation: 'tasks',
};
/** A damaged spec says no Task. */
const unnamed = { ...ofTask, replyTo: { channel: 'TaskStatus', target: '' } };
const scheduled = { forMs: 7, run: 2 };
const ofJob = {
  cause: { kind: 'Job', jobId: 'j' },
  replyTo: { channel: 'Notice', target: 'ann' },
  conversation: 'job/j',
};
const nonce = expect.stringMatching(/^[0-9a-f]{32}$/);
const first = { nonce, deciders: 1 };

const rows: readonly (readonly [what: string, kind: string, version: number, older: Json, newer: unknown])[] = [
  ['one message', 'MessageSent', 1, { message }, { messages: [message] }],
  ['an errand', 'CycleRequested', 1, { errand: purpose }, { purpose }],
  ['an errand again', 'RetryScheduled', 1, { dueAtMs: 1, errand: purpose }, { dueAtMs: 1, purpose }],
  ['texts of its own', 'CycleRequested', 2, { spec: { tools: ['look'] } }, { spec: { tools: ['look'], shared } }],
  ['what it shares', 'CycleRequested', 2, { spec: { shared: 7 } }, { spec: { shared: 7 } }],
  [
    'no reader',
    'CycleStarted',
    1,
    { spec: { tools: ['look'], gates } },
    { ...first, spec: { tools: ['look'], shared, gates: { ...gates, reader: canary } } },
  ],
  ['a number', 'CycleStarted', 1, { deciders: 3, nonce: 'a1' }, { deciders: 3, nonce: 'a1' }],
  ['no label', 'CycleConcluded', 1, { text: 'x' }, { text: 'x', label: unknown }],
  ['a label', 'CycleConcluded', 1, { label: 'known' }, { label: 'known' }],
  [
    'an identity among its texts',
    'RunAdmitted',
    1,
    { spec: { task, roles: executor('Ann', 'Work.') } },
    {
      ...first,
      stood: { files: [], isWhole: false },
      messagePassing: 'Received',
      spec: { task, ...ofTask, identity: 'Ann', workers: [], roles: executor('Ann', 'Work.') },
    },
  ],
  [
    'no identity at all',
    'CommandAccepted',
    1,
    { command: { type: 'StartRun', spec: { roles: executor('Work.') } } },
    { command: { type: 'StartRun', spec: { ...unnamed, identity: '', workers: [], roles: executor('Work.') } } },
  ],
  [
    'words of strangers in its session',
    'CommandAccepted',
    1,
    { command: { spec: { session: { turns: [{ input: 'a', summary: 'b', untrusted: { text: 'c' } }] } } } },
    {
      command: { spec: { ...unnamed, identity: '', workers: [], session: { turns: [{ input: 'a', summary: 'b' }] } } },
    },
  ],
  [
    'a schedule',
    'RunAdmitted',
    3,
    { spec: { task, scheduled } },
    { spec: { task, ...ofTask, cause: { ...ofTask.cause, scheduled } } },
  ],
  [
    'places, and no cause',
    'CommandAccepted',
    3,
    { command: { spec: { task } } },
    { command: { spec: { task, ...ofTask } } },
  ],
  ['no places, and no cause', 'RunAdmitted', 2, { spec: { task } }, { spec: { task, ...ofTask } }],
  ['a cause', 'RunAdmitted', 3, { spec: { task, ...ofJob } }, { spec: { task, ...ofJob } }],
  ['a cause', 'CommandAccepted', 4, { command: { spec: { task } } }, { command: { spec: { task } } }],
  ['a command without a spec', 'CommandAccepted', 1, { command: { type: 'Cancel' } }, { command: { type: 'Cancel' } }],
  ['no label', 'FactWritten', 2, { key: 'k' }, { key: 'k', label: memory }],
  ['no label', 'MegramWritten', 1, { megram: 7 }, { megram: 7, label: memory }],
  ['no label', 'RunRemembered', 2, { tokens: 7 }, { tokens: 7, label: memory, conversation: 'tasks' }],
  ['a conversation', 'RunRemembered', 3, { conversation: 'job/j' }, { conversation: 'job/j' }],
  ['no numbers', 'Configured', 1, { model: 'm' }, { model: 'm', gateRules: 0, deciders: 1 }],
];

describe('a record of an older version', () => {
  for (const [what, kind, version, older, newer] of rows)
    verifies('journal:older-forms', `reads as one of today: ${kind} of version ${version}, with ${what}`, () => {
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
