/** Runs a command on the volumes of an agent, in a pod of its own that is gone afterwards. */
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { agentChildName, agentPodName } from '@retainer/contract/api/child-names';
import type { Clock } from '@retainer/contract/std/clock';
import { ApiError } from '@retainer/kube/api-error';
import type { ConnectionChoice } from '@retainer/kube/connect';
import { execute } from '@retainer/kube/exec';
import type { KubeClient } from '@retainer/kube/kube-client';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { z } from 'zod';
import { AccessError } from './agent-access.ts';
import type { Streams } from './pod-record.ts';
import { recordPod, recordPodName, recordPolicy, type RecordPodOptions } from './record-pod.ts';

/** An image is on the node already, and the volume near it. */
const START_MS = 120_000;
const LOOK_MS = 500;

const Pod = z.object({
  spec: z.object({ nodeName: z.string().optional() }).default({}),
  status: z
    .object({
      phase: z.string().optional(),
      conditions: z.array(z.object({ status: z.string(), message: z.string().optional() })).default([]),
      containerStatuses: z
        .array(z.object({ state: z.object({ waiting: z.object({ message: z.string().optional() }).optional() }) }))
        .default([]),
    })
    .prefault({}),
});
type Pod = z.infer<typeof Pod>;

export interface BesideRecord {
  readonly client: KubeClient;
  readonly choice: ConnectionChoice;
  readonly clock: Clock;
  readonly namespace: string;
  readonly agent: string;
}

export interface RecordWork extends Pick<RecordPodOptions, 'user' | 'writes'> {
  /** @param isLive  the agent's pod runs, so the record may grow meanwhile */
  readonly command: (isLive: boolean) => readonly string[];
  /** What the command reads. Absent: nothing. */
  readonly stdin?: Readable | undefined;
}

/**
 * An auditor at work takes what is said to it in its own container, because its record has one writer.
 *
 * @returns the exit code of the command
 * @throws AccessError where the agent's pod is in the way, a right is missing, or the pod does not start
 */
export async function workBesideRecord(cluster: BesideRecord, work: RecordWork, streams: Streams): Promise<number> {
  const { client, clock, namespace, agent } = cluster;
  const set = await client.get(resources.statefulSets, { namespace, name: agentChildName(agent) });
  if (set === undefined) throw new AccessError(`namespace ${namespace} has no Agent ${agent} that ever started`);
  const running = await observed(client, { namespace, name: agentPodName(agent) });
  if (work.user === 'auditor' && running !== undefined)
    return executed(
      cluster,
      { pod: agentPodName(agent), container: 'auditor' },
      { ...work, command: work.command(true), streams },
    );
  if (work.writes && running !== undefined) throw new AccessError(inTheWay(cluster));
  const name = recordPodName(agent, randomBytes(4).toString('hex'));
  const options = { namespace, agent, name, user: work.user, writes: work.writes, node: running?.spec.nodeName };
  const pod = recordPod(set, options);
  if (pod === undefined) throw new AccessError(`StatefulSet ${agentChildName(agent)} has no container ${work.user}`);
  try {
    await refusedAs(cluster, 'create networkpolicies', client.create(resources.networkPolicies, recordPolicy(options)));
    await refusedAs(cluster, 'create pods', client.create(resources.pods, pod));
    await started(cluster, name, clock.monotonicMs() + START_MS);
    const command = work.command(running !== undefined);
    return await executed(cluster, { pod: name, container: 'record' }, { ...work, command, streams });
  } finally {
    await removed(client, { namespace, name });
  }
}

interface Executed extends Pick<RecordWork, 'stdin'> {
  readonly command: readonly string[];
  readonly streams: Streams;
}

/** @returns the exit code of the command */
async function executed(
  cluster: BesideRecord,
  where: { readonly pod: string; readonly container: string },
  { command, stdin, streams }: Executed,
): Promise<number> {
  const end = await execute(cluster.choice, {
    ...{ namespace: cluster.namespace, ...where, command },
    ...{ stdout: streams.out, stderr: streams.err },
    ...(stdin === undefined ? {} : { stdin }),
  });
  if (end.type === 'Exited') return end.code;
  throw new AccessError(
    end.type === 'Refused' && end.status === 403
      ? rightText(cluster, 'get and create pods/exec')
      : `the command could not be run in pod ${where.pod}: ${end.type === 'Failed' ? end.message : `status ${end.status}`}`,
  );
}

function inTheWay({ namespace, agent }: BesideRecord): string {
  return [
    `pod ${agentPodName(agent)} is there, and nobody else may write the record meanwhile. Suspend the agent, and wait until its pod is gone:`,
    `  kubectl -n ${namespace} patch agent ${agent} --type=merge -p '{"spec":{"suspend":true}}'`,
    `  kubectl -n ${namespace} wait --for=delete pod/${agentPodName(agent)} --timeout=120s`,
  ].join('\n');
}

async function observed(
  client: KubeClient,
  key: { readonly namespace: string; readonly name: string },
): Promise<Pod | undefined> {
  const object = await client.get(resources.pods, key);
  return object === undefined ? undefined : Pod.parse(object);
}

async function started({ client, clock, namespace }: BesideRecord, name: string, endMs: number): Promise<void> {
  for (;;) {
    const pod = await observed(client, { namespace, name });
    if (pod?.status.phase === 'Running') return;
    const isOver = pod === undefined || pod.status.phase === 'Failed' || clock.monotonicMs() > endMs;
    if (isOver) throw new AccessError(`pod ${name} does not start: ${pod === undefined ? 'it is gone' : whyNot(pod)}`);
    await clock.sleep(LOOK_MS);
  }
}

function whyNot({ status: { phase = 'Pending', conditions, containerStatuses } }: Pod): string {
  const messages = [
    ...containerStatuses.map(({ state }) => state.waiting?.message),
    ...conditions.filter(({ status }) => status === 'False').map(({ message }) => message),
  ];
  return [phase, ...new Set(messages.filter((it) => it !== undefined && it !== ''))].join('; ');
}

/** Somebody who may make it may delete it; what stays ends within the hour. */
async function removed(client: KubeClient, key: { readonly namespace: string; readonly name: string }): Promise<void> {
  for (const resource of [resources.pods, resources.networkPolicies]) {
    const live = await client.get(resource, key).catch(() => undefined);
    const uid = live?.metadata.uid;
    if (uid !== undefined) await client.delete(resource, key, { uid }, { gracePeriodSeconds: 0 }).catch(() => false);
  }
}

async function refusedAs(cluster: BesideRecord, right: string, work: Promise<KubeObject>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
    throw new AccessError(`${rightText(cluster, right)}\n${error.message}`, { cause: error });
  }
}

function rightText({ namespace }: BesideRecord, right: string): string {
  return `you lack the right to ${right} in namespace ${namespace}; docs/operations.md, "A damaged record", names all rights that this takes`;
}
