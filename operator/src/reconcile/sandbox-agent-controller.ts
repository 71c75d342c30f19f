/**
 * The objects of an Agent in the namespaces of sandboxes: policies that admit its pod, and its warm sandboxes.
 *
 * I1  A pool is never changed, only followed by another one. It is removed when no run holds one of its pods.
 */
import { poolJob, poolTemplateDigest, type PoolInput } from '../desired/sandbox/pool-job.ts';
import { planPools, type Pool } from '../desired/sandbox/plan-pools.ts';
import { isRuntimeClassAllowed } from '../desired/sandbox/runtime-class.ts';
import { agentSandboxPolicies } from '../desired/sandbox/network-policies.ts';
import { MANAGED_SELECTOR } from '../observe/observe-agent-indexes.ts';
import { keyOf, keyText, type KubeObject, type ObjectKey } from '@retainer/kube/kube-object';
import { LABELS } from '@retainer/contract/api/names';
import { isTended } from '../settings/settings.ts';
import { agentKeyOf, sandboxJob, sandboxPod } from '../observe/observe-sandbox-objects.ts';
import { observedSandboxAgent, SANDBOX_INDEXES, type ObservedSandboxAgent } from '../observe/observe-sandbox-run.ts';
import { resources } from '@retainer/kube/resources';
import { applyPolicy, checkMade } from './apply-policy.ts';
import type { Controller } from './controller.ts';
import type { Outcome } from './outcome.ts';
import { ownDeployment } from './own-deployment.ts';
import { listOf, type SandboxParts } from './sandbox-run-parts.ts';
import { seedLedger } from './sandbox-run-seed.ts';
import type { TendedBoard } from './tended-controller.ts';

const CONCURRENCY = 8;
/** Everything relevant is watched; this only repairs what a bug missed. Source: platforms 6. */
const RESYNC_MS = 36_000_000;
/** Interval of looks at a retired pool, which is deleted after its last run. */
const RETIRED_LOOK_MS = 5000;
/** Until another controller has written one condition. */
const TOLD_LOOK_MS = 1000;

export interface SandboxAgentParts extends SandboxParts {
  readonly tended: TendedBoard;
}

export function sandboxAgentController(parts: SandboxAgentParts): Controller {
  const passes = new SandboxAgentPasses(parts);
  const agentOf = (object: KubeObject): readonly ObjectKey[] => listOf(agentKeyOf(object));
  const agentOfPool = (object: KubeObject): readonly ObjectKey[] =>
    object.metadata.labels?.[LABELS.sandboxPool] === undefined ? [] : agentOf(object);
  const inSandboxes = { isSandbox: true, labelSelector: MANAGED_SELECTOR } as const;
  return {
    name: 'sandbox-agent',
    concurrency: CONCURRENCY,
    watches: [
      { resource: resources.agents, roots: (agent) => [keyOf(agent)] },
      { resource: resources.jobs, ...inSandboxes, roots: agentOfPool },
      { resource: resources.pods, ...inSandboxes, roots: agentOfPool },
      {
        resource: resources.networkPolicies,
        isSandbox: true,
        indexes: { [SANDBOX_INDEXES.policiesByAgent]: (policy) => listOf(agentKeyOf(policy)).map(keyText) },
        roots: agentOf,
      },
    ],
    reconcile: (key, signal) => passes.reconcile(key, signal),
  };
}

class SandboxAgentPasses {
  readonly #parts: SandboxAgentParts;

  constructor(parts: SandboxAgentParts) {
    this.#parts = parts;
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const object = this.#parts.caches.of(resources.agents).get(key);
    if (object === undefined) return this.#cleanUp(key, signal);
    const agent = observedSandboxAgent(object);
    if (agent === undefined)
      return { type: 'Stalled', reason: 'SchemaMismatch', message: `Agent ${keyText(key)} does not fit its schema` };
    await this.#applyPolicies(key, agent, signal);
    const areRetiredLeft = await this.#applyPools(key, agent, signal);
    return areRetiredLeft
      ? { type: 'Wait', reason: 'PoolInUse', afterMs: RETIRED_LOOK_MS }
      : { type: 'Done', resyncAfterMs: RESYNC_MS };
  }

  /** The Agent is gone: deletes its objects here, once the API server confirms it. */
  async #cleanUp(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { applier, metrics, settings } = this.#parts;
    const pools = this.#pools(key);
    const policies = this.#policies(key);
    metrics.noPool(key);
    if (pools.length + policies.length === 0) return gone;
    if (!isTended(settings, key.namespace)) {
      this.#tellAbandoned(key.namespace);
      // They are the only evidence: the next process finds them, if this one dies before the condition is written.
      if (!this.#parts.tended.isTold(key.namespace))
        return { type: 'Wait', reason: 'NotYetTold', afterMs: TOLD_LOOK_MS };
      return this.#abandon(pools, policies, signal);
    }
    if (!(await applier.isGone(resources.agents, key, signal)))
      return { type: 'Wait', reason: 'CacheBehind', afterMs: RETIRED_LOOK_MS };
    for (const policy of policies) await applier.remove(resources.networkPolicies, policy, signal);
    const areLeft = await this.#removePools(key, pools, signal);
    return areLeft ? { type: 'Wait', reason: 'PoolInUse', afterMs: RETIRED_LOOK_MS } : gone;
  }

  /** Ends the sandboxes of an Agent that this operator tended before its installation was narrowed: nobody claims them any more. */
  async #abandon(pools: readonly Pool[], policies: readonly KubeObject[], signal: AbortSignal): Promise<Outcome> {
    const { applier } = this.#parts;
    for (const policy of policies) await applier.remove(resources.networkPolicies, policy, signal);
    for (const { job } of pools) await applier.remove(resources.jobs, job.object, signal);
    return gone;
  }

  /** Where it may write: nothing in a namespace that was taken from it. */
  #tellAbandoned(namespace: string): void {
    const { applier, settings, tended } = this.#parts;
    if (!tended.giveUp(namespace)) return;
    const note = `namespace ${namespace} is in watchNamespaces of this release no more: unless another release tends its Agents, changes of them have no effect and their Tasks are not admitted; see retainer doctor`;
    applier.event(ownDeployment(settings), { type: 'Warning', reason: 'NotTended', action: 'EndSandboxes', note });
  }

  async #applyPolicies(key: ObjectKey, agent: ObservedSandboxAgent, signal: AbortSignal): Promise<void> {
    const { settings, applier } = this.#parts;
    const owner = { ...key, uid: agent.uid };
    const policies = agentSandboxPolicies({ owner, sandbox: agent.sandbox, settings });
    const live = this.#policies(key);
    for (const policy of policies) {
      const known = sameKey(live, policy);
      checkMade(policy, await applyPolicy(this.#parts, { root: agent.object, policy, live: known }, signal));
    }
    const wanted = new Set(policies.map((policy) => keyText(keyOf(policy))));
    for (const policy of live.filter((one) => !wanted.has(keyText(keyOf(one)))))
      await applier.remove(resources.networkPolicies, policy, signal);
  }

  /** @returns whether pools are left to delete */
  async #applyPools(key: ObjectKey, agent: ObservedSandboxAgent, signal: AbortSignal): Promise<boolean> {
    const { ledger, metrics } = this.#parts;
    const pools = this.#pools(key);
    const input = this.#poolInput(key, agent);
    const plan = planPools(pools, input === undefined ? undefined : poolTemplateDigest(input));
    for (const { job } of plan.current) ledger.reinstate(job.name);
    const readyPods = plan.current.reduce((sum, pool) => sum + pool.readyPods, 0);
    // Without a pool, none ready is no news.
    if (input === undefined) metrics.noPool(key);
    else metrics.poolReady(key, readyPods);
    if (input !== undefined && plan.generation !== undefined) {
      const object = poolJob(input, plan.generation);
      const child = { resource: resources.jobs, object, isOutsideNamespace: true };
      const known = sameKey(
        pools.map(({ job }) => job.object),
        object,
      );
      checkMade(object, await this.#parts.applier.applyChild(agent.object, child, known, signal));
    }
    return this.#removePools(key, plan.retired, signal);
  }

  #poolInput(key: ObjectKey, { uid, sandbox, isSuspended }: ObservedSandboxAgent): PoolInput | undefined {
    const { settings, signingKey } = this.#parts;
    if (!sandbox.enabled || isSuspended || sandbox.pool.size === 0) return undefined;
    // Every run of this Agent is refused.
    if (!isRuntimeClassAllowed(sandbox, settings)) return undefined;
    return { owner: { ...key, uid }, sandbox, settings, operatorKey: signingKey.publicKeyBase64 };
  }

  async #removePools(key: ObjectKey, pools: readonly Pool[], signal: AbortSignal): Promise<boolean> {
    const { ledger, applier } = this.#parts;
    if (pools.length === 0) return false;
    await seedLedger(this.#parts, key, signal);
    let areLeft = false;
    for (const { job } of pools) {
      if (!ledger.retire(job.name)) {
        areLeft = true;
        continue;
      }
      await applier.remove(resources.jobs, job.object, signal);
    }
    return areLeft;
  }

  #policies(key: ObjectKey): readonly KubeObject[] {
    const policies = this.#parts.caches.inSandboxes(resources.networkPolicies);
    return policies
      .byIndex(SANDBOX_INDEXES.policiesByAgent, keyText(key))
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  #pools(key: ObjectKey): readonly Pool[] {
    const { caches, ledger } = this.#parts;
    const pods = caches.inSandboxes(resources.pods);
    return caches
      .inSandboxes(resources.jobs)
      .byIndex(SANDBOX_INDEXES.poolsByAgent, keyText(key))
      .map((object) => {
        const job = sandboxJob(object);
        const ready = pods
          .byIndex(SANDBOX_INDEXES.podsByPool, job.name)
          .map(sandboxPod)
          .filter(({ isReady, isBeingDeleted, uid }) => isReady && !isBeingDeleted && !ledger.isGiven(uid));
        return { job, readyPods: ready.length };
      });
  }
}

function sameKey(objects: readonly KubeObject[], wanted: KubeObject): KubeObject | undefined {
  const text = keyText(keyOf(wanted));
  return objects.find((object) => keyText(keyOf(object)) === text);
}

/** Nothing is left to do for this key, and no further pass is needed. */
const gone: Outcome = { type: 'Gone' };
