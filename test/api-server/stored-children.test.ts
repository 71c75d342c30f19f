/**
 * What the operator makes, as a real API server stores it: nothing that was asked for is stored otherwise. A field that is would be
 * written again at every change of the object that holds it.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '@retainer/contract/api/agent';
import { SandboxRun } from '@retainer/contract/api/sandbox-run';
import { covers } from '@retainer/operator/apply/covers';
import { desiredAgent } from '@retainer/operator/desired/agent/index';
import { canaryJob, canaryTargets } from '@retainer/operator/desired/sandbox/canary-job';
import { agentSandboxPolicies, canaryPolicy, denyAllPolicy } from '@retainer/operator/desired/sandbox/network-policies';
import { poolJob } from '@retainer/operator/desired/sandbox/pool-job';
import { runJob } from '@retainer/operator/desired/sandbox/run-job';
import type { KubeObject } from '@retainer/kube/kube-object';
import { apiVersionOf } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';
import { observedAgent, settings } from '../support/observed-agent.ts';
import { startApiServer, type ApiServer } from './api-server.ts';

const owner = { namespace: 'agents', name: 'meteorologist', uid: '0b5d1a52-6a3c-4c8e-9f0e-3f1f0e6a7b11' };

/** The example, and one with every way to reach out. */
const SPECS = { example: {}, reaching: { sandbox: { egress: ['example.org'], pool: { size: 2, maxConcurrent: 4 } } } };
const namespaceOf = (name: string): string => `retainer-stored-${name}`;
const namespaces = Object.keys(SPECS).map(namespaceOf);

let api: ApiServer;
let directory: string;

beforeAll(async () => {
  api = await startApiServer(process.env['KUBECONFIG']);
  directory = await mkdtemp(path.join(tmpdir(), 'stored-'));
  await api.kubectl('delete', 'namespace', ...namespaces, '--ignore-not-found', '--timeout=60s');
  for (const namespace of namespaces) await api.kubectl('create', 'namespace', namespace);
});

afterAll(async () => {
  await api.kubectl('delete', 'namespace', ...namespaces, '--wait=false');
  await api.stop();
  await rm(directory, { recursive: true });
});

describe('what the operator asks for', () => {
  it.each(Object.entries(SPECS))('is stored as it was asked for: %s', async (name, spec) => {
    const wanted = [...agentChildren(spec), ...sandboxChildren(spec)].map((object) => ({
      ...object,
      metadata: { ...object.metadata, namespace: namespaceOf(name) },
    }));
    const file = path.join(directory, `${name}.json`);
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: wanted }));
    const answer = await api.kubectl('apply', '--server-side', '--field-manager=stored', '-o', 'json', '-f', file);
    const { items: stored } = JSON.parse(answer) as { readonly items: readonly KubeObject[] };
    expect(stored.map(nameOf)).toEqual(wanted.map(nameOf));
    const otherwise = stored.filter((object, index) => !covers(object, wanted[index]));
    expect(otherwise.map(nameOf)).toEqual([]);
  });
});

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.name}`;
}

function agentChildren(spec: object): readonly KubeObject[] {
  const { foundation, statefulSet, claims } = desiredAgent(observedAgent(spec), settings, 'a-signed-grant');
  return [...foundation, ...(statefulSet === undefined ? [] : [statefulSet]), ...claims].map(({ object }) => object);
}

function sandboxChildren(spec: object): readonly KubeObject[] {
  const { sandbox } = Agent.shape.spec.parse({ ...(observedAgent(spec).root['spec'] as object) });
  const run = SandboxRun.shape.spec.parse({
    agentRef: { name: owner.name },
    runnerPublicKey: 'W6CcR3T7mITtPGpK2E75j4w1GwJJxvY+wdsuBYbqEgo=',
  });
  const jobs = [
    runJob({ owner, run, sandbox, settings, ground: 'g' }),
    poolJob({ owner, sandbox: { ...sandbox, pool: { size: 2, maxConcurrent: 4 } }, settings, operatorKey: 'key' }, 0),
    canaryJob({
      ...{ namespace: settings.sandboxNamespace, settings, world: 'world', ground: 'ground', startedAtMs: 0 },
      targets: canaryTargets({ apiServers: [], dnsServers: [], operatorIp: undefined, agentIps: [] }),
    }),
  ];
  const policies = [
    ...agentSandboxPolicies({ owner, sandbox, settings }),
    canaryPolicy(settings, settings.sandboxNamespace),
    denyAllPolicy(settings.sandboxNamespace),
  ];
  return [
    ...jobs.map((object) => ({ apiVersion: apiVersionOf(resources.jobs), kind: resources.jobs.kind, ...object })),
    ...policies.map((object) => ({
      apiVersion: apiVersionOf(resources.networkPolicies),
      kind: resources.networkPolicies.kind,
      ...object,
    })),
  ];
}
