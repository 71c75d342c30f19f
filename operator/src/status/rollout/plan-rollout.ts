/**
 * Which agents may get the release now: 1, then 5 %, then 25 %, then all. A wave begins when every agent of the one before is
 * Ready. The first that does not come up halts the rollout, and it stays halted until a person resumes it or another release
 * comes; either begins again with one agent. Pure.
 *
 * Counted are agents that work: only they show whether the release is bad. One that does not work gets the release at the end.
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import type { Release, RolloutState } from '@retainer/contract/wire/rollout';

export type RolloutStage =
  /** Works without the release. */
  | { readonly type: 'Waiting' }
  /** Does not work, or cannot take it, and does not have the release. */
  | { readonly type: 'Resting' }
  /** Restarts with the release; judged again at that moment. */
  | { readonly type: 'Coming'; readonly changesAtMs: number | undefined }
  /** Ready with the release. */
  | { readonly type: 'Ready' }
  /** Did not come up with the release. */
  | { readonly type: 'Failed'; readonly reason: string; readonly message: string; readonly before: string | undefined }
  /** Has the release, and tells nothing about it. */
  | { readonly type: 'Silent' };

export interface RolloutAgent {
  /** `NAMESPACE/NAME`. */
  readonly key: string;
  readonly stage: RolloutStage;
}

export interface RolloutView {
  readonly release: Release;
  /** As stored; undefined before the first rollout. */
  readonly state: RolloutState | undefined;
  /** Judged for {@link beginning} of that state. */
  readonly agents: readonly RolloutAgent[];
  /** Keys that were granted before; caches may not show it yet. */
  readonly granted: ReadonlySet<string>;
  /** ISO 8601. */
  readonly now: string;
}

export interface RolloutPlan {
  readonly state: RolloutState;
  /** Keys that may change now, those granted before included. */
  readonly granted: ReadonlySet<string>;
  /** Keys that return to their image of before. */
  readonly returning: ReadonlySet<string>;
}

/** Share of the agents that have the release at the end of each wave; never less than one agent. */
export const WAVES = [0, 0.05, 0.25, 1] as const;
/** Each restart costs some twenty requests and a pull of the image. */
export const RESTARTS_AT_ONCE_MAX = 50;

/** The state from which this release goes on. @param resume  what a person wrote; undefined: nothing */
export function beginning(
  state: RolloutState | undefined,
  { release, resume, now }: { readonly release: Release; readonly resume: string | undefined; readonly now: string },
): RolloutState {
  const isSame = state?.release.id === release.id;
  const isResumed = state?.phase === 'Halted' && resume === state.changedAt;
  if (state !== undefined && isSame && !isResumed) return state;
  const good = state?.phase === 'Done' ? state.release : state?.good;
  const counts = { wave: 1, waves: WAVES.length, agents: 0, ready: 0 };
  const fresh = { release, phase: 'Rolling', startedAt: now, changedAt: now, ...counts } as const;
  return good === undefined ? fresh : { ...fresh, good };
}

/** @param state  a {@link beginning} */
export function planRollout(view: RolloutView & { readonly state: RolloutState }): RolloutPlan {
  const { state, agents, now } = view;
  const failed = inOrder(view, ({ type }) => type === 'Failed');
  const ended = state.phase === 'Done' && !agents.some(({ stage }) => stage.type === 'Waiting');
  if (ended) return { state, ...NOBODY };
  // Somebody is left over: what was proven before proves nothing for the next look.
  if (state.phase === 'Done')
    return { state: { ...state, phase: 'Rolling', startedAt: now, changedAt: now }, ...NOBODY };
  if (state.phase === 'Halted') return halted(counted(view, state), failed);
  const [first] = failed;
  if (first?.stage.type === 'Failed') {
    const { reason, message, before } = first.stage;
    const returnsTo = before === undefined || before === state.release.image ? {} : { returnsTo: before };
    const fault = { agent: first.key, reason, message, ...returnsTo };
    return halted({ ...counted(view, state), phase: 'Halted', changedAt: now, halted: fault }, failed);
  }
  return advanced(view);
}

const NOBODY = { granted: new Set<string>(), returning: new Set<string>() } as const;

/** Who has not come up returns; who still comes up may do so, and nobody else begins. */
function halted(state: RolloutState, failed: readonly RolloutAgent[]): RolloutPlan {
  return { state, granted: new Set(), returning: new Set(failed.map(({ key }) => key)) };
}

function advanced(view: RolloutView & { readonly state: RolloutState }): RolloutPlan {
  const { release, state, agents, granted, now } = view;
  const waiting = inOrder(view, ({ type }) => type === 'Waiting');
  const kept = waiting.filter(({ key }) => granted.has(key));
  const coming = agents.filter(({ stage }) => stage.type === 'Coming').length;
  const rolling = counted(view, state);
  if (waiting.length + coming === 0)
    return { state: { ...rolling, phase: 'Done', wave: WAVES.length, changedAt: now, good: release }, ...NOBODY };
  const open = coming + kept.length;
  const missing = waveSize(rolling.wave, rolling.agents) - rolling.ready;
  const room = Math.max(0, Math.min(missing, RESTARTS_AT_ONCE_MAX) - open);
  const fresh = waiting.filter(({ key }) => !granted.has(key)).slice(0, room);
  return { ...NOBODY, state: rolling, granted: new Set([...kept, ...fresh].map(({ key }) => key)) };
}

/** Agents that may have the release at the end of a wave. @param wave  from 1 */
export function waveSize(wave: number, agents: number): number {
  return Math.max(1, Math.ceil((WAVES[wave - 1] ?? 1) * agents));
}

function counted({ agents }: RolloutView, state: RolloutState): RolloutState {
  const count = (type: RolloutStage['type']): number => agents.filter(({ stage }) => stage.type === type).length;
  const ready = count('Ready');
  const all = ready + count('Waiting') + count('Coming') + count('Failed');
  const wave = WAVES.findIndex((_, at) => waveSize(at + 1, all) > ready) + 1;
  return { ...state, agents: all, ready, wave: wave === 0 ? WAVES.length : wave };
}

/** Another order for each release, so that not the same agent is the first each time. */
function inOrder({ release, agents }: RolloutView, isMeant: (stage: RolloutStage) => boolean): readonly RolloutAgent[] {
  return agents
    .filter(({ stage }) => isMeant(stage))
    .map((agent) => ({ agent, place: sha256Hex(`${release.id} ${agent.key}`) }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ agent }) => agent);
}
