import { describe, expect, it } from 'vitest';
import { recordPod, recordPolicy, type RecordPodOptions } from './record-pod.ts';

const options = {
  ...{ namespace: 'weather', agent: 'ada', name: 'retainer-ada-record-1a2b' },
  ...{ user: 'agent', writes: true, node: undefined },
} as const satisfies RecordPodOptions;
const template = {
  spec: {
    serviceAccountName: 'retainer-ada',
    securityContext: { fsGroup: 10_000 },
    nodeSelector: { disk: 'local' },
    containers: [
      { name: 'agent', image: 'retainer/agent:1', env: [{ name: 'KEY' }], securityContext: { runAsUser: 10_001 } },
      { name: 'auditor', image: 'retainer/agent:1', securityContext: { runAsUser: 10_002 } },
    ],
  },
};
const set = { metadata: { name: 'retainer-ada' }, spec: { template } };

describe('a pod on the volumes of an agent', () => {
  it('has image, user, groups and place of the agent, and neither its account nor its environment', () => {
    const spec = recordPod(set, options)?.['spec'];
    expect(spec).toMatchObject({
      securityContext: { fsGroup: 10_000 },
      nodeSelector: { disk: 'local' },
      containers: [{ image: 'retainer/agent:1', securityContext: { runAsUser: 10_001 } }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-retainer-ada-0' } }],
    });
    expect(JSON.stringify(spec)).not.toMatch(/serviceAccountName|KEY/);
  });

  it('is not made from a StatefulSet of another shape', () => {
    expect(recordPod({ ...set, spec: {} }, options)).toBeUndefined();
  });

  it('has a policy that selects this pod alone', () => {
    const labels = recordPod(set, options)?.metadata.labels ?? {};
    expect(recordPolicy(options)['spec']).toMatchObject({
      podSelector: { matchLabels: { 'app.kubernetes.io/instance': labels['app.kubernetes.io/instance'] } },
    });
    expect(labels['app.kubernetes.io/instance']).toBe(options.name);
    // They are the operator's: an admission policy refuses them from anybody else.
    expect(Object.keys(labels).filter((key) => key.startsWith('retainer.dev/'))).toEqual([]);
  });
});
