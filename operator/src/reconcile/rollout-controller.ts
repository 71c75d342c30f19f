/**
 * Carries a release to all agents in waves, and halts at the first that does not come up. `plan-rollout.ts` decides.
 *
 * I1  How far it is stands on the API server: on each StatefulSet which release it has, since when, and the image before; in one
 *     ConfigMap the phase. A new leader goes on from there.
 * I2  The ConfigMap is written before the agents hear of a new phase, so that a halt outlives the process that saw the fault.
 * I3  A release that is everywhere costs nothing.
 *
 * The root is no object but the ConfigMap's key.
 */
import { FIELD_MANAGERS, LABELS } from '@retainer/contract/api/names';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import {
  parseRolloutState,
  ROLLOUT_CONFIG_MAP,
  ROLLOUT_ENTRIES,
  type RolloutState,
} from '@retainer/contract/wire/rollout';
import { keyOf, keyText, type KubeObject, type ObjectKey } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { MANAGED_SELECTOR } from '../observe/observe-agent-indexes.ts';
import { observeRollout } from '../observe/observe-rollout.ts';
import type { Settings } from '../settings/settings.ts';
import { beginning, planRollout, type RolloutAgent, type RolloutPlan } from '../status/rollout/plan-rollout.ts';
import { rolloutCondition } from '../status/rollout/rollout-condition.ts';
import { rolloutStage } from '../status/rollout/rollout-stage.ts';
import { DONE } from './agent-outcome.ts';
import type { PassParts, Controller } from './controller.ts';
import type { Outcome } from './outcome.ts';
import { applyOwnConditions, ownDeployment } from './own-deployment.ts';
import type { RolloutBoard } from './rollout-board.ts';
import type { RolloutMetrics } from './rollout-metrics.ts';

export interface RolloutParts extends PassParts {
  readonly settings: Settings;
  readonly board: RolloutBoard;
  readonly rolloutMetrics: RolloutMetrics;
}

/** Until a person's resume is heard of. One read by name; nothing is read while no rollout is halted. */
const RESUME_LOOK_MS = 5000;
/** Counts may be so old in the ConfigMap: not every restart of a thousand is a write. */
const COUNTS_EVERY_MS = 10_000;
/** A restart begins with passes over several objects; then looks come by events. */
const LOOK_AGAIN_MS = 60_000;
const AT_ONCE_MS = 1;
/** Thousands of pods change while an installation starts, and each look goes over all agents. */
const LOOKS_APART_MS = 250;

export function rolloutController(parts: RolloutParts): Controller {
  const key: ObjectKey = { namespace: parts.settings.namespace, name: ROLLOUT_CONFIG_MAP };
  const passes = new RolloutPasses(parts, key);
  const itself = (): readonly ObjectKey[] => [key];
  return {
    name: 'rollout',
    concurrency: 1,
    fixedKeys: [key],
    watches: [
      { resource: resources.agents, roots: itself },
      { resource: resources.statefulSets, labelSelector: MANAGED_SELECTOR, roots: itself },
      { resource: resources.pods, labelSelector: MANAGED_SELECTOR, roots: itself },
    ],
    reconcile: (_, signal) => passes.reconcile(signal),
  };
}

interface Stored {
  readonly state: RolloutState | undefined;
  readonly resume: string | undefined;
}

class RolloutPasses {
  readonly #parts: RolloutParts;
  readonly #key: ObjectKey;
  /** As on the API server; undefined until it was read. */
  #stored: Stored | undefined;
  #writtenAtMs = Number.NEGATIVE_INFINITY;
  #told = '';
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: RolloutParts, key: ObjectKey) {
    this.#parts = parts;
    this.#key = key;
  }

  async reconcile(signal: AbortSignal): Promise<Outcome> {
    const { board, clock, rolloutMetrics } = this.#parts;
    const { release } = board;
    const earlyMs = this.#lookedAtMs + LOOKS_APART_MS - clock.monotonicMs();
    if (earlyMs > 0) return { type: 'Wait', reason: 'LookedJustNow', afterMs: earlyMs };
    this.#lookedAtMs = clock.monotonicMs();
    const stored = await this.#read(signal);
    const nowMs = clock.nowMs();
    const now = new Date(nowMs).toISOString();
    const state = beginning(stored.state, { release, resume: stored.resume, now });
    const agents = this.#staged(state, nowMs);
    const plan = planRollout({ release, state, agents, granted: board.granted, now });
    const countsDueMs = await this.#write(plan.state, signal);
    board.take(plan, keysOf(agents, ['Coming', 'Failed']), nowMs);
    rolloutMetrics.seen(plan.state);
    // Last, because no agent waits for what people are told.
    await this.#tell(plan.state, signal);
    return outcomeOf(plan, agents, { nowMs, countsDueMs, isFresh: plan.state.startedAt !== state.startedAt });
  }

  #staged({ startedAt }: RolloutState, nowMs: number): readonly RolloutAgent[] {
    const { caches, board } = this.#parts;
    const moment = { release: board.release.id, startedAtMs: Date.parse(startedAt), nowMs };
    return observeRollout(caches).map((observed) => {
      const key = keyText(keyOf(observed.root));
      return { key, stage: rolloutStage({ ...observed, isBlocked: board.isBlocked(key) }, moment) };
    });
  }

  async #read(signal: AbortSignal): Promise<Stored> {
    const known = this.#stored;
    if (known !== undefined && known.state?.phase !== 'Halted') return known;
    const object = await this.#parts.client.get(resources.configMaps, this.#key, { signal });
    const data = (object?.['data'] ?? {}) as Readonly<Record<string, string | undefined>>;
    const state = known?.state ?? parseRolloutState(data[ROLLOUT_ENTRIES.state]);
    const stored = { state, resume: data[ROLLOUT_ENTRIES.resume] };
    this.#stored = stored;
    return stored;
  }

  /** @returns when counts that wait are due, milliseconds; undefined if nothing waits */
  async #write(state: RolloutState, signal: AbortSignal): Promise<number | undefined> {
    const { client, clock } = this.#parts;
    const before = this.#stored?.state;
    if (before !== undefined && canonicalJson(before) === canonicalJson(state)) return undefined;
    const dueMs = this.#writtenAtMs + COUNTS_EVERY_MS - clock.monotonicMs();
    const isUrgent = before?.changedAt !== state.changedAt || before.wave !== state.wave;
    if (!isUrgent && dueMs > 0) return dueMs;
    const object: KubeObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...this.#key, labels: { [LABELS.partOf]: 'retainer', [LABELS.component]: 'rollout' } },
      data: { [ROLLOUT_ENTRIES.state]: canonicalJson(state) },
    };
    const fieldManager = FIELD_MANAGERS.operatorChildren;
    await client.apply(resources.configMaps, object, { fieldManager, force: true, signal });
    this.#writtenAtMs = clock.monotonicMs();
    this.#stored = { state, resume: this.#stored?.resume };
    return undefined;
  }

  /** Condition and Events, once for each phase. */
  async #tell(state: RolloutState, signal: AbortSignal): Promise<void> {
    if (this.#told === state.changedAt) return;
    const condition = rolloutCondition(state);
    const { client, settings } = this.#parts;
    const fieldManager = FIELD_MANAGERS.operatorStatus;
    const isKnown = this.#told === '' && this.#writtenAtMs === Number.NEGATIVE_INFINITY;
    await applyOwnConditions(client, { fieldManager, conditions: [condition], settings }, signal);
    this.#told = state.changedAt;
    // What an earlier leader told is not told again.
    if (isKnown) return;
    const type = state.phase === 'Halted' ? 'Warning' : 'Normal';
    const event = { type, reason: condition.reason, action: 'RollOut', note: condition.message } as const;
    for (const object of this.#regarding(state)) this.#parts.applier.event(object, event);
  }

  #regarding({ halted }: RolloutState): readonly KubeObject[] {
    const { caches, settings } = this.#parts;
    const own = ownDeployment(settings);
    const agent = caches
      .of(resources.agents)
      .list()
      .find((one) => keyText(keyOf(one)) === halted?.agent);
    return agent === undefined ? [own] : [own, agent];
  }
}

function keysOf(agents: readonly RolloutAgent[], types: readonly RolloutAgent['stage']['type'][]): ReadonlySet<string> {
  return new Set(agents.filter(({ stage }) => types.includes(stage.type)).map(({ key }) => key));
}

interface NextLook {
  readonly nowMs: number;
  readonly countsDueMs: number | undefined;
  readonly isFresh: boolean;
}

function outcomeOf(
  { state }: RolloutPlan,
  agents: readonly RolloutAgent[],
  { nowMs, countsDueMs = LOOK_AGAIN_MS, isFresh }: NextLook,
): Outcome {
  if (state.phase === 'Done') return DONE;
  const looks = agents.flatMap(({ stage }) =>
    stage.type === 'Coming' && stage.changesAtMs !== undefined ? [stage.changesAtMs - nowMs] : [],
  );
  const own = isFresh ? AT_ONCE_MS : state.phase === 'Halted' ? RESUME_LOOK_MS : LOOK_AGAIN_MS;
  const afterMs = Math.max(AT_ONCE_MS, Math.min(own, countsDueMs, ...looks));
  return { type: 'Wait', reason: `Rollout${state.phase}`, afterMs };
}
