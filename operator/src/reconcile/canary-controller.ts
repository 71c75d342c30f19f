/**
 * Keeps the namespaces of sandboxes closed, and the proof of it current.
 *
 * I1  The policy that denies everything stands in each of them: whoever deletes or changes it, it is made again.
 * I2  No new code starts without a proof: one canary in each namespace, repeated every few hours and after every change of the
 *     operator's own policies. A proof that fails never ends running code.
 * I3  Somebody else's change ends the proof. Code that began before it is ended by the controller of runs.
 *
 * The roots are not objects but the namespaces of sandboxes: `namespace/retainer-canary`.
 */
import { isIP } from 'node:net';
import { LABELS } from '@retainer/contract/api/names';
import {
  API_SERVICE,
  CANARY_INTERVAL_SECONDS,
  canaryJob,
  canaryTargets,
  canaryWorld,
} from '../desired/sandbox/canary-job.ts';
import { CANARY_NAME, canaryPolicy, denyAllPolicy } from '../desired/sandbox/network-policies.ts';
import { MANAGED_SELECTOR } from '../observe/observe-agent-indexes.ts';
import { keyOf, type KubeObject, type ObjectKey } from '@retainer/kube/kube-object';
import { isCanary, observedCanaries, type Canary } from '../observe/observe-sandbox-canary.ts';
import {
  GROUND_INDEX,
  isOfGround,
  observedGround,
  ownPoliciesDigest,
  type SandboxGround,
} from '../observe/observe-sandbox-ground.ts';
import { resources } from '@retainer/kube/resources';
import { canaryState, nextCanaryStep, outdatedCanaries, type CanaryState } from '../status/sandbox/canary-state.ts';
import { applyPolicy, checkMade } from './apply-policy.ts';
import type { Controller } from './controller.ts';
import type { Outcome } from './outcome.ts';
import type { SandboxParts } from './sandbox-run-parts.ts';
import { sandboxNamespaces, sandboxStandard } from '../settings/settings.ts';
import { http } from '@retainer/contract/std/node-http';
import { CANARY_REACHED_PATH } from '@retainer/contract/wire/canary';

export type CanaryParts = Pick<SandboxParts, 'settings' | 'caches' | 'applier' | 'clock' | 'metrics' | 'signingKey'> & {
  /** The operator's own address, where its health port listens; empty if it has none. */
  readonly podIp: string;
  readonly dnsServers: readonly string[];
  /** Whether the canary at `address:port` answers. Never rejects. Default: over HTTP. */
  readonly reach?: (endpoint: string, signal: AbortSignal) => Promise<boolean>;
};

/** Time for the canary to notice that it was reached, and for the cache to show new objects. */
const SOON_MS = 2000;
const ECHO_MS = 15_000;
/** Longest single sleep: the wait for the next proof is too long for one timer. */
const WAIT_MS_MAX = 3_600_000;

export function canaryController(parts: CanaryParts): Controller {
  const passes = new CanaryPasses(parts);
  const keys = sandboxNamespaces(parts.settings).map((namespace) => ({ namespace, name: CANARY_NAME }));
  const inNamespace = ({ metadata }: KubeObject): readonly ObjectKey[] =>
    keys.filter(({ namespace }) => namespace === metadata.namespace);
  const ofCanary = (object: KubeObject): readonly ObjectKey[] => (isCanary(object) ? inNamespace(object) : []);
  const inSandboxes = { isSandbox: true, labelSelector: MANAGED_SELECTOR } as const;
  return {
    name: 'canary',
    concurrency: 1,
    fixedKeys: keys,
    watches: [
      // Without an Agent there is no code, so no proof is needed.
      { resource: resources.agents, roots: () => keys },
      { resource: resources.pods, labelSelector: MANAGED_SELECTOR, roots: () => [] },
      { resource: resources.jobs, ...inSandboxes, roots: ofCanary },
      { resource: resources.pods, ...inSandboxes, roots: ofCanary },
      { resource: resources.namespaces, isSandbox: true, roots: inNamespace },
      {
        resource: resources.networkPolicies,
        // Policies of any author.
        isSandbox: true,
        indexes: {
          [GROUND_INDEX]: (policy) => (isOfGround(policy, parts.signingKey) ? [policy.metadata.namespace ?? ''] : []),
        },
        roots: inNamespace,
      },
    ],
    reconcile: (key, signal) => passes.reconcile(key, signal),
  };
}

class CanaryPasses {
  readonly #parts: CanaryParts;
  /** Creation of the last canary, by namespace: the cache may not show it yet. */
  readonly #startedAtMs = new Map<string, number>();
  /** The state in the last event, by namespace. */
  readonly #told = new Map<string, CanaryState['type']>();

  constructor(parts: CanaryParts) {
    this.#parts = parts;
  }

  async reconcile({ namespace }: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { caches, clock, metrics, settings, signingKey, reach = reachCanary } = this.#parts;
    await this.#applyPolicies(namespace, signal);
    if (!this.#isNeeded()) return { type: 'Stalled', reason: 'NotNeeded', message: 'no Agent runs code' };
    const canaries = observedCanaries(caches, namespace);
    const place = { namespace, standard: sandboxStandard(settings, namespace) };
    const ground = observedGround(caches, place, signingKey);
    const state = canaryState(canaries, ground);
    metrics.canary(namespace, state.type === 'Enforced');
    this.#tell(namespace, state, canaries);
    await this.#removeOutdated(canaries, ground, signal);
    const world = canaryWorld(settings, ownPoliciesDigest(caches, namespace, signingKey));
    const intervalSeconds = CANARY_INTERVAL_SECONDS;
    const step = nextCanaryStep(canaries, { world, ground, intervalSeconds, nowMs: clock.nowMs() });
    switch (step.type) {
      case 'Start':
        await this.#start(namespace, { world, ground: ground.digest }, signal);
        return { type: 'Wait', reason: 'CanaryStarts', afterMs: ECHO_MS };
      case 'Reach':
        await reach(step.endpoint, signal);
        return { type: 'Wait', reason: 'CanaryRuns', afterMs: SOON_MS };
      case 'Wait':
        return { type: 'Wait', reason: state.type, afterMs: Math.min(Math.max(step.afterMs, 1), WAIT_MS_MAX) };
    }
  }

  #isNeeded(): boolean {
    const agents = this.#parts.caches.of(resources.agents).list();
    return agents.some(({ spec }) => {
      const { sandbox } = (spec ?? {}) as { readonly sandbox?: { readonly enabled?: boolean } };
      return sandbox?.enabled !== false;
    });
  }

  /** The one that denies everything first. */
  async #applyPolicies(namespace: string, signal: AbortSignal): Promise<void> {
    const { settings, caches } = this.#parts;
    for (const policy of [denyAllPolicy(namespace), canaryPolicy(settings, namespace)]) {
      const live = caches.inSandboxes(resources.networkPolicies).get(keyOf(policy));
      checkMade(policy, await applyPolicy(this.#parts, { policy, live }, signal));
    }
  }

  async #start(
    namespace: string,
    proof: { readonly world: string; readonly ground: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { settings, clock } = this.#parts;
    const lastMs = this.#startedAtMs.get(namespace);
    const nowMs = clock.nowMs();
    if (lastMs !== undefined && nowMs - lastMs < ECHO_MS) return;
    this.#startedAtMs.set(namespace, nowMs);
    const object = canaryJob({ namespace, settings, targets: this.#targets(), ...proof, startedAtMs: nowMs });
    // There is no root object: a label identifies the canary.
    const child = { resource: resources.jobs, object, isOutsideNamespace: true };
    checkMade(object, await this.#parts.applier.applyChild(object, child, undefined, signal));
  }

  #targets(): ReturnType<typeof canaryTargets> {
    const { podIp, dnsServers, settings, caches } = this.#parts;
    const { apiServerCidrs, apiServerPorts } = settings.network;
    const singles = apiServerCidrs.filter((cidr) => /\/(32|128)$/.test(cidr)).map((cidr) => cidr.replace(/\/\d+$/, ''));
    const endpoints = singles.flatMap((host) => apiServerPorts.map((port) => ({ host, port })));
    const agents = caches
      .of(resources.pods)
      .list()
      .filter(({ metadata }) => metadata.labels?.[LABELS.networkRole] === 'agent');
    return canaryTargets({
      apiServers: [API_SERVICE, ...endpoints],
      dnsServers: dnsServers.filter((server) => isIP(server) !== 0),
      operatorIp: podIp === '' ? undefined : podIp,
      agentIps: agents.flatMap(({ status }) => (status as { readonly podIP?: string } | undefined)?.podIP ?? []),
    });
  }

  async #removeOutdated(canaries: readonly Canary[], ground: SandboxGround, signal: AbortSignal): Promise<void> {
    for (const { job } of outdatedCanaries(canaries, ground))
      await this.#parts.applier.remove(resources.jobs, job.object, signal);
  }

  #tell(namespace: string, state: CanaryState, canaries: readonly Canary[]): void {
    const regarding = canaries.toSorted((a, b) => b.job.createdAtMs - a.job.createdAtMs)[0]?.job.object;
    if (regarding === undefined || this.#told.get(namespace) === state.type || state.type === 'Unknown') return;
    this.#told.set(namespace, state.type);
    const isClosed = state.type === 'Enforced';
    this.#parts.applier.event(regarding, {
      type: isClosed ? 'Normal' : 'Warning',
      reason: isClosed ? 'NetworkPolicyEnforced' : 'NetworkPolicyNotEnforced',
      action: 'ProveNetwork',
      note: noteOf(state),
    });
  }
}

function noteOf(state: Exclude<CanaryState, { readonly type: 'Unknown' }>): string {
  switch (state.type) {
    case 'Enforced':
      return 'all forbidden network flows are closed; code may run';
    case 'Opened':
      return `code is ended and none starts: ${state.by.join('; ')}`;
    case 'NotEnforced':
      return `no code starts: a sandbox reaches ${state.open.join(', ')}`;
  }
}

/** A connection inside a cluster takes milliseconds; a blocked one never answers. */
const REACH_TIMEOUT_MS = 2000;

/** @returns whether the canary answered. Never rejects. */
function reachCanary(endpoint: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get(
      `http://${endpoint}${CANARY_REACHED_PATH}`,
      { signal: AbortSignal.any([signal, AbortSignal.timeout(REACH_TIMEOUT_MS)]), agent: false },
      (response) => {
        response.resume();
        resolve(response.statusCode === 204 || response.statusCode === 200);
      },
    );
    request.on('error', () => resolve(false));
  });
}
