/**
 * Loads one Agent into the ledger from the API server itself, so that sandboxes given by an earlier operator are known before
 * this one gives any.
 */
import { ANNOTATIONS, LABELS } from '@retainer/contract/api/names';
import type { KubeClient } from '@retainer/kube/kube-client';
import { keyOf, keyText, type KubeObject, type ObjectKey } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';
import { runKeyOf, sandboxJob } from '../observe/observe-sandbox-objects.ts';
import { isRunFinished } from '../observe/observe-sandbox-run.ts';
import { resources } from '@retainer/kube/resources';
import { sandboxNamespaces } from '../settings/settings.ts';
import type { Holder } from './sandbox-run-ledger.ts';
import type { SandboxParts } from './sandbox-run-parts.ts';

export type SeedParts = Pick<SandboxParts, 'client' | 'settings' | 'ledger'>;

const PAGE_SIZE = 500;

export async function seedLedger(
  { client, settings, ledger }: SeedParts,
  agent: ObjectKey,
  signal: AbortSignal,
): Promise<void> {
  if (ledger.isSeeded(keyText(agent))) return;
  const runs = await listAll(client, resources.sandboxRuns, {
    namespace: agent.namespace,
    fieldSelector: `spec.agentRef.name=${agent.name}`,
    signal,
  });
  const labelSelector = `${LABELS.agent}=${agent.name},${LABELS.agentNamespace}=${agent.namespace},${LABELS.sandboxRunUid}`;
  const namespaces = sandboxNamespaces(settings);
  const jobs = await Promise.all(
    namespaces.map((namespace) => listAll(client, resources.jobs, { namespace, labelSelector, signal })),
  );
  ledger.seed(keyText(agent), knownOf(runs, jobs.flat(), settings.sandboxNamespace));
}

function knownOf(
  runs: readonly KubeObject[],
  jobs: readonly KubeObject[],
  sandboxNamespace: string,
): { readonly holders: readonly Holder[]; readonly past: readonly string[] } {
  const unfinished = new Map(runs.filter((run) => !isRunFinished(run)).map((run) => [run.metadata.uid ?? '', run]));
  const cold = jobs.flatMap((object): readonly Holder[] => {
    const { runUid, isEnded } = sandboxJob(object);
    const run = runKeyOf(object);
    if (runUid === undefined || run === undefined) return [];
    // An ended Job matters until its run's status shows the end.
    if (isEnded && !unfinished.has(runUid)) return [];
    const { namespace = '', annotations } = object.metadata;
    return [{ runUid, run, namespace, ...groundOf(annotations?.[ANNOTATIONS.canaryGround]) }];
  });
  const coldUids = new Set(cold.map(({ runUid }) => runUid));
  const bound = [...unfinished].flatMap(([runUid, object]): readonly Holder[] => {
    const { podName, podUid, claim, networkDigest } = statusOf(object);
    if (podUid === undefined || coldUids.has(runUid)) return [];
    const pod = claim === undefined || podName === undefined ? {} : { pod: { name: podName, uid: podUid } };
    return [{ runUid, run: keyOf(object), namespace: sandboxNamespace, ...groundOf(networkDigest), ...pod }];
  });
  const finished = runs.filter(isRunFinished);
  return { holders: [...cold, ...bound], past: finished.map(({ metadata }) => metadata.uid ?? '') };
}

function groundOf(ground: string | undefined): Pick<Holder, 'ground'> {
  return ground === undefined ? {} : { ground };
}

interface GivenStatus {
  readonly podName?: string;
  readonly podUid?: string;
  readonly claim?: object;
  readonly networkDigest?: string;
}

function statusOf(object: KubeObject): GivenStatus {
  return (object as { readonly status?: GivenStatus }).status ?? {};
}

export async function listAll(
  client: KubeClient,
  resource: Resource,
  options: {
    readonly namespace: string;
    readonly labelSelector?: string;
    readonly fieldSelector?: string;
    readonly signal: AbortSignal;
  },
): Promise<readonly KubeObject[]> {
  const items: KubeObject[] = [];
  let next: string | undefined;
  do {
    const page = await client.list(resource, { ...options, limit: PAGE_SIZE, continue: next });
    items.push(...page.items);
    next = page.continue;
  } while (next !== undefined && next !== '');
  return items;
}
