/**
 * The operator under load: `npm run bench:operator -- [--agents 1000] [--tasks 5000] [--idle-seconds 600]`.
 *
 * A real API server, etcd and controller manager; the operator as its own process with the rights of the shipped roles; a stub
 * that plays kubelet and agents (`operator/play-node.ts`). Writes are counted in the API server's audit log. Run for 100 agents
 * and for 1,000 in one go, it shows how each figure grows.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { connect } from '@retainer/kube/connect';
import { HttpsClient } from '@retainer/kube/https-client';
import type { KubeObject } from '@retainer/kube/kube-object';
import { systemClock } from '@retainer/contract/std/system-clock';
import { resources } from '@retainer/kube/resources';
import { runTool } from '../scripts/kubernetes-tools.ts';
import { skillBody } from '../test/support/operator-world/world-objects.ts';
import { bySize } from './bench-size.ts';
import { auditEnd, auditedWrites, tally, untilQuiet, type AuditedWrite } from './operator/audit-writes.ts';
import { OperatorProcess, type OperatorProcessOptions } from './operator/operator-process.ts';
import { playNode, type PlayedNode } from './operator/play-node.ts';
import { writeServiceAccountDirectory } from './account-kubeconfig.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const cluster = join(root, 'test/cluster/cluster');
const clusterState = '/var/lib/retainer-bench';
/** A cluster of its own, beside one that may be up. */
const clusterEnvironment = {
  ...process.env,
  CLUSTER_STATE: clusterState,
  CLUSTER_NETWORK: 'retainer-bench',
  CLUSTER_API_PORT: '16444',
};
const auditLog = join(clusterState, 'log/audit');
const names = { operator: 'retainer-system', sandboxes: 'retainer-sandboxes', agents: 'bench-agents' } as const;
const operatorUser = `system:serviceaccount:${names.operator}:retainer-operator`;
/** People who apply manifests, all at once; more of them fill the two cores with their own requests. */
const applierCount = 4;
/** Fifty agents and Tasks a second and a margin: what does not converge by then is stuck. */
const convergeMsMax = 900_000;
/** When it came true is read in the audit log. */
const pollMs = 1000;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      agents: { type: 'string', default: bySize({ smoke: '10', full: '100,1000' }) },
      tasks: { type: 'string', default: bySize({ smoke: '20', full: '500,5000' }) },
      'idle-seconds': { type: 'string', default: bySize({ smoke: '5', full: '600' }) },
    },
  });
  const agentCounts = values.agents.split(',').map(Number);
  const taskCounts = values.tasks.split(',').map(Number);
  for (const [index, agents] of agentCounts.entries()) {
    await measured({ agents, tasks: taskCounts[index] ?? agents * 5, idleSeconds: Number(values['idle-seconds']) });
  }
}

interface Load {
  readonly agents: number;
  readonly tasks: number;
  readonly idleSeconds: number;
}

async function measured(load: Load): Promise<void> {
  await run(cluster, ['down'], { env: clusterEnvironment });
  await run(cluster, ['up', '--control-plane'], { timeout: 600_000, env: clusterEnvironment });
  const directory = await mkdtemp(join(tmpdir(), 'bench-operator-'));
  const admin = join(clusterState, 'admin.kubeconfig');
  try {
    const installed = await install(admin, directory);
    const connection = await connect({ kubeconfig: { paths: [admin] } });
    const client = new HttpsClient({ connection, clock: systemClock, userAgent: 'bench' });
    await withLoad(client, installed, load);
    client.close();
  } finally {
    await rm(directory, { recursive: true });
    await run(cluster, ['down'], { env: clusterEnvironment });
  }
}

type Installed = Pick<OperatorProcessOptions, 'accountDirectory' | 'server' | 'nodeOptions'>;

/** What is installed is what the operator of the benchmark is run with. */
const nodeOptionsPath = '{.spec.template.spec.containers[0].env[?(@.name=="NODE_OPTIONS")].value}';

async function install(admin: string, accountDirectory: string): Promise<Installed> {
  const options = ['--namespace', names.operator, '--create-namespace', '--set', 'operator.replicas=0'];
  await runTool('helm', ['install', 'retainer', join(root, 'charts/retainer'), ...options], { kubeconfig: admin });
  await runTool('kubectl', ['create', 'namespace', names.agents], { kubeconfig: admin });
  const deployment = ['deployment', 'retainer-operator', '-n', names.operator, '-o', `jsonpath=${nodeOptionsPath}`];
  const { stdout: nodeOptions } = await runTool('kubectl', ['get', ...deployment], { kubeconfig: admin });
  const server = await writeServiceAccountDirectory(accountDirectory, {
    kubeconfig: admin,
    namespace: names.operator,
    name: 'retainer-operator',
    duration: '4h',
  });
  return { accountDirectory, server, nodeOptions };
}

async function withLoad(client: HttpsClient, installed: Installed, load: Load): Promise<void> {
  const stop = new AbortController();
  const options = {
    ...installed,
    healthPort: 18_081,
    metricsPort: 18_443,
    namespaces: names,
  };
  const node = playNode(client, names.agents, stop.signal);
  try {
    title(load);
    await whileRunning(new OperatorProcess(options), (operator) => underLoad(client, operator, load, node));
    await whileRunning(new OperatorProcess(options), afterRestart);
  } finally {
    stop.abort();
    await node.stopped;
  }
}

async function whileRunning(
  operator: OperatorProcess,
  work: (operator: OperatorProcess) => Promise<void>,
): Promise<void> {
  try {
    await work(operator);
  } finally {
    await operator.stop();
  }
}

async function underLoad(client: HttpsClient, operator: OperatorProcess, load: Load, node: PlayedNode): Promise<void> {
  figure('start to converged, nothing to do', `${((await operator.untilConverged()) / 1000).toFixed(1)} s`);
  await agents(client, load.agents, node);
  await tasks(client, load, node);
  residentMemory(operator);
  const figures = await operator.figures();
  const passes = 'controller_runtime_reconcile_time_seconds';
  const p99Ms = (label?: string): string => `≤ ${figures.quantile(passes, 0.99, label) * 1000} ms`;
  figure('reconcile p99', p99Ms());
  for (const controller of figures.values(`${passes}_count`, 'controller'))
    figure(`    ${controller}`, p99Ms(`controller="${controller}"`));
  for (const which of ['p99', 'max'])
    figure(
      `event loop late, ${which}`,
      `${Math.round((figures.sum(`nodejs_eventloop_lag_${which}_seconds`) ?? Number.NaN) * 1000)} ms`,
    );
  await idle(load);
}

async function afterRestart(operator: OperatorProcess): Promise<void> {
  figure('restart to converged', `${((await operator.untilConverged()) / 1000).toFixed(1)} s`, '≤ 30 s');
  residentMemory(operator);
}

function residentMemory(operator: OperatorProcess): void {
  const { nowBytes, peakBytes } = operator.resident();
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  figure('operator RSS', megabytes(nowBytes), '≤ 300 MB');
  figure('    at its peak', megabytes(peakBytes));
}

function title({ agents: count, tasks: taskCount }: Load): void {
  process.stdout.write(`\n${count} agents, ${taskCount} Tasks\n`);
}

function figure(what: string, value: string, target = ''): void {
  process.stdout.write(`  ${what.padEnd(52)} ${value.padStart(16)}  ${target}\n`);
}

const spec = { characterRef: { name: 'calm' }, skillRefs: [{ name: 'looking' }] };

async function agents(client: HttpsClient, count: number, node: PlayedNode): Promise<void> {
  await client.create(
    resources.characterSpecs,
    own('CharacterSpec', 'calm', {
      persona: 'A careful analyst.',
      highestEndeavour: [{ id: 'honest', description: 'Be honest.', level: 'EthicalMoral', operator: 'Required' }],
    }),
  );
  await client.create(
    resources.skills,
    own('Skill', 'looking', { description: 'Look first.', version: '1.0.0', body: skillBody('Look at the figures.') }),
  );
  await untilQuiet(auditLog, isWork);
  const from = await auditEnd(auditLog);
  const startedMs = Date.now();
  await inParallel(count, (index) => client.create(resources.agents, own('Agent', `agent-${index}`, spec)));
  figure('agents created', seconds(startedMs, Date.now()));
  await until(() => node.readyAgents() === count, 'all agents are ready');
  await untilQuiet(auditLog, isWork);
  const ours = (await auditedWrites(auditLog, from)).filter(isWork);
  figure('first apply to all agents Ready and told', seconds(startedMs, lastMs(ours)));
  figure('operator writes per agent', (ours.length / count).toFixed(2));
  for (const [kind, number] of tally(ours, ({ verb, resource }) => `${verb} ${resource}`))
    figure(`    ${kind}`, (number / count).toFixed(2));
}

async function tasks(client: HttpsClient, load: Load, node: PlayedNode): Promise<void> {
  const from = await auditEnd(auditLog);
  const startedMs = Date.now();
  await inParallel(load.tasks, (index) =>
    client.create(
      resources.tasks,
      own('Task', `task-${index}`, {
        agentRef: { name: `agent-${index % load.agents}` },
        intent: 'Look at the figures.',
      }),
    ),
  );
  figure('Tasks created', seconds(startedMs, Date.now()));
  await until(() => node.finishedTasks() === load.tasks, 'all Tasks are finished');
  await untilQuiet(auditLog, isWork);
  const writes = await auditedWrites(auditLog, from);
  const isOnTask = ({ resource }: AuditedWrite): boolean => resource.startsWith('tasks');
  const onTasks = writes.filter(isOnTask);
  const others = writes.filter((write) => isWork(write) && !isOnTask(write));
  figure('first apply to all Tasks finished and told', seconds(startedMs, lastMs([...onTasks, ...others])));
  const perTask = (count: number): string => (count / load.tasks).toFixed(2);
  figure('writes to a Task over its life, by anybody', perTask(onTasks.length));
  figure('with all else that the operator wrote', perTask(onTasks.length + others.length), '≤ 8');
  for (const [kind, count] of tally([...onTasks, ...others], kindOf)) figure(`    ${kind}`, perTask(count));
}

/** Who wrote what, and whether the API server took it. */
function kindOf({ user, verb, resource, code }: AuditedWrite): string {
  const who = user === operatorUser ? 'operator' : 'agent or person';
  return `${who}: ${verb} ${resource}${code < 400 ? '' : `, refused with ${code}`}`;
}

function lastMs(writes: readonly AuditedWrite[]): number {
  return Math.max(...writes.map(({ answeredMs }) => answeredMs));
}

/** Written by the operator, renewals of its own Lease apart. */
function isWork({ user, resource, namespace }: AuditedWrite): boolean {
  return user === operatorUser && !(resource === 'leases' && namespace === names.operator);
}

/** How many Tasks an Agent has is told a minute late at the most: nothing is at rest before. */
const countsMs = 65_000;

async function idle({ idleSeconds }: Load): Promise<void> {
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  await pause(countsMs);
  const from = await auditEnd(auditLog);
  await pause(idleSeconds * 1000);
  const ours = (await auditedWrites(auditLog, from)).filter(({ user }) => user === operatorUser);
  const work = ours.filter(isWork);
  const ofCanary = work.filter(({ resource, namespace }) => resource === 'jobs' && namespace === names.sandboxes);
  figure(`writes but leases in ${idleSeconds} idle seconds`, String(work.length - ofCanary.length), '0');
  for (const [kind, count] of tally(work, ({ verb, resource }) => `${verb} ${resource}`))
    figure(`    ${kind}`, String(count));
  figure('    of the canary, which no node runs here', String(ofCanary.length));
  figure('    renewals of the Lease', String(ours.length - work.length));
}

function own(kind: string, name: string, content: object): KubeObject {
  return { apiVersion: 'retainer.dev/v1alpha1', kind, metadata: { name, namespace: names.agents }, spec: content };
}

async function inParallel(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: applierCount }, worker));
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  const startedMs = performance.now();
  while (!isSo()) {
    if (performance.now() - startedMs > convergeMsMax)
      throw new Error(`waited ${convergeMsMax / 1000} s until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function seconds(fromMs: number, toMs: number): string {
  return `${((toMs - fromMs) / 1000).toFixed(1)} s`;
}

await main();
