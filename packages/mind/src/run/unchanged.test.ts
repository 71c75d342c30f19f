import { describe, expect } from 'vitest';
import { scenarios } from '../../../../test/support/run-scenarios.ts';
import { RunWorld } from '../../../../test/support/run-world.ts';
import { verifies } from '../../../../test/verifies.ts';
import { originOfTask, type RunCause, type RunOrigin } from './run-cause.ts';
import { resultDigest } from '../parts/jobs/result-digest.ts';

const [plain] = scenarios;
if (plain === undefined) throw new Error('there is a plain scenario');
const work = plain;

const notice = { channel: 'Notice', target: 'ann' } as const;

function ofJob(last: Partial<Extract<RunCause, { kind: 'Job' }>>): RunOrigin {
  const cause = {
    kind: 'Job' as const,
    jobId: 'j',
    momentMs: 0,
    maker: 'Person' as const,
    ...last,
  } satisfies RunCause;
  return { cause, replyTo: notice, conversation: 'job/j' };
}

/** The plain run, whose worker says these words. */
function played(origin: RunOrigin, words: string): RunWorld {
  const { spec, mind, ...rest } = work;
  return new RunWorld({
    ...rest,
    spec: { ...spec, ...origin },
    mind: (purpose, cycle) => {
      const thought = mind(purpose, cycle);
      return thought !== undefined && purpose.role === 'Executor' ? { ...thought, text: words } : thought;
    },
  }).play();
}

const last = { lastResultDigest: resultDigest('Three  errors\nsince Monday.') };

describe('the result of a job', () => {
  const untold: readonly (readonly [string, string])[] = [
    ['says what the last one said', 'Three errors since Monday.'],
    ['says it in other white space', '\n Three errors\n  since Monday. '],
    ['is the one word', 'unchanged'],
    ['is the one word, in other signs', ' **Unchanged!**\n'],
  ];
  for (const [name, words] of untold)
    verifies('cause:only-if-changed', `that ${name} is not delivered, and the run closes with its entry`, () => {
      const world = played(ofJob(last), words);
      expect(world.of('DeliveryRequested')).toEqual([]);
      expect(world.of('ArchiveRequested')).toMatchObject([{ undelivered: 'Unchanged' }]);
      expect([world.of('Archived').length, world.of('RunClosed').length, world.state.closed]).toEqual([1, 1, true]);
    });

  const told: readonly (readonly [string, RunOrigin, string])[] = [
    ['that is new', ofJob(last), 'Four errors since Monday.'],
    ['that says the word in a sentence', ofJob(last), 'The list is unchanged.'],
    ['that lacks a call which the job demands', ofJob({ ...last, requiredTools: ['never_called'] }), 'unchanged'],
    ['that is the first one', ofJob({}), 'unchanged'],
    ['of which each is wanted', ofJob({}), 'Three errors since Monday.'],
  ];
  for (const [name, origin, words] of told)
    verifies('cause:reply-goes-to-its-channel', `${name} goes to the address in the spec`, () => {
      const world = played(origin, words);
      expect(world.of('DeliveryRequested')).toMatchObject([{ ...notice, deliveryId: 'r-d1' }]);
      expect(world.of('ArchiveRequested')[0]).not.toHaveProperty('undelivered');
      expect(world.state.closed).toBe(true);
    });

  verifies('cause:only-if-changed', 'is compared for jobs only: a Task is always told', () => {
    const world = played(originOfTask({ namespace: 'default', name: 'work' }), 'unchanged');
    expect(world.of('DeliveryRequested')).toMatchObject([{ channel: 'TaskStatus', target: 'default/work' }]);
  });
});
