import { describe, expect, it } from 'vitest';
import type { Json } from '@retainer/contract/std/canonical-json';
import { messageSentFrom1, purposeFrom1 } from './older-events.ts';

const message = { id: 'r-m1', type: 'TaskReceived' };
const purpose = { role: 'Planner', round: 1 };

describe('an event of an older version', () => {
  it.each<[string, (older: Json) => Json, Json, Json]>([
    ['MessageSent with one message', messageSentFrom1, { message }, { messages: [message] }],
    ['CycleRequested with an errand', purposeFrom1, { spec: {}, errand: purpose }, { spec: {}, purpose }],
    ['RetryScheduled with an errand', purposeFrom1, { dueAtMs: 1, errand: purpose }, { dueAtMs: 1, purpose }],
    ['what has the newest form already', purposeFrom1, { purpose }, { purpose }],
    ['what is no object', purposeFrom1, 'errand', 'errand'],
  ])('reads as one of today: %s', (_name, upcast, older, newer) => {
    expect(upcast(older)).toEqual(newer);
  });
});
