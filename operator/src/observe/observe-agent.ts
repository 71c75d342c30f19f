/** Reads, in one place, everything that one pass over an Agent judges. */
import { agentChildName, agentPodName } from '@retainer/contract/api/child-names';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { documentDigest, textDigest, type BootAgent } from '@retainer/contract/wire/boot';
import type { KubeClient } from '@retainer/kube/kube-client';
import { isControlledBy, keyOf, keyText, type KubeObject, type ObjectKey } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';
import type { Caches } from '../watch/caches.ts';
import { observePod, observeStatefulSet, type ObservedPod, type ObservedStatefulSet } from './observe-agent-pod.ts';
import { seenConditions } from './observe-conditions.ts';
import { observeClaim, type ObservedClaim } from './observe-agent-claim.ts';
import { oncePerVersion, parseCharacter, parsedOr, type JudgedCharacter, type Parsed } from './observe-kinds.ts';
import { observeSkills, type ObservedSkill } from './observe-skill.ts';
import type { PinnedTexts } from './observe-skill-text.ts';

export interface ObservedAgent {
  readonly root: KubeObject;
  readonly agent: BootAgent;
  /** A new value restarts the pod. */
  readonly restartRequestedAt: string | undefined;
  /** Uid of its ServiceAccount, if that is younger than the StatefulSet: a pod from before has a token of another account. */
  readonly renewedAccount: string | undefined;
  readonly character: Parsed<JudgedCharacter>;
  /** Skills that the agent names, with all their dependencies. */
  readonly skills: readonly ObservedSkill[];
  /** The StatefulSet that this Agent controls; undefined also if a stranger has its name. */
  readonly statefulSet: ObservedStatefulSet | undefined;
  /** Of that StatefulSet. */
  readonly pod: ObservedPod | undefined;
  readonly claims: { readonly data: ObservedClaim | undefined; readonly audit: ObservedClaim | undefined };
  /** Mounted documents of this Agent, those of earlier versions included. */
  readonly configMaps: readonly KubeObject[];
  /** People's ConfigMaps that the pod waits for. */
  readonly missingConfigMaps: readonly string[];
  /** The authorities of the remote of the second copy were looked for in this pass, and are not there. */
  readonly missingGitAuthorities: boolean;
  /** The Lease of a working agent was not read for a while: it has the note of the second copy. */
  readonly isLeaseDue: boolean;
  readonly tasks: TaskCounts;
  /** Digest of what people decided about its pod: a new one means that a person changed something. */
  readonly people: string;
}

export interface TaskCounts {
  readonly waiting: number;
  readonly running: number;
  readonly finished: number;
  readonly refused: number;
}

/** Index over Tasks: `namespace/agent`. */
export const TASKS_BY_AGENT = 'allTasksOfAgent';

export interface AgentSources {
  readonly caches: Caches;
  readonly client: KubeClient;
  readonly texts: PinnedTexts;
  /** Whether the Lease was not read for a while. */
  readonly isLeaseDue: (agent: Pick<ObservedAgent, 'root' | 'agent' | 'pod'>) => boolean;
}

export function liveChild(caches: Caches, resource: Resource, object: KubeObject): KubeObject | undefined {
  const { namespace = '', name } = object.metadata;
  return caches.of(resource).get({ namespace, name });
}

export async function observeAgent(
  root: KubeObject,
  agent: BootAgent,
  { caches, client, texts, isLeaseDue }: AgentSources,
  signal: AbortSignal,
): Promise<ObservedAgent> {
  const { name, namespace } = agent.metadata;
  const key = (child: string): ObjectKey => ({ namespace, name: child });
  const statefulSet = observeOwnStatefulSet(root, caches.of(resources.statefulSets).get(key(agentChildName(name))));
  const account = renewedAccount(statefulSet, caches.of(resources.serviceAccounts).get(key(agentChildName(name))));
  const pod = observeOwnPod(statefulSet, caches.of(resources.pods).get(key(agentPodName(name))));
  const isDue = isLeaseDue({ root, agent, pod });
  const claim = (volume: string): ObservedClaim | undefined =>
    observeClaim(caches.of(resources.claims).get(key(`${volume}-${agentPodName(name)}`)));
  const configMaps = await observeDocuments({ root, statefulSet, pod }, { caches, client }, signal);
  const names = agent.spec.skillRefs.map((ref) => ref.name);
  const character = caches.of(resources.characterSpecs).get(key(agent.spec.characterRef.name));
  const skills = await observeSkills({ namespace, names }, caches, texts.reader(configMaps), signal);
  return {
    root,
    agent,
    restartRequestedAt: root.metadata.annotations?.[ANNOTATIONS.restartRequestedAt],
    renewedAccount: account,
    character: parsedOr(character, parseCharacter),
    skills,
    people: documentDigest({
      specs: [root, character, ...skills.map((skill) => caches.of(resources.skills).get(key(skill.name)))].map(
        (object) => (object === undefined ? null : specDigest(object)),
      ),
      texts: skills.map(({ text }) => (text?.type === 'Text' ? textDigest(text.text) : null)),
      restart: root.metadata.annotations?.[ANNOTATIONS.restartRequestedAt] ?? null,
      ...(account === undefined ? {} : { account }),
    }),
    statefulSet,
    pod,
    claims: { data: claim('data'), audit: claim('audit') },
    configMaps,
    missingConfigMaps: isWaitingForVolumes(pod) ? await missingSeeds(agent, client, signal) : [],
    missingGitAuthorities: isDue && (await lacksGitAuthorities(root, agent, client, signal)),
    isLeaseDue: isDue,
    tasks: countTasks(caches.of(resources.tasks).byIndex(TASKS_BY_AGENT, `${namespace}/${name}`)),
  };
}

/** Index over ConfigMaps of ours: `namespace/agent`. */
export const CONFIG_MAPS_BY_AGENT = 'configMapsOfAgent';

/** Documents with the labels of this Agent, and those that its pod mounts, even with other labels. */
async function observeDocuments(
  { root, statefulSet, pod }: Pick<ObservedAgent, 'root' | 'statefulSet' | 'pod'>,
  { caches, client }: Pick<AgentSources, 'caches' | 'client'>,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const labelled = caches.of(resources.configMaps).byIndex(CONFIG_MAPS_BY_AGENT, keyText(keyOf(root)));
  const known = new Set(labelled.map(({ metadata }) => metadata.name));
  const mounted = new Set([...(statefulSet?.template.configMapNames ?? []), ...(pod?.configMapNames ?? [])]);
  // Other ConfigMaps are not ours: seeds, and the cluster's certificate.
  const prefix = `${agentChildName(root.metadata.name)}-`;
  const unlabelled: KubeObject[] = [];
  for (const name of mounted) {
    if (known.has(name) || !name.startsWith(prefix)) continue;
    const object = await client.get(resources.configMaps, { ...keyOf(root), name }, { signal });
    if (object !== undefined) unlabelled.push(object);
  }
  return [...labelled, ...unlabelled].filter((object) => isControlledBy(object, root));
}

/** As people wrote it: if the program words the same spec otherwise, that is not a decision of theirs. */
const specDigest = oncePerVersion(({ spec }) => documentDigest(spec ?? null));

function observeOwnStatefulSet(root: KubeObject, live: KubeObject | undefined): ObservedStatefulSet | undefined {
  return live !== undefined && isControlledBy(live, root) ? observeStatefulSet(live) : undefined;
}

function renewedAccount(set: ObservedStatefulSet | undefined, account: KubeObject | undefined): string | undefined {
  const madeAt = account?.metadata.creationTimestamp ?? '';
  // Both in whole seconds of the API server, in one form. Equal ones say nothing, for the first account is made in the second of
  // the StatefulSet: one that is made anew within that second is missed.
  return set !== undefined && madeAt > (set.live.metadata.creationTimestamp ?? madeAt)
    ? account?.metadata.uid
    : undefined;
}

function observeOwnPod(
  statefulSet: ObservedStatefulSet | undefined,
  live: KubeObject | undefined,
): ObservedPod | undefined {
  return live !== undefined && statefulSet !== undefined && isControlledBy(live, statefulSet.live)
    ? observePod(live)
    : undefined;
}

function isWaitingForVolumes(pod: ObservedPod | undefined): boolean {
  return pod?.containers.some(({ state }) => state.waiting?.reason === 'ContainerCreating') === true;
}

/** The kubelet reports a missing ConfigMap only in events, so this reads the seeds while a pod waits for volumes. */
async function missingSeeds(agent: BootAgent, client: KubeClient, signal: AbortSignal): Promise<readonly string[]> {
  const names = new Set(agent.spec.workspace.seeds.map(({ configMapRef }) => configMapRef.name));
  const missing: string[] = [];
  for (const name of names) {
    const key = { namespace: agent.metadata.namespace, name };
    if ((await client.get(resources.configMaps, key, { signal })) === undefined) missing.push(name);
  }
  return missing;
}

/** One that is pushed needs no look: its authorities were there. */
async function lacksGitAuthorities(
  root: KubeObject,
  { metadata, spec }: BootAgent,
  client: KubeClient,
  signal: AbortSignal,
): Promise<boolean> {
  const { caBundleRef } = spec.memory.gitRemote ?? {};
  const isCurrent = seenConditions(root).some(({ type, status }) => type === 'BackupCurrent' && status === 'True');
  if (caBundleRef === undefined || isCurrent) return false;
  const { name, key } = caBundleRef;
  const found = await client.get(resources.configMaps, { namespace: metadata.namespace, name }, { signal });
  return (found?.['data'] as Readonly<Record<string, unknown>> | undefined)?.[key] === undefined;
}

function countTasks(tasks: readonly KubeObject[]): TaskCounts {
  const states = tasks.map(taskState);
  const count = (state: TaskState): number => states.filter((one) => one === state).length;
  const refused = count('Refused');
  return { waiting: count('Waiting'), running: count('Running'), finished: count('Finished') + refused, refused };
}

type TaskState = 'Waiting' | 'Running' | 'Finished' | 'Refused' | 'NotAdmitted';

function taskState(task: KubeObject): TaskState {
  const { outcome, conditions } = readTaskStatus(task['status']);
  if (outcome !== undefined) return outcome === 'Refused' ? 'Refused' : 'Finished';
  if (conditions.has('Running')) return 'Running';
  return conditions.has('Admitted') ? 'Waiting' : 'NotAdmitted';
}

/** `conditions` are the true ones. Parsed by hand, because Tasks change often and only three words matter here. */
function readTaskStatus(status: unknown): { readonly outcome: unknown; readonly conditions: ReadonlySet<unknown> } {
  const fields = status as { outcome?: unknown; conditions?: unknown } | undefined;
  const list: readonly unknown[] = Array.isArray(fields?.conditions) ? fields.conditions : [];
  const holding = list.flatMap((one) => {
    const condition = one as { type?: unknown; status?: unknown } | null;
    return condition?.status === 'True' ? [condition.type] : [];
  });
  return { outcome: fields?.outcome, conditions: new Set(holding) };
}
