import { describe, expect } from 'vitest';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { observedAgent } from '../../../../test/support/observed-agent.ts';
import { verifies } from '../../../../test/verifies.ts';
import { observePod, type ObservedPod } from '../../observe/observe-agent-pod.ts';
import { judgeRecord } from './record-intact.ts';

const ONE = '3f0c7a52-1111-4e6a-9b1d-0123456789ab';
const OTHER = '7a52b0c7-2222-4e6a-9b1d-0123456789ab';
const CHANGED = JSON.stringify({
  reason: 'RecordChanged',
  message: 'the auditor found SegmentReplaced in store cycle',
});
const CLOSED = JSON.stringify({ reason: 'RecordIntact', message: 'all alarms of the auditor are closed' });

function auditor(state: object, lastState: object = {}): ObservedPod | undefined {
  const containerStatuses = [{ name: 'auditor', ready: true, restartCount: 1, state, lastState }];
  return observePod({ metadata: { name: 'retainer-meteorologist-0' }, spec: {}, status: { containerStatuses } });
}
const ended = (message: string) => ({ terminated: { exitCode: 3, message } });

interface Seen {
  readonly stored?: object;
  readonly accepted?: string;
  readonly onLease?: string;
  readonly pod?: ObservedPod | undefined;
}

function judged({ stored = {}, accepted, onLease, pod }: Seen) {
  const observed = observedAgent({}, { pod });
  const metadata = {
    ...observed.root.metadata,
    annotations: accepted === undefined ? {} : { [ANNOTATIONS.individual]: accepted },
  };
  const lease =
    onLease === undefined ? undefined : { metadata: { name: 'x', annotations: { [ANNOTATIONS.individual]: onLease } } };
  return judgeRecord({ ...observed, root: { ...observed.root, metadata, status: stored } }, lease);
}

const stands = (reason: string) => ({
  type: 'RecordIntact',
  status: 'False',
  reason,
  message: 'as it was told',
  lastTransitionTime: '2030-01-01T00:00:00Z',
});

const rows: readonly (readonly [
  name: string,
  seen: Seen,
  individual: string | undefined,
  reason: string,
  message: RegExp,
])[] = [
  ['an agent that never started', {}, undefined, 'Starting', /not opened its record/],
  ['the first start', { onLease: ONE }, ONE, 'RecordIntact', /no change/],
  ['a later start', { onLease: ONE, stored: { individual: ONE } }, ONE, 'RecordIntact', /no change/],
  ['a Lease that cannot be read', { stored: { individual: ONE } }, ONE, 'RecordIntact', /no change/],
  [
    'a Lease that cannot be read where another was found',
    { stored: { individual: ONE, conditions: [stands('AnotherIndividual')] } },
    ONE,
    'AnotherIndividual',
    /as it was told/,
  ],
  [
    'a new Lease that names none where another was found',
    { onLease: '', stored: { individual: ONE, conditions: [stands('AnotherIndividual')] } },
    ONE,
    'AnotherIndividual',
    /as it was told/,
  ],
  ['a Lease with what is no name', { onLease: 'ada', stored: { individual: ONE } }, ONE, 'RecordIntact', /no change/],
  [
    'the volume of another',
    { onLease: OTHER, stored: { individual: ONE } },
    ONE,
    'AnotherIndividual',
    new RegExp(`${OTHER}.*${ONE}`),
  ],
  [
    'another that a person accepted',
    { onLease: OTHER, accepted: OTHER, stored: { individual: ONE } },
    OTHER,
    'RecordIntact',
    /no change/,
  ],
  [
    'another than the accepted one',
    { onLease: OTHER, accepted: ONE, stored: { individual: ONE } },
    ONE,
    'AnotherIndividual',
    /annotate/,
  ],
  ['an alarm just told', { onLease: ONE, pod: auditor(ended(CHANGED)) }, ONE, 'RecordChanged', /SegmentReplaced/],
  [
    'an auditor that started again',
    { onLease: ONE, pod: auditor({ running: {} }, ended(CHANGED)) },
    ONE,
    'RecordChanged',
    /SegmentReplaced/,
  ],
  [
    'a new pod after an alarm',
    { onLease: ONE, pod: auditor({ running: {} }), stored: { individual: ONE, conditions: [stands('RecordChanged')] } },
    ONE,
    'RecordChanged',
    /as it was told/,
  ],
  [
    'closed alarms',
    {
      onLease: ONE,
      pod: auditor({ running: {} }, ended(CLOSED)),
      stored: { individual: ONE, conditions: [stands('RecordChanged')] },
    },
    ONE,
    'RecordIntact',
    /no change/,
  ],
  [
    'an auditor that ended for another reason',
    { onLease: ONE, pod: auditor(ended('{"reason":"PodCrashing","message":"m"}')) },
    ONE,
    'RecordIntact',
    /no change/,
  ],
];

describe('RecordIntact', () => {
  for (const [name, seen, individual, reason, message] of rows)
    verifies('operator-agent:record-intact', `of ${name} is ${reason}`, () => {
      const record = judged(seen);
      expect(record.individual).toBe(individual);
      expect(record.condition).toMatchObject({ type: 'RecordIntact', reason, message: expect.stringMatching(message) });
    });
});
