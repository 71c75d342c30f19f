/**
 * What Retainer adds to a pod's start, on a real node: `npm run bench:node`, with Retainer installed on the cluster of test/cluster.
 *
 * Runs inside the cluster's network, as the node itself, so that it reaches pods. Beside each figure of ours stands the plain
 * thing in the same run, in turns: a StatefulSet with a claim of the same image, a Job of the same image.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Agent } from '@retainer/contract/api/agent';
import { podSandbox } from '@retainer/agent-pod/pod/pod-sandbox';
import type { SandboxPort } from '@retainer/agent-pod/ports/ports';
import { connect } from '@retainer/kube/connect';
import { HttpsClient } from '@retainer/kube/https-client';
import type { KubeObject } from '@retainer/kube/kube-object';
import { systemClock } from '@retainer/contract/std/system-clock';
import { resources } from '@retainer/kube/resources';
import { runTool } from '../scripts/kubernetes-tools.ts';
import { PUPPET, puppetAgent, puppetObjects } from '../test/e2e/puppet.ts';
import { bySize } from './bench-size.ts';
import { auditEnd, auditedWrites, tally, untilQuiet, type AuditedWrite } from './operator/audit-writes.ts';
import { writeServiceAccountKubeconfig } from './account-kubeconfig.ts';

const state = process.env['CLUSTER_STATE'] ?? '/var/lib/retainer-cluster';
const kubeconfig = join(state, 'admin-inside.kubeconfig');
const auditLog = join(state, 'log/audit');
const namespace = 'bench-node';
const sandboxNamespace = 'retainer-sandboxes';
/** A pod that is not there after so long is stuck. */
const waitMsMax = 120_000;
/** A look takes a millisecond or two: figures are as fine as this. */
const pollMs = 20;
/** On one node an answer takes a millisecond. A pod that has no network yet drops what is sent: then it is asked anew. */
const answerMsMax = 200;

const kubectl = async (...args: readonly string[]): Promise<string> =>
  (await runTool('kubectl', args, { kubeconfig })).stdout;
const apply = (objects: readonly object[]): Promise<unknown> =>
  runTool('kubectl', ['apply', '--server-side', '-n', namespace, '-f', '-'], {
    kubeconfig,
    input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
  });

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: bySize({ smoke: '1', full: '5' }) },
      claims: { type: 'string', default: bySize({ smoke: '4', full: '40' }) },
      pool: { type: 'string', default: '3' },
    },
  });
  const [rounds, claims, pool] = [values.rounds, values.claims, values.pool].map(Number) as [number, number, number];
  const directory = await mkdtemp(join(tmpdir(), 'bench-node-'));
  const admin = await clientOf(kubeconfig);
  try {
    await mkdir(join(directory, 'workspace'));
    await kubectl('create', 'namespace', namespace);
    await agentStarts(admin, rounds);
    await sandboxStarts(admin, { directory, rounds, claims, pool });
  } finally {
    await kubectl('delete', 'namespace', namespace, '--ignore-not-found', '--wait=true');
    await rm(directory, { recursive: true });
    admin.close();
  }
}

async function clientOf(path: string): Promise<HttpsClient> {
  const connection = await connect({ kubeconfig: { paths: [path] } });
  return new HttpsClient({ connection, clock: systemClock, userAgent: 'bench' });
}

function figure(what: string, timesMs: readonly number[], target = ''): void {
  const sorted = timesMs.toSorted((a, b) => a - b);
  const at = (share: number): string => `${Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN)}`;
  const line = `min ${at(0).padStart(6)}  p50 ${at(0.5).padStart(6)}  p90 ${at(0.9).padStart(6)}  max ${at(1).padStart(6)} ms`;
  process.stdout.write(`  ${what.padEnd(44)} ${line}  n=${sorted.length}  ${target}\n`);
}

function median(timesMs: readonly number[]): number {
  return timesMs.toSorted((a, b) => a - b)[Math.floor((timesMs.length - 1) / 2)] ?? Number.NaN;
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<number> {
  const startedMs = performance.now();
  while (!(await isSo())) {
    if (performance.now() - startedMs > waitMsMax) throw new Error(`waited ${waitMsMax} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return performance.now() - startedMs;
}

function hasCondition(object: KubeObject | undefined, type: string): boolean {
  const { conditions = [] } = (object?.['status'] ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

/** Apply to Ready, in turns. */
async function agentStarts(client: HttpsClient, rounds: number): Promise<void> {
  const image = await imageOf('retainer-operator', 'RETAINER_AGENT_IMAGE');
  const [character, script, agent] = puppetObjects();
  await apply([character ?? {}, script ?? {}]);
  const ours: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const name = `agent-${round}`;
    const key = { namespace, name };
    const sent = performance.now();
    await client.create(resources.agents, { ...agent, metadata: { name, namespace } });
    await until(`Agent ${name}`, async () => hasCondition(await client.get(resources.agents, key), 'Ready'));
    ours.push(performance.now() - sent);
    const plainSent = performance.now();
    await client.create(resources.statefulSets, plainStatefulSet(`plain-${round}`, image));
    const pod = { namespace, name: `plain-${round}-0` };
    await until(`StatefulSet plain-${round}`, async () => hasCondition(await client.get(resources.pods, pod), 'Ready'));
    plain.push(performance.now() - plainSent);
    // Their pods too, so that none of them ends while the next are timed.
    const cascade = ['--cascade=foreground', '--wait=true'];
    await kubectl('delete', `agent/${name}`, `statefulset/plain-${round}`, '-n', namespace, ...cascade);
  }
  process.stdout.write('apply to Ready\n');
  figure('plain StatefulSet with a claim, same image', plain);
  figure('Agent', ours, `≤ plain + 3 s: ${(median(ours) - median(plain)).toFixed(0)} ms more`);
}

async function imageOf(deployment: string, variable: string): Promise<string> {
  const path = `{.spec.template.spec.containers[0].env[?(@.name=="${variable}")].value}`;
  return kubectl('get', 'deployment', deployment, '-n', 'retainer-system', '-o', `jsonpath=${path}`);
}

const server = (port: number): readonly string[] => [
  '-e',
  `require('node:http').createServer((_, answer) => answer.end('x')).listen(${port})`,
];

function plainContainer(image: string, port: number): object {
  return {
    name: 'plain',
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['node', ...server(port)],
    readinessProbe: { httpGet: { path: '/', port }, periodSeconds: 1 },
  };
}

function plainStatefulSet(name: string, image: string): KubeObject {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, namespace },
    spec: {
      serviceName: name,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { terminationGracePeriodSeconds: 1, containers: [plainContainer(image, 8080)] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  };
}

function plainJob(name: string, image: string): KubeObject {
  const spec = { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [plainContainer(image, 7070)] };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace },
    spec: { backoffLimit: 0, template: { metadata: { labels: { app: name } }, spec } },
  };
}

interface SandboxOptions {
  readonly directory: string;
  readonly rounds: number;
  readonly claims: number;
  readonly pool: number;
}

async function sandboxStarts(admin: HttpsClient, { directory, rounds, claims, pool }: SandboxOptions): Promise<void> {
  const image = await imageOf('retainer-operator', 'RETAINER_SANDBOX_IMAGE');
  await apply(puppetObjects());
  await until('the agent', async () =>
    hasCondition(await admin.get(resources.agents, { namespace, name: PUPPET }), 'Ready'),
  );
  const claimant = await claimantOf(admin, directory);
  const cold: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < rounds; round++) {
    cold.push(await firstByte(claimant.sandbox, directory, `cold-${round}`));
    plain.push(await plainFirstByte(admin, `job-${round}`, image));
  }
  process.stdout.write('sandbox, from the request to the first byte\n');
  figure('plain Job of the same image', plain);
  figure('cold', cold, `≤ plain + 1 s: ${(median(cold) - median(plain)).toFixed(0)} ms more`);
  const { sandbox } = puppetAgent()['spec'] as { readonly sandbox: object };
  const pooled = { ...sandbox, pool: { size: pool, maxConcurrent: Math.max(pool, 2) } };
  await apply(puppetObjects({ sandbox: pooled }));
  let ready = await readyPool(admin, pool);
  await untilQuiet(auditLog, isOurs);
  const from = await auditEnd(auditLog);
  const warm: number[] = [];
  for (let claim = 0; claim < claims; claim++) {
    warm.push(await firstByte(claimant.sandbox, directory, `warm-${claim}`));
    ready = await readyPool(admin, pool, ready);
  }
  figure('warm', warm, 'p50 ≤ 100 ms');
  await untilQuiet(auditLog, isOurs);
  await writesOfClaims(from, claims);
  claimant.stop();
}

/** Written by the operator or an agent, Leases apart: those are renewed with and without a claim. */
function isOurs({ user, resource }: AuditedWrite): boolean {
  return /^system:serviceaccount:[^:]+:retainer-/.test(user) && resource !== 'leases';
}

async function writesOfClaims(from: number, claims: number): Promise<void> {
  const writes = await auditedWrites(auditLog, from);
  const ours = writes.filter(isOurs);
  const ofPods = writes.filter((write) => write.namespace === sandboxNamespace && !isOurs(write));
  process.stdout.write(`  API writes per warm claim: ${(ours.length / claims).toFixed(2)} of Retainer (≤ 4), `);
  process.stdout.write(`${(ofPods.length / claims).toFixed(2)} of Kubernetes for the pod in its place\n`);
  for (const [kind, count] of tally(ours, ({ verb, resource }) => `${verb} ${resource}`))
    process.stdout.write(`    ${kind.padEnd(32)} ${(count / claims).toFixed(2)}\n`);
}

/** The agent's own adapter, with the rights of its service account. */
async function claimantOf(
  admin: HttpsClient,
  directory: string,
): Promise<{ readonly sandbox: SandboxPort; stop(): void }> {
  const path = join(directory, 'agent.kubeconfig');
  await writeServiceAccountKubeconfig(path, { kubeconfig, namespace, name: `retainer-${PUPPET}`, duration: '1h' });
  const client = await clientOf(path);
  const agent = Agent.parse(await admin.get(resources.agents, { namespace, name: PUPPET }));
  const pod = podSandbox({
    config: {
      agent: { namespace, name: PUPPET, uid: agent.metadata.uid ?? '' },
      sandboxNamespace,
      dataDirectory: directory,
    },
    client,
    clock: systemClock,
    definition: { agent },
    secrets: [],
  });
  const stop = new AbortController();
  const running = pod.run(stop.signal);
  running.catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
  const probed = await pod.sandbox.probe();
  if (!probed.ok) throw new Error(`${probed.error.reason}: ${probed.error.fix}`);
  return {
    sandbox: pod.sandbox,
    stop: () => {
      stop.abort();
      client.close();
    },
  };
}

/**
 * Milliseconds until a script wrote its first byte, as it says itself: bench and sandbox share the node's clock. The way back, a
 * millisecond, is not in it.
 */
async function firstByte(sandbox: SandboxPort, directory: string, key: string): Promise<number> {
  const startedMs = Date.now();
  const result = await sandbox.run(
    {
      idempotencyKey: `${key}-${startedMs}`,
      language: 'bash',
      script: 'echo $EPOCHREALTIME',
      stdin: '',
      workspaceDirectory: join(directory, 'workspace'),
      readOnlyPaths: [],
      limits: { timeoutMs: 30_000, memoryBytes: 2 ** 27, processes: 64, outputBytes: 65_536, fileBytes: 2 ** 20 },
    },
    new AbortController().signal,
  );
  const firstByteMs = Number(result.stdout) * 1000;
  if (!(firstByteMs > startedMs)) throw new Error(`the sandbox said ${JSON.stringify(result)}`);
  return firstByteMs - startedMs;
}

async function plainFirstByte(client: HttpsClient, name: string, image: string): Promise<number> {
  const startedMs = performance.now();
  await client.create(resources.jobs, plainJob(name, image));
  await until(`an answer of Job ${name}`, async () => {
    const { items } = await client.list(resources.pods, { namespace, labelSelector: `app=${name}` });
    const { podIP } = (items[0]?.['status'] ?? {}) as { podIP?: string };
    return podIP !== undefined && (await answers(`http://${podIP}:7070/`));
  });
  const tookMs = performance.now() - startedMs;
  await kubectl('delete', `job/${name}`, '-n', namespace, '--wait=false');
  return tookMs;
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, (answer) => answer.resume().once('end', () => resolve(true)));
    request.setTimeout(answerMsMax, () => request.destroy());
    request.once('error', () => resolve(false));
  });
}

/** @returns the names of the ready pods, once there are enough and others than those that were there before a claim */
async function readyPool(client: HttpsClient, size: number, before = ''): Promise<string> {
  const labelSelector = `retainer.dev/agent=${PUPPET},retainer.dev/agent-namespace=${namespace},retainer.dev/sandbox-pool`;
  let names = '';
  await until(`${size} ready sandboxes`, async () => {
    const { items } = await client.list(resources.pods, { namespace: sandboxNamespace, labelSelector });
    const ready = items.filter((pod) => hasCondition(pod, 'Ready')).map(({ metadata }) => metadata.name);
    names = ready.toSorted().join();
    return ready.length >= size && names !== before;
  });
  return names;
}

await main();
