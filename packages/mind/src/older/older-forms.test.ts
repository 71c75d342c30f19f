import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Json } from '@retainer/contract/std/canonical-json';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import type { StoreDefinition } from '@retainer/journal/stores';
import { olderForms } from './older-forms.ts';
import { readOlder } from '../../../../test/support/older-record.ts';
import { verifies } from '../../../../test/verifies.ts';

const stores: readonly StoreDefinition[] = agentStores;

const message = { id: 'r-m1', type: 'TaskReceived' };
const purpose = { role: 'Planner', round: 1 };
const memory = { source: { kind: 'Memory' }, trust: 'Untrusted', readers: ['owner'] };
const unknown = { source: { kind: 'Subtask' }, trust: 'Untrusted', readers: ['owner'] };
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

const principal = { source: { kind: 'Task' }, trust: 'Trusted', readers: 'Principal' };
const owner = { ...principal, readers: ['owner'] };
const nobody = { ...principal, readers: [] };
const labelled = (label: Json) => ({ label });
const cycle = (label: Json) => ({ spec: { shared, handedOn: [{ recordId: 'r-c1', label }] } });
const archive = (label: Json) => ({ account: { label }, fallback: { reflected: { label }, case: { label } } });

/** Of each kind that has readers: the version that had one of three words, where they stand, and the payload with them. */
const withReaders: readonly (readonly [kind: string, version: number, payload: (label: Json) => Json])[] = [
  ['ArchiveConcluded', 1, (label) => ({ reflected: { label }, case: { label } })],
  ['ArchiveOpened', 1, archive],
  ['ArtifactKept', 2, labelled],
  ['BlockerReported', 1, labelled],
  ['BlockerResolved', 1, labelled],
  ['CaseWritten', 1, labelled],
  ['CommandAccepted', 4, (label) => ({ command: { spec: { label } } })],
  ['CycleConcluded', 2, labelled],
  ['CycleRequested', 4, cycle],
  ['CycleStarted', 3, cycle],
  ['EndeavourCreated', 1, labelled],
  ['EndeavourEdited', 1, labelled],
  ['FactWritten', 3, labelled],
  ['ItemCreated', 1, labelled],
  ['ItemEdited', 1, labelled],
  ['ItemEnded', 1, labelled],
  ['JobChanged', 1, labelled],
  ['JobCreated', 1, labelled],
  ['MegramWritten', 2, labelled],
  ['PhaseAdded', 1, labelled],
  ['PhaseAdvanced', 1, labelled],
  ['PostMortemAdded', 1, labelled],
  ['PreMortemAdded', 1, labelled],
  ['RiskFlagged', 1, labelled],
  ['RunAdmitted', 4, (label) => ({ spec: { label } })],
  ['RunImported', 1, labelled],
  ['RunReflected', 1, labelled],
  ['RunRemembered', 4, labelled],
  ['SessionEnded', 1, labelled],
  ['SessionScheduled', 1, labelled],
  ['StepAdded', 1, labelled],
  ['StepCompleted', 1, labelled],
  ['ThreadJoined', 2, labelled],
  ['ThreadNamed', 1, labelled],
  ['ToolFinished', 2, (label) => ({ outcome: { label } })],
];

describe('readers of before, one of three words,', () => {
  for (const [kind, version, payload] of withReaders)
    verifies('readers:older-records', `are a set: ${kind} of version ${version}`, () => {
      const everyone = { ...principal, readers: 'Everyone' };
      expect(readOlder(kind, version, payload(principal))).toEqual(payload(owner));
      expect(readOlder(kind, version, payload({ ...principal, readers: 'Agent' }))).toEqual(payload(nobody));
      for (const kept of [everyone, owner, nobody])
        expect(readOlder(kind, version, payload(kept))).toEqual(payload(kept));
    });

  verifies('readers:older-records', 'are a set: of a file', () => {
    const file = (readers: Json) => readOlder('FileRecorded', 1, { path: 'a.md', readers });
    expect(['Principal', 'Agent', 'Everyone'].map(file)).toEqual(
      [['owner'], [], 'Everyone'].map((readers) => ({ path: 'a.md', readers })),
    );
  });

  verifies('readers:older-records', 'are read of every kind that has readers, and of no other one', () => {
    const kinds = stores.flatMap((store) => Object.entries(store.kinds));
    const having = kinds.filter(([, { schema }]) =>
      JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any' })).includes('"readers"'),
    );
    expect(having.map(([kind]) => kind).toSorted()).toEqual(
      ['FileRecorded', ...withReaders.map(([kind]) => kind)].toSorted(),
    );
  });
});

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
