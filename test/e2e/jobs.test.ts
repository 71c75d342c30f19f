/** An agent's own calendar on a cluster: a job of the manifest fires without a Task, and people see it, are told of it, and stop it. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { PUPPET, puppetObjects } from './puppet.ts';
import { retainer } from './retainer-program.ts';
import { World, type ClusterObject } from './world.ts';

const world = new World();
/** A minute until the moment, a run of seconds, and a minute until the operator looks. */
const TOLD_MS = 240_000;
const JOB = 'garden';
let namespace = '';

const jobs = [
  { name: JOB, cron: '* * * * *', intent: 'REMEMBER garden/color = teal' },
  { name: 'never', cron: '0 0 31 2 *', intent: 'REMEMBER garden/color = grey' },
];

beforeAll(async () => {
  namespace = await world.namespace('jobs');
  const memory = { storage: '1Gi', gitCommitInterval: '1m' };
  await world.apply(namespace, puppetObjects({ memory, scheduler: { idleAfter: '0s', jobs } }));
  await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
});
afterAll(() => world.close());

const place = (): readonly string[] => ['-n', namespace, '--agent', PUPPET];

interface ToldJobs {
  readonly active: number;
  readonly paused: number;
  readonly last?: { readonly job: string; readonly outcome: string };
}

/** `status.jobs`, once it is so. */
function told(what: string, isSo: (jobs: ToldJobs) => boolean): Promise<ToldJobs> {
  const look = async () => {
    const { status } = await world.get('agent', PUPPET, namespace);
    const found = status?.['jobs'] as ToldJobs | undefined;
    return found !== undefined && isSo(found) ? found : undefined;
  };
  return world.until(`status.jobs with ${what}`, look, TOLD_MS, namespace);
}

interface ToldEvent {
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly kind: string; readonly name: string };
}

describe('a job of the manifest', () => {
  verifies(
    'e2e:jobs',
    'fires without a Task, and status, Event and command line tell it',
    async () => {
      const { last, active } = await told('a firing that ended', (it) => it.last !== undefined);
      expect(last?.job).toBe(JOB);
      expect(['Accepted', 'Succeeded']).toContain(last?.outcome);
      expect(active).toBe(1);
      const events = await world.kubectl.list<ToldEvent>('events', '-n', namespace);
      const finished = events.find(({ reason }) => reason === 'JobFinished');
      expect(finished?.involvedObject).toMatchObject({ kind: 'Agent', name: PUPPET });
      expect(finished?.message).toContain(`retainer jobs show ${JOB} ${place().join(' ')}`);
      expect(finished?.message).not.toContain('teal');
      expect(await world.kubectl.list<ClusterObject>('tasks', '-n', namespace)).toEqual([]);

      const list = await retainer('jobs', 'list', ...place());
      expect(list, list.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining(JOB) });
      const shown = await retainer('jobs', 'show', JOB, ...place());
      expect(shown, shown.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('REMEMBER garden/color') });
    },
    2 * TOLD_MS,
  );

  verifies('e2e:jobs', 'that never fires is named with its field and what may stand there', async () => {
    const wanted = { type: 'FieldsInEffect', status: 'False', reason: 'ScheduleInvalid' };
    const { status } = await world.condition(namespace, ['agent', PUPPET], wanted);
    const { message } = status?.conditions?.find(({ type }) => type === 'FieldsInEffect') ?? {};
    expect(message).toContain('spec.scheduler.jobs[never].cron must be a cron text that has a moment');
  });

  verifies(
    'e2e:jobs',
    'is paused and cancelled by a word of a person, and the status says so',
    async () => {
      const paused = await retainer('jobs', 'pause', JOB, '--reason', 'the garden is closed', ...place());
      expect(paused, paused.stderr).toMatchObject({ code: 0 });
      expect(await told('a paused job', (it) => it.paused === 1)).toMatchObject({ active: 0 });
      const cancelled = await retainer('jobs', 'cancel', JOB, '--reason', 'the garden is gone', ...place());
      expect(cancelled, cancelled.stderr).toMatchObject({ code: 0 });
      await told('no job', (it) => it.paused === 0 && it.active === 0);
    },
    3 * TOLD_MS,
  );
});
