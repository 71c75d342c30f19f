/** Opens the place that a command means, and says which one it is. */
import { resources } from '@retainer/kube/resources';
import { systemClock } from '@retainer/contract/std/system-clock';
import { programVersion } from '@retainer/agent-pod/boot/program-version';
import { connectCluster, type ConnectedCluster } from '../cluster/connect-cluster.ts';
import { readEnvironment, type Caller, type Environment } from '../config.ts';
import { findDataDirectory } from '../data-directory.ts';
import type { Output } from '../output.ts';
import { AccessError, type AgentAccess } from './agent-access.ts';
import { clusterAccess } from './cluster-access.ts';
import { ClusterTasks } from './cluster-tasks.ts';
import { directoryAccess } from './directory-access.ts';
import { RIGHTS } from './missing-right.ts';
import { placeOf, type Place, type PlaceFlags } from './place.ts';
import { workBesideRecord, type RecordWork } from './beside-record.ts';
import { PodRecord, variablesOf, type RecordCommand, type Streams } from './pod-record.ts';
import { wholeTexts } from './whole-texts.ts';

type Cluster = Extract<Place, { where: 'Cluster' }>;

/** @throws AccessError if the place is not there */
export async function openAccess(flags: PlaceFlags, output: Output): Promise<AgentAccess> {
  const environment = readEnvironment();
  const place = meant(flags, environment);
  if (place.where === 'Directory') {
    const directory = await findDataDirectory(place.data);
    if (!directory.ok) throw new AccessError(directory.error);
    if (place.data === undefined) output.note(`in ${directory.value}`, 'Quiet');
    return directoryAccess({ directory: directory.value, userName: environment.userName });
  }
  const opened = await openCluster(place, environment, output);
  const { tasks, connected, options } = opened;
  const access = clusterAccess({ tasks, options, close: () => connected.client.close() });
  return {
    ...access,
    waitingCalls: async () => wholeTexts(await access.waitingCalls(), tasks, recordOf(opened, false)),
  };
}

/** @throws AccessError if the options mean two places */
export function isOnCluster(flags: PlaceFlags): boolean {
  return meant(flags, readEnvironment()).where === 'Cluster';
}

/** A command to run beside an agent. */
export type Beside = RecordCommand & { readonly task?: string | undefined };
type ToldFlags = PlaceFlags & { readonly output: string };

/**
 * Runs a command that only reads the record, or leaves a word for the agent: here, or by the command line beside the agent.
 *
 * @param command  its words and options, without those of the place
 * @param task     the Task or run of its argument: it tells the agent
 * @param here     the same command on a data directory
 */
export function besideAgent(
  flags: ToldFlags,
  command: Beside,
  { output, here }: { readonly output: Output; readonly here: () => Promise<number> },
): Promise<number> {
  return isOnCluster(flags) ? inPodOfAgent(flags, command, { output, streams: output.foreign() }) : here();
}

/** As {@link besideAgent}, on a cluster. @param streams  take what it prints there, byte for byte */
export async function inPodOfAgent(
  flags: ToldFlags,
  command: Beside,
  { output, streams }: { readonly output: Output; readonly streams: Streams },
): Promise<number> {
  const opened = await openNamed(flags, output);
  try {
    const agent = flags.agent ?? (await agentOf(opened, command.task));
    const record = recordOf(opened, output.hasColour, agent);
    const words = [...command.words, '-o', flags.output];
    return await record.run(agent, { ...command, words }, streams);
  } finally {
    opened.connected.client.close();
  }
}

/** A command on the volumes of an agent; see {@link RecordWork}. */
export interface VolumeWork extends Pick<RecordWork, 'user' | 'writes' | 'stdin'> {
  /** @param by  the user name at the API server. @param agent  `NAMESPACE/NAME` */
  readonly words: (by: string, isLive: boolean, agent: string) => readonly string[];
}

/** Runs a command in a pod of its own, beside the agent or in its place. @returns its exit code */
export async function workOnVolumes(
  flags: PlaceFlags,
  output: Output,
  { words, ...work }: VolumeWork,
): Promise<number> {
  const opened = await openNamed(flags, output);
  const { connected, namespace, tasks } = opened;
  try {
    const agent = flags.agent ?? (await agentOf(opened, undefined));
    const by = await tasks.user();
    const variables = variablesOf(callerOf(opened, agent), output.hasColour);
    const command = (isLive: boolean): readonly string[] => [
      'env',
      ...variables,
      ...words(by, isLive, `${namespace}/${agent}`),
    ];
    const cluster = { client: connected.client, choice: connected.choice, clock: systemClock, namespace, agent };
    return await workBesideRecord(cluster, { ...work, command }, output.foreign());
  } finally {
    connected.client.close();
  }
}

/** The Tasks of the cluster that is meant; undefined where a directory is. */
export async function openTasks(
  flags: PlaceFlags,
  output: Output,
): Promise<{ readonly tasks: ClusterTasks; readonly close: () => void } | undefined> {
  const environment = readEnvironment();
  const place = meant(flags, environment);
  if (place.where === 'Directory') return undefined;
  const { tasks, connected } = await openCluster(place, environment, output);
  return { tasks, close: () => connected.client.close() };
}

function meant(flags: PlaceFlags, { caller }: Environment): Place {
  const place = placeOf(flags, caller.isPlugin);
  if (!place.ok) throw new AccessError(place.error);
  return place.value;
}

interface OpenedCluster {
  readonly connected: ConnectedCluster;
  readonly namespace: string;
  readonly tasks: ClusterTasks;
  readonly environment: Environment;
  readonly options: string;
}

/** For a command that only a cluster has: options that name none mean the cluster and namespace of the context. */
async function openNamed(flags: PlaceFlags, output: Output): Promise<OpenedCluster> {
  const environment = readEnvironment();
  const { where: _, ...place } = meant(flags, environment);
  return openCluster({ where: 'Cluster', ...place }, environment, output);
}

async function openCluster(place: Cluster, environment: Environment, output: Output): Promise<OpenedCluster> {
  const connected = await connectCluster(place, environment.cluster, programVersion());
  if (!connected.ok) throw new AccessError(connected.error);
  const { client, address } = connected.value;
  const namespace = place.namespace ?? connected.value.namespace;
  output.note(`on the cluster at ${address}, namespace ${namespace}`, 'Quiet');
  const tasks = new ClusterTasks({ client, namespace, agent: place.agent });
  return { connected: connected.value, namespace, tasks, environment, options: optionsOf(place, namespace) };
}

/** As typed, and with the namespace, so that a copied command means the same when the context changes. */
function optionsOf({ agent, kubeconfig, context }: Cluster, namespace: string): string {
  return [
    `-n ${namespace}`,
    ...(agent === undefined ? [] : [`--agent ${agent}`]),
    ...(kubeconfig === undefined ? [] : [`--kubeconfig ${kubeconfig}`]),
    ...(context === undefined ? [] : [`--context ${context}`]),
  ].join(' ');
}

function recordOf(opened: OpenedCluster, hasColour: boolean, agent?: string): PodRecord {
  const { connected, namespace, tasks } = opened;
  return new PodRecord({ choice: connected.choice, namespace, tasks, caller: callerOf(opened, agent), hasColour });
}

function callerOf({ environment, options }: OpenedCluster, agent: string | undefined): Caller {
  const named = agent === undefined || options.includes('--agent ') ? options : `${options} --agent ${agent}`;
  return { ...environment.caller, options: named };
}

/** The agent of the Task or run; without one, the only agent of the namespace. */
async function agentOf({ connected, tasks, namespace }: OpenedCluster, task: string | undefined): Promise<string> {
  const named = task === undefined ? undefined : await tasks.agentOf(task);
  if (named !== undefined) return named;
  const page = await connected.client
    .list(resources.agents, { namespace })
    .catch((error: unknown) => tasks.refuse(error, RIGHTS.look));
  const names = page.items.map(({ metadata }) => metadata.name);
  const [only] = names;
  if (only === undefined) throw new AccessError(`namespace ${namespace} has no Agent: choose another one with -n`);
  if (names.length > 1)
    throw new AccessError(
      `namespace ${namespace} has several Agents${task === undefined ? '' : ` and no Task ${task}`}: choose one with --agent ${names.join(' or --agent ')}`,
    );
  return only;
}
