/** Frees the sandbox of a run: kills the rest of the run, and asks the API server whether any of it is left. */
import { LABELS } from '@retainer/contract/api/names';
import { sandboxJob, sandboxPod } from '../observe/observe-sandbox-objects.ts';
import { SANDBOX_INDEXES } from '../observe/observe-sandbox-run.ts';
import { resources } from '@retainer/kube/resources';
import { runJobName } from '../desired/sandbox/run-job.ts';
import type { Holder } from './sandbox-run-ledger.ts';
import { listAll } from './sandbox-run-seed.ts';
import type { SandboxParts } from './sandbox-run-parts.ts';

export type SettleParts = Pick<SandboxParts, 'caches' | 'client' | 'applier' | 'ledger'>;

/** Call it only for a run that is over or gone. @returns whether nothing is left, and the place is free */
export async function settle(parts: SettleParts, holder: Holder, signal: AbortSignal): Promise<boolean> {
  const isFree =
    holder.pod === undefined ? await isColdFree(parts, holder, signal) : await isWarmFree(parts, holder, signal);
  if (isFree) parts.ledger.release(holder.runUid);
  return isFree;
}

async function isColdFree(
  { caches, client, applier }: SettleParts,
  holder: Holder,
  signal: AbortSignal,
): Promise<boolean> {
  const { runUid, namespace } = holder;
  // A run's Job makes only one pod, and an ended pod never starts again, so nothing is left to ask.
  const cached = caches.inSandboxes(resources.pods).byIndex(SANDBOX_INDEXES.podsByRun, runUid).map(sandboxPod);
  if (cached.length > 0 && cached.every(({ isEnded }) => isEnded)) return true;
  const name = runJobName({ ...holder.run, uid: runUid });
  const live = await client.get(resources.jobs, { namespace, name }, { signal });
  const job = live === undefined ? undefined : sandboxJob(live);
  if (live !== undefined && job?.isEnded === false) {
    if (!job.isBeingDeleted) await applier.remove(resources.jobs, live, signal);
    return false;
  }
  const pods = await listAll(client, resources.pods, {
    namespace,
    labelSelector: `${LABELS.sandboxRunUid}=${runUid}`,
    signal,
  });
  return pods.every((pod) => sandboxPod(pod).isEnded);
}

async function isWarmFree(
  { caches, client, applier }: SettleParts,
  holder: Holder,
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace, pod: given } = holder;
  if (given === undefined) return true;
  const key = { namespace, name: given.name };
  const cached = caches.inSandboxes(resources.pods).get(key);
  if (cached?.metadata.uid === given.uid && sandboxPod(cached).isEnded) return true;
  const live = await client.get(resources.pods, key, { signal });
  if (live === undefined || live.metadata.uid !== given.uid) return true;
  const pod = sandboxPod(live);
  if (!pod.isEnded && !pod.isBeingDeleted) await applier.remove(resources.pods, live, signal);
  return pod.isEnded;
}
