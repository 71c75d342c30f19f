/** What the rollout lets each agent do at this moment: written by the controller of rollouts, asked by the passes of Agents. */
import { keyText, parseKey, type ObjectKey } from '@retainer/kube/kube-object';
import type { Release, RolloutState } from '@retainer/contract/wire/rollout';
import type { Permission } from '../desired/agent/release.ts';
import { works } from '../status/rollout/rollout-stage.ts';
import type { ObservedAgent } from '../observe/observe-agent.ts';
import type { RolloutPlan } from '../status/rollout/plan-rollout.ts';

export class RolloutBoard {
  readonly release: Release;
  /** Moment of the grant by key, since 1970. */
  readonly #granted = new Map<string, number>();
  readonly #blocked = new Set<string>();
  /** Those that wait without a grant. */
  readonly #waiting = new Map<string, ObjectKey>();
  #restarting: ReadonlySet<string> = new Set();
  #returning: ReadonlySet<string> = new Set();
  #state: RolloutState | undefined;
  #wake: (key: ObjectKey) => void = () => undefined;

  constructor(release: Release) {
    this.release = release;
  }

  get granted(): ReadonlySet<string> {
    return new Set(this.#granted.keys());
  }

  /** Undefined before the first plan of this process. */
  get state(): RolloutState | undefined {
    return this.#state;
  }

  onWake(wake: (key: ObjectKey) => void): void {
    this.#wake = wake;
  }

  /** @param restarting  agents that come up with the release, or did not */
  take({ state, granted, returning }: RolloutPlan, restarting: ReadonlySet<string>, nowMs: number): void {
    const isNews = this.#state === undefined || (state.phase === 'Done' && this.#state.phase !== 'Done');
    const fresh = [...granted].filter((key) => !this.#granted.has(key));
    const returns = [...returning].filter((key) => !this.#returning.has(key));
    for (const key of this.#granted.keys()) if (!granted.has(key)) this.#granted.delete(key);
    for (const key of fresh) this.#granted.set(key, nowMs);
    this.#state = state;
    this.#returning = returning;
    this.#restarting = restarting;
    const waiting = isNews ? [...this.#waiting.values()] : [];
    for (const key of [...[...fresh, ...returns].map(parseKey), ...waiting]) this.#wake(key);
    if (isNews) this.#waiting.clear();
  }

  /** Whether an agent restarts because of the release: such a restart is nobody's turn. */
  isRestarting(key: string): boolean {
    return this.#restarting.has(key);
  }

  /** An agent that cannot take the release holds nobody up. */
  block(key: string, isBlocked: boolean): void {
    if (isBlocked) this.#blocked.add(key);
    else this.#blocked.delete(key);
  }

  isBlocked(key: string): boolean {
    return this.#blocked.has(key);
  }

  /** Remembers an agent that waits for the next news. */
  wait(key: ObjectKey): void {
    this.#waiting.set(keyText(key), key);
  }

  permission(key: ObjectKey, observed: Pick<ObservedAgent, 'agent' | 'pod'>): Permission {
    const text = keyText(key);
    const state = this.#state;
    const grantedMs = this.#granted.get(text);
    if (this.#returning.has(text)) return { type: 'Return' };
    if (grantedMs !== undefined) return { type: 'Take', sinceMs: works(observed) ? grantedMs : undefined };
    if (state?.phase === 'Done' && !works(observed)) return { type: 'Take', sinceMs: undefined };
    this.wait(key);
    return { type: 'Stay' };
  }

  forget(key: string): void {
    this.#waiting.delete(key);
    this.#blocked.delete(key);
  }
}
