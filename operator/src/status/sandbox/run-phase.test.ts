import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANNOTATIONS, LABELS } from '@retainer/contract/api/names';
import { verifies } from '../../../../test/verifies.ts';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Canary } from '../../observe/observe-sandbox-canary.ts';
import { sandboxJob, sandboxPod } from '../../observe/observe-sandbox-objects.ts';
import { canaryState, nextCanaryStep, outdatedCanaries } from './canary-state.ts';
import { coldPhase, warmPhase } from './run-phase.ts';

const startMs = Date.parse('2030-01-01T00:00:00Z');
const metadata = { name: 'run-one', namespace: 'sandboxes', uid: 'u', creationTimestamp: '2030-01-01T00:00:00Z' };
const jobOf = (conditions: readonly object[] = []): KubeObject => ({ metadata, status: { conditions } });
const failedJob = (reason: string): KubeObject => jobOf([{ type: 'Failed', status: 'True', reason }]);
const podOf = (status: object): KubeObject => ({ metadata, status });
const ended = (terminated: object, more: object = {}): KubeObject =>
  podOf({ phase: 'Failed', containerStatuses: [{ state: { terminated } }], ...more });
const word = (end: object): KubeObject =>
  ended({ reason: 'Completed', message: JSON.stringify({ truncated: false, durationMs: 1, ...end }) });
const unschedulable = podOf({
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
});
const waiting = (reason: string): KubeObject =>
  podOf({ phase: 'Pending', containerStatuses: [{ state: { waiting: { reason } } }] });

const cases: readonly (readonly [string, KubeObject, KubeObject | undefined, number, string, string])[] = [
  ['a Job without a pod', jobOf(), undefined, 1, 'Starting', 'Scheduling'],
  ['no pod for a while', jobOf(), undefined, 30, 'Starting', 'QuotaExceeded'],
  ['no pod for long', jobOf(), undefined, 61, 'Ended', 'QuotaExceeded'],
  ['no room', jobOf(), unschedulable, 30, 'Starting', 'Unschedulable'],
  ['no room for long', jobOf(), unschedulable, 61, 'Ended', 'Unschedulable'],
  ['an image that is pulled', jobOf(), waiting('ContainerCreating'), 100, 'Starting', 'Scheduling'],
  ['an image that is not there', jobOf(), waiting('ErrImagePull'), 10, 'Starting', 'ImagePullFailed'],
  ['an image that is never there', jobOf(), waiting('ImagePullBackOff'), 61, 'Ended', 'ImagePullFailed'],
  ['exit code 3', jobOf(), word({ end: 'Exited', exitCode: 3 }), 9, 'Ended', 'Exited'],
  ['the time limit', jobOf(), word({ end: 'TimedOut', exitCode: 137 }), 9, 'Ended', 'TimedOut'],
  ['a limit', jobOf(), word({ end: 'Killed', exitCode: 137 }), 9, 'Ended', 'Killed'],
  ['too much output', jobOf(), word({ end: 'Killed', truncated: true }), 9, 'Ended', 'OutputLimitReached'],
  ['a stop', jobOf(), word({ end: 'Stopped' }), 9, 'Ended', 'Cancelled'],
  ['nobody came', jobOf(), word({ end: 'NotClaimed' }), 9, 'Ended', 'Cancelled'],
  ['the memory', jobOf(), ended({ reason: 'OOMKilled', message: '' }), 9, 'Ended', 'OutOfMemory'],
  ['an eviction', jobOf(), ended({ reason: 'Error' }, { reason: 'Evicted' }), 9, 'Ended', 'Evicted'],
  ['a broken runner', jobOf(), ended({ reason: 'Error', message: 'a {secret' }), 9, 'Ended', 'InfrastructureFailed'],
  ['an endless message', jobOf(), ended({ message: '['.repeat(9000) }), 9, 'Ended', 'InfrastructureFailed'],
  ['the deadline of the Job', failedJob('DeadlineExceeded'), undefined, 9, 'Ended', 'TimedOut'],
  ['a Job that failed', failedJob('BackoffLimitExceeded'), undefined, 9, 'Ended', 'InfrastructureFailed'],
];

describe('coldPhase', () => {
  for (const [name, job, pod, seconds, type, reason] of cases)
    verifies('operator-sandbox:tells-the-end', `judges ${name}`, () => {
      const given = { job: sandboxJob(job), pod: pod && sandboxPod(pod), nowMs: startMs + seconds * 1000 };
      const phase = coldPhase(given);
      expect(phase).toMatchObject(type === 'Ended' ? { type, end: { reason } } : { type, reason });
    });

  verifies('operator-sandbox:tells-the-end', 'repeats nothing that a process wrote, and is bounded', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12, maxLength: 5000 }), (message) => {
        const pod = sandboxPod(ended({ reason: 'Error', message }));
        const phase = coldPhase({ job: sandboxJob(jobOf()), pod, nowMs: startMs });
        expect(phase.type === 'Ended' && phase.end.message.length < 1024).toBe(true);
        expect(JSON.stringify(phase)).not.toContain(JSON.stringify(message).slice(1, -1));
      }),
    );
  });
});

describe('warmPhase', () => {
  it('gives up a sandbox that is silent beyond its time', () => {
    const pod = sandboxPod(podOf({ phase: 'Running', podIP: 'fd00::1' }));
    const at = (seconds: number): ReturnType<typeof warmPhase> =>
      warmPhase({ pod, claimedAtMs: startMs, timeoutSeconds: 60, nowMs: startMs + seconds * 1000 });
    expect(at(89)).toMatchObject({ type: 'Ready', endpoint: '[fd00::1]:7070' });
    expect(at(91)).toMatchObject({ type: 'Ended', end: { reason: 'TimedOut' } });
  });
});

const GROUND = { openedBy: [], digest: 'g' };

describe('the canaries', () => {
  const canary = (minute: number, message: string | undefined, world = 'w'): Canary => {
    const labels = { [LABELS.canary]: 'true' };
    const isOver = message !== undefined;
    const conditions = isOver ? [{ type: 'Complete', status: 'True' }] : [];
    const created = new Date(startMs + minute * 60_000).toISOString();
    const job = {
      metadata: {
        ...metadata,
        name: `c${minute}`,
        labels,
        creationTimestamp: created,
        annotations: { [ANNOTATIONS.canaryWorld]: world },
      },
      status: { conditions },
    };
    const running = { phase: 'Running', podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }] };
    const pod = isOver ? ended({ message }) : podOf(running);
    return { job: sandboxJob(job), pod: sandboxPod(pod), targets: 2, world, ground: 'g' };
  };
  const good = '{"open":[],"tried":2,"reached":true}';
  const open = '{"open":["kubelet"],"tried":2,"reached":true}';
  const alone = '{"open":[],"tried":2,"reached":false}';
  const few = '{"open":[],"tried":1,"reached":true}';

  const states: readonly (readonly [string, readonly Canary[], string])[] = [
    ['none', [], 'Unknown'],
    ['one that runs', [canary(0, undefined)], 'Unknown'],
    ['a good one', [canary(0, good)], 'Enforced'],
    ['an open flow', [canary(0, open)], 'NotEnforced'],
    ['one that nobody reached', [canary(0, alone)], 'Unknown'],
    ['one that did not try all', [canary(0, few)], 'Unknown'],
    ['one that broke', [canary(0, 'x')], 'Unknown'],
    ['a good one, then a broken one', [canary(0, good), canary(1, 'x')], 'Enforced'],
    ['a good one, then an open one', [canary(0, good), canary(1, open)], 'NotEnforced'],
    ['an open one, then a good one', [canary(1, good), canary(0, open)], 'Enforced'],
  ];
  for (const [name, canaries, type] of states)
    verifies('operator-sandbox:network-proved', `judges ${name}`, () => {
      expect(canaryState(canaries, GROUND).type).toBe(type);
    });

  it('come one at a time, again after a fault, a change, an interval', () => {
    const step = (canaries: readonly Canary[], minute: number, world = 'w'): string =>
      nextCanaryStep(canaries, { world, ground: GROUND, intervalSeconds: 21_600, nowMs: startMs + minute * 60_000 })
        .type;
    expect(step([], 0)).toBe('Start');
    expect(step([canary(0, undefined)], 0)).toBe('Reach');
    expect(step([canary(0, good)], 359)).toBe('Wait');
    expect(step([canary(0, good)], 360)).toBe('Start');
    expect(step([canary(0, good)], 0, 'other')).toBe('Wait');
    expect(step([canary(0, good)], 1, 'other')).toBe('Start');
    expect(step([canary(0, open)], 1)).toBe('Start');
  });

  it('leave the last one and the one that decides', () => {
    const canaries = [canary(0, good), canary(1, good), canary(2, 'x'), canary(3, 'x')];
    expect(outdatedCanaries(canaries, GROUND).map(({ job }) => job.name)).toEqual(['c2', 'c0']);
  });
});
