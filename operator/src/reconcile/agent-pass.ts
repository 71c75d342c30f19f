/** One pass over one Agent: observe, decide, apply, status, event. `agent-controller.ts` lists its guarantees. */
import type { ChildResult } from '../apply/applier.ts';
import { claimSize, VOLUMES, wantedStorage } from '../desired/agent/claim.ts';
import type { AgentChild } from '../desired/agent/agent-child.ts';
import { agentGrant } from '../desired/agent/egress-needs.ts';
import { desiredAgent, type DesiredAgent } from '../desired/agent/index.ts';
import { chooseRelease, type Permission } from '../desired/agent/release.ts';
import { changesPod, interruptsWork, isOfPeople, replicasPatch } from '../desired/agent/roll-out.ts';
import { signedGrant } from '../desired/sandbox/egress-grant.ts';
import type { SigningKey } from '../desired/signing-key.ts';
import { ApiError } from '@retainer/kube/api-error';
import { keyOf, keyText, type KubeObject, type ObjectKey } from '@retainer/kube/kube-object';
import { agentOfChild } from '../observe/observe-agent-indexes.ts';
import { observeAgentJobs } from '../observe/observe-agent-jobs.ts';
import { observeAgentMail } from '../observe/observe-agent-mail.ts';
import { observeBackupNote } from '../observe/observe-backup-note.ts';
import { observeStatefulSet } from '../observe/observe-agent-pod.ts';
import { liveChild, observeAgent, type AgentSources, type ObservedAgent } from '../observe/observe-agent.ts';
import { PinnedTexts } from '../observe/observe-skill-text.ts';
import { parseAgent } from '../observe/observe-kinds.ts';
import { resources } from '@retainer/kube/resources';
import type { Settings } from '../settings/settings.ts';
import { asStored, changeHoldMs, type StoredAgentStatus } from '../status/agent/change-hold.ts';
import { backupLookMs } from '../status/agent/backup-current.ts';
import { agentStatus, type AgentStatus } from '../status/agent/index.ts';
import type { Obstacle } from '../status/agent/ready.ts';
import type { JudgedClaim } from '../status/agent/storage-ready.ts';
import type { CanaryState } from '../status/sandbox/canary-state.ts';
import { agentOutcome, type Wait } from './agent-outcome.ts';
import { HeldChanges } from './held-changes.ts';
import { LeaseLooks } from './lease-looks.ts';
import type { Outcome } from './outcome.ts';
import { removeUnusedDocuments } from './remove-unused-documents.ts';
import type { RolloutBoard } from './rollout-board.ts';
import { RollingTurns } from './rolling-turns.ts';
import { refuseSpec, writeStatus } from './write-status.ts';
import type { PassParts } from './controller.ts';

export interface AgentControllerParts extends PassParts {
  readonly settings: Settings;
  /** Signs grants of agents that use the egress proxy. */
  readonly key: SigningKey;
  /** State of the canary in the namespace of root code, or in that of all other code. */
  readonly canaryState: (isRoot: boolean) => CanaryState;
  readonly board: RolloutBoard;
}

/** The rollout's first look comes right after the caches are complete, and wakes whoever waits. */
const BOARD_LOOK_MS = 1000;
/** The rollout wakes whoever may change, so this only repairs what a bug missed. */
const BEHIND_LOOK_MS = 60_000;
/** The same words before and during a halt: otherwise a halt would write the status of every agent. */
const BEHIND: Wait = {
  message: 'the agent works; the newest release has not reached it: see retainer rollout status',
  afterMs: BEHIND_LOOK_MS,
};

type Allowed = DesiredAgent & { readonly permission: Permission };

interface Rolled {
  readonly set: AgentChild;
  /** Gets the StatefulSet's result, if it is written now. */
  readonly results: ChildResult[];
  readonly permission: Permission;
}

interface Applied {
  readonly results: readonly ChildResult[];
  /** Read or written in this pass: no cache has it. */
  readonly lease: KubeObject | undefined;
  readonly claims: ReadonlyMap<string, ChildResult>;
  /** Why a change has not reached the pod yet. */
  readonly waiting: Wait | undefined;
}

export class AgentPasses {
  readonly #parts: AgentControllerParts;
  readonly #texts: PinnedTexts;
  readonly #turns: RollingTurns;
  readonly #held: HeldChanges<StoredAgentStatus>;
  readonly #looks: LeaseLooks;
  #knowsTurns = false;

  constructor(parts: AgentControllerParts) {
    this.#parts = parts;
    this.#texts = new PinnedTexts(parts.client);
    this.#turns = new RollingTurns(parts.clock, parts.settings.rollingAgentsMax);
    this.#held = new HeldChanges(parts.clock);
    this.#looks = new LeaseLooks(parts.clock);
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { caches, client, board } = this.#parts;
    const root = caches.of(resources.agents).get(key);
    if (root === undefined || root.metadata.deletionTimestamp !== undefined) {
      this.#turns.forget(keyText(key));
      this.#held.forget(keyText(key));
      this.#looks.forget(keyText(key));
      board.forget(keyText(key));
      return { type: 'Gone' };
    }
    if (board.state === undefined) {
      board.wait(key);
      return { type: 'Wait', reason: 'the rollout is not known yet', afterMs: BOARD_LOOK_MS };
    }
    this.#seeTurns();
    const parsed = parseAgent(root);
    if (parsed.type !== 'Found')
      return refuseSpec(this.#parts.applier, { resource: resources.agents, root, parsed }, signal);
    const isLeaseDue: AgentSources['isLeaseDue'] = (seen) => this.#lookAfterMs(seen) === 0;
    const observed = await observeAgent(root, parsed.value, { caches, client, texts: this.#texts, isLeaseDue }, signal);
    this.#seeTurn(keyText(key), observed.statefulSet);
    return this.#converge(observed, signal);
  }

  #lookAfterMs(seen: Parameters<typeof backupLookMs>[0]): number {
    return this.#looks.dueAfterMs(keyText(keyOf(seen.root)), backupLookMs(seen, this.#parts.clock.nowMs()));
  }

  /** Counts restarts that an earlier leader began before it grants the first turn: passes come in any order. */
  #seeTurns(): void {
    if (this.#knowsTurns) return;
    this.#knowsTurns = true;
    for (const live of this.#parts.caches.of(resources.statefulSets).list())
      for (const key of agentOfChild(live)) this.#seeTurn(keyText(key), observeStatefulSet(live));
  }

  /** A restart because of a release is no turn: it must not hold up what people change. */
  #seeTurn(key: string, set: ObservedAgent['statefulSet']): void {
    this.#turns.seen(key, this.#parts.board.isRestarting(key) ? undefined : set);
  }

  async #converge(observed: ObservedAgent, signal: AbortSignal): Promise<Outcome> {
    const { canaryState, clock, board } = this.#parts;
    const { root, agent } = observed;
    const permission = board.permission(keyOf(root), observed);
    const desired = this.#desired(observed, permission);
    const applied = await this.#apply(observed, { ...desired, permission }, signal);
    const nowMs = clock.nowMs();
    const status = agentStatus({
      observed,
      desired,
      claims: judgedClaims(observed, applied.claims),
      lease: applied.lease,
      backupNote: observeBackupNote(applied.lease),
      jobsNote: observeAgentJobs(applied.lease),
      mailNote: observeAgentMail(applied.lease),
      canary: agent.spec.sandbox.enabled ? canaryState(agent.spec.sandbox.root) : undefined,
      obstacles: applied.results.flatMap(obstacle),
      waiting: applied.waiting?.message,
      leaseDueAfterMs: this.#lookAfterMs(observed),
      nowMs,
    });
    const results = [...applied.results, ...applied.claims.values()];
    const held = await this.#writeInTime(root, status, results, signal);
    if (desired.documents !== undefined && applied.waiting === undefined)
      await removeUnusedDocuments(this.#parts, observed, desired.documents, signal);
    const start: Wait | undefined =
      status.changesAtMs === undefined
        ? undefined
        : {
            message: 'the pod still has time to start, or to tell its individual or its second copy',
            afterMs: status.changesAtMs - nowMs,
          };
    const waits = [applied.waiting, held, start].filter((wait) => wait !== undefined);
    return agentOutcome({ results, references: desired.references, observed, waits });
  }

  #desired(observed: ObservedAgent, permission: Permission): DesiredAgent {
    const { settings, board } = this.#parts;
    const releases = { release: board.release, good: board.state?.good };
    const render = (allowed: Permission): DesiredAgent =>
      desiredAgent(observed, settings, this.#egressGrant(observed), chooseRelease(observed, allowed, releases));
    const desired = render(permission);
    const { statefulSet } = desired;
    // A release that leaves the pod as it is proves nothing.
    const isProof = statefulSet === undefined || changesPod(observed, statefulSet);
    return permission.type === 'Take' && !isProof ? render({ type: 'Take', sinceMs: undefined }) : desired;
  }

  /** @returns when to look again, if the change must wait */
  async #writeInTime(
    root: KubeObject,
    status: AgentStatus,
    results: readonly ChildResult[],
    signal: AbortSignal,
  ): Promise<Wait | undefined> {
    const key = keyText(keyOf(root));
    const { generation, resourceVersion } = root.metadata;
    const stored = this.#held.unseen(key, resourceVersion) ?? ((root['status'] ?? {}) as StoredAgentStatus);
    const holdMs = changeHoldMs({ now: status, stored, generation });
    // The back-off of a failed pass grows, so the time of the next pass is unknown.
    const isFailed = results.some(({ type }) => type === 'Failed');
    const dueAfterMs = holdMs === undefined || isFailed ? 0 : this.#held.dueAfterMs(key, holdMs);
    if (dueAfterMs > 0) return { message: 'a change of the status is due', afterMs: dueAfterMs };
    if (await this.#write(root, status, signal)) this.#held.written(key, asStored(status, generation), resourceVersion);
    return undefined;
  }

  async #apply(observed: ObservedAgent, desired: Allowed, signal: AbortSignal): Promise<Applied> {
    const results: ChildResult[] = [];
    let lease: KubeObject | undefined;
    for (const child of desired.foundation) {
      const result = await this.#applyChild(observed.root, child, signal);
      results.push(result);
      if (child.resource === resources.leases && 'live' in result) lease = result.live;
    }
    if (lease !== undefined) this.#looks.read(keyText(keyOf(observed.root)));
    const isFounded = results.every(({ type }) => type === 'Unchanged' || type === 'Written');
    const set = desired.statefulSet;
    this.#parts.board.block(keyText(keyOf(observed.root)), !isFounded || set === undefined);
    const rolled = { set, results, permission: desired.permission };
    const waiting = isFounded && set !== undefined ? await this.#roll(observed, { ...rolled, set }, signal) : undefined;
    // A stop is never delayed.
    if (set === undefined || (!isFounded && observed.agent.spec.suspend)) await this.#scale(observed, signal);
    const claims = new Map<string, ChildResult>();
    for (const child of desired.claims)
      claims.set(child.object.metadata.name, await this.#applyChild(observed.root, child, signal));
    return { results, lease, claims, waiting };
  }

  async #roll(
    observed: ObservedAgent,
    { set, results, permission }: Rolled,
    signal: AbortSignal,
  ): Promise<Wait | undefined> {
    const key = keyText(keyOf(observed.root));
    const behind = permission.type === 'Stay' && this.#isBehind(observed) ? BEHIND : undefined;
    const isHeld = behind !== undefined && changesPod(observed, set) && !isOfPeople(observed);
    if (!isHeld && permission.type === 'Stay' && interruptsWork(observed, set))
      return (await this.#takeTurn(observed, { set, results }, signal)) ?? behind;
    this.#turns.stopWaiting(key);
    if (!isHeld) results.push(await this.#applyChild(observed.root, set, signal));
    return behind;
  }

  #isBehind({ statefulSet }: ObservedAgent): boolean {
    return statefulSet !== undefined && statefulSet.rollout?.release !== this.#parts.board.release.id;
  }

  /** @returns what it waits for, if the turn is another's */
  async #takeTurn(
    observed: ObservedAgent,
    { set, results }: Omit<Rolled, 'permission'>,
    signal: AbortSignal,
  ): Promise<Wait | undefined> {
    const key = keyText(keyOf(observed.root));
    const turn = this.#turns.take(key);
    if (turn.type === 'Later') {
      const { rollingAgentsMax } = this.#parts.settings;
      const message = `the agent works; its change waits, because at most ${rollingAgentsMax} agents restart at the same time`;
      return { message, afterMs: turn.afterMs };
    }
    const result = await this.#applyChild(observed.root, set, signal);
    results.push(result);
    if (result.type === 'Unchanged' || result.type === 'Written')
      this.#turns.written(key, result.live.metadata.generation);
    else this.#turns.forget(key);
    return undefined;
  }

  /** The only write that is not an apply: it changes one field and leaves all others to their owners. */
  async #scale(observed: ObservedAgent, signal: AbortSignal): Promise<void> {
    const patch = replicasPatch(observed);
    const live = observed.statefulSet?.live;
    if (patch === undefined || live === undefined) return;
    await this.#parts.client.mergePatch(resources.statefulSets, keyOf(live), patch, { signal });
  }

  #applyChild(root: KubeObject, child: AgentChild, signal: AbortSignal): Promise<ChildResult> {
    const { applier, caches } = this.#parts;
    const live = child.resource === resources.leases ? undefined : liveChild(caches, child.resource, child.object);
    return applier.applyChild(root, child, live, signal);
  }

  #egressGrant({ agent }: ObservedAgent): string | undefined {
    return agent.spec.pod.egressProxy ? signedGrant(agentGrant(agent), this.#parts.key) : undefined;
  }

  #write(root: KubeObject, status: AgentStatus, signal: AbortSignal): Promise<boolean> {
    return writeStatus(this.#parts.applier, { resource: resources.agents, root, ...status }, signal);
  }
}

function judgedClaims({ agent, claims }: ObservedAgent, results: Applied['claims']): readonly JudgedClaim[] {
  return VOLUMES.map((volume) => {
    const claim = claims[volume];
    const result = claim === undefined ? undefined : results.get(claim.live.metadata.name);
    return {
      volume,
      wanted: wantedStorage(agent, volume),
      claim,
      size: claim === undefined ? undefined : claimSize(agent, volume, claim),
      refusal: result === undefined ? undefined : refusal(result),
    };
  });
}

/** Longest quoted text of the API server. */
const QUOTE_LENGTH_MAX = 300;

function refusal(result: ChildResult): string | undefined {
  if (result.type === 'NameTaken') return result.message;
  if (result.type !== 'Failed') return undefined;
  const { cause } = result.error;
  return (cause instanceof ApiError ? cause.message : result.error.message).slice(0, QUOTE_LENGTH_MAX);
}

function obstacle(result: ChildResult): readonly Obstacle[] {
  if (result.type === 'NameTaken') return [{ reason: 'NameTaken', message: result.message }];
  return result.type === 'Failed' ? [{ reason: 'ReconcileFailed', message: result.error.message }] : [];
}
