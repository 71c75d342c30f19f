import { describe, expect, it } from 'vitest';
import { observedAgent } from '../../../../test/support/observed-agent.ts';
import { verifies } from '../../../../test/verifies.ts';
import {
  observePod,
  observeStatefulSet,
  type ObservedPod,
  type ObservedStatefulSet,
} from '../../observe/observe-agent-pod.ts';
import { podReady, READY_GRACE_MS } from './pod-ready.ts';

const NAME = { name: 'retainer-meteorologist-0', namespace: 'weather' };

function pod(status: object, metadata: object = {}): ObservedPod | undefined {
  const labels = { 'controller-revision-hash': 'new' };
  return observePod({ metadata: { ...NAME, labels, ...metadata }, spec: {}, status });
}

function set(): ObservedStatefulSet | undefined {
  return observeStatefulSet({
    metadata: { ...NAME, generation: 1 },
    spec: { template: { spec: {} } },
    status: { observedGeneration: 1, updateRevision: 'new', currentRevision: 'new' },
  });
}

const container = (name: string, state: object, more: object = {}) => ({
  containerStatuses: [{ name, ready: false, restartCount: 1, state, ...more }],
});
const startMs = Date.UTC(2030, 0, 1);
const at = (afterMs: number): string => new Date(startMs + afterMs).toISOString();
/** Runs since `startMs`; its pod was made, or ceased to be ready, at `unreadyAtMs` after that. */
const running = (unreadyAtMs: number) => ({
  conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: at(unreadyAtMs) }],
  ...container('agent', { running: { startedAt: at(0) } }, { started: true }),
});
const anotherWriter = (livedMs: number, restartCount: number) =>
  container(
    'agent',
    { waiting: { reason: 'CrashLoopBackOff' } },
    { restartCount, lastState: { terminated: { exitCode: 75, startedAt: at(0), finishedAt: at(livedMs) } } },
  );
const READY = { conditions: [{ type: 'Ready', status: 'True' }] };
const word = (reason: string, message = 'say why') => JSON.stringify({ reason, message });

const states: readonly (readonly [name: string, pod: ObservedPod | undefined, reason: string, message: RegExp])[] = [
  ['no pod', undefined, 'Starting', /kubectl describe statefulset/],
  ['a ready pod', pod(READY), 'AgentReady', /works/],
  [
    'a ready pod of an older revision',
    pod(READY, { labels: { 'controller-revision-hash': 'old' } }),
    'Starting',
    /restart/,
  ],
  ['a pod that ends', pod(READY, { deletionTimestamp: '2026-11-22T10:00:00Z' }), 'Starting', /is terminating/],
  [
    'a pod without a node',
    pod({ conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes\nare available' }] }),
    'PodNotScheduled',
    /0\/3 nodes are available/,
  ],
  ['a pod that was evicted', pod({ phase: 'Failed', reason: 'Evicted' }), 'PodNotReady', /Evicted/],
  [
    'an image that does not come',
    pod(container('agent', { waiting: { reason: 'ImagePullBackOff', message: 'not found' } })),
    'ImagePullFailed',
    /does not have the image: correct the installation's image\.agent/,
  ],
  [
    'a container that cannot be made',
    pod(container('auditor', { waiting: { reason: 'CreateContainerConfigError', message: 'no group' } })),
    'PodNotReady',
    /container auditor cannot be created/,
  ],
  [
    'an agent that said why',
    pod(
      container(
        'agent',
        { waiting: { reason: 'CrashLoopBackOff' } },
        { lastState: { terminated: { exitCode: 78, message: word('SecretNotFound') } } },
      ),
    ),
    'SecretNotFound',
    /say why/,
  ],
  [
    'an agent that ended with a reason nobody knows',
    pod(container('agent', { terminated: { exitCode: 1, message: word('AllIsWell') } })),
    'PodCrashing',
    /exit code 1/,
  ],
  [
    'an agent that left something else',
    pod(container('agent', { terminated: { exitCode: 137, reason: 'OOMKilled', message: '{"reason":' } })),
    'PodCrashing',
    /OOMKilled.*kubectl logs retainer-meteorologist-0 -c agent --previous/,
  ],
  [
    'an auditor that says something',
    pod(container('auditor', { terminated: { exitCode: 1, message: word('StorageFull') } })),
    'PodCrashing',
    /container auditor/,
  ],
  [
    'an auditor that ended to tell of a change',
    pod(container('auditor', { terminated: { exitCode: 3, message: word('RecordChanged') } })),
    'Starting',
    /see RecordIntact/,
  ],
  [
    'an agent that runs and is not ready, nobody knows since when',
    pod(container('agent', { running: {} }, { started: true })),
    'PodNotReady',
    /kubectl logs/,
  ],
  ['an agent that takes up its record', pod(running(-2000)), 'Starting', /starts its work/],
  ['an agent that was ready before', pod(running(500)), 'PodNotReady', /kubectl logs/],
  ['an agent that another process kept out', pod(anotherWriter(1000, 2)), 'LeaseLost', /stopped and tries again/],
  ['an agent that another process keeps out', pod(anotherWriter(1000, 3)), 'PodCrashing', /the Lease.*exit code 75/],
  ['an agent that lost its Lease after a long time', pod(anotherWriter(3_600_000, 9)), 'LeaseLost', /the Lease/],
  ['an agent that has not started', pod(container('agent', { running: {} }, { started: false })), 'Starting', /starts/],
];

describe('PodReady', () => {
  it.each(states)('of %s says what to do', (_, seen, reason, message) => {
    const { condition } = podReady(observedAgent({}, { statefulSet: set(), pod: seen }), startMs);
    expect(condition).toMatchObject({ type: 'PodReady', reason, status: reason === 'AgentReady' ? 'True' : 'False' });
    expect(condition.message).toMatch(message);
  });

  verifies('operator-agent:status-says-why', 'names the ConfigMaps that the pod waits for', () => {
    const waiting = pod(container('agent', { waiting: { reason: 'ContainerCreating' } }));
    const seen = observedAgent({}, { statefulSet: set(), pod: waiting, missingConfigMaps: ['files'] });
    const { condition } = podReady(seen, startMs);
    expect(condition).toMatchObject({ reason: 'ConfigMapNotFound', status: 'False' });
    expect(condition.message).toMatch(/ConfigMap files of spec\.workspace\.seeds; create it/);
  });

  verifies(
    'operator-agent:account-renewed',
    'tells of a pod whose account was made anew, until it has a token of it',
    () => {
      const seen = (renewedAccount: string | undefined, annotations = {}) =>
        podReady(observedAgent({}, { statefulSet: set(), pod: pod(READY, { annotations }), renewedAccount }), startMs);
      expect(seen(undefined).condition.reason).toBe('AgentReady');
      const { condition } = seen('uid-2');
      expect(condition).toMatchObject({ reason: 'AccountChanged', status: 'False' });
      expect(condition.message).toMatch(/ServiceAccount retainer-meteorologist was deleted and made again/);
      expect(seen('uid-2', { 'retainer.dev/account-uid': 'uid-2' }).condition.reason).toBe('AgentReady');
    },
  );

  verifies('operator-agent:status-says-why', 'gives a start its time, and no more', () => {
    const seen = observedAgent({}, { statefulSet: set(), pod: pod(running(-2000)) });
    const endMs = startMs + READY_GRACE_MS;
    expect(podReady(seen, endMs - 1)).toMatchObject({ condition: { reason: 'Starting' }, changesAtMs: endMs });
    const late = podReady(seen, endMs);
    expect(late).toMatchObject({ condition: { reason: 'PodNotReady', status: 'False' } });
    expect(late.changesAtMs).toBeUndefined();
  });

  verifies('operator-agent:status-says-why', 'of a suspended Agent is no fault, and says whether a pod drains', () => {
    const reasonOf = (seen: ObservedPod | undefined) =>
      podReady(observedAgent({ suspend: true }, { statefulSet: set(), pod: seen }), startMs).condition.reason;
    expect(reasonOf(pod(READY))).toBe('Draining');
    expect(reasonOf(pod(READY, { deletionTimestamp: '2026-11-22T10:00:00Z' }))).toBe('Draining');
    expect(reasonOf(undefined)).toBe('Suspended');
  });

  it('of an Agent without a StatefulSet is a start', () => {
    expect(podReady(observedAgent(), startMs).condition.reason).toBe('Starting');
  });
});
