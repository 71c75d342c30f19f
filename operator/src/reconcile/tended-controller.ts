/**
 * Tells on the operator's own Deployment which namespaces its release has given up: in theirs it may write nothing.
 *
 * I1  What an earlier process told stays until this release tends the namespace again, or a person removes the condition.
 * I2  An operator that gave up nothing writes nothing.
 * I3  Only what is told here lets the passes of Agents delete what they found it by: a process that dies before leaves it to the next.
 *
 * The root is no object of a cache but the key of the Deployment.
 */
import { FIELD_MANAGERS } from '@retainer/contract/api/names';
import { keyOf, type ObjectKey } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { isTended, type Settings } from '../settings/settings.ts';
import { givenUpIn, stillGivenUp, tendedCondition } from '../status/sandbox/tended-condition.ts';
import { DONE } from './agent-outcome.ts';
import type { Controller, PassParts } from './controller.ts';
import type { Outcome } from './outcome.ts';
import { applyOwnConditions, ownDeployment } from './own-deployment.ts';

/** What the passes of Agents find, for the controller that tells it. */
export class TendedBoard {
  /** Not told yet. */
  readonly #news = new Set<string>();
  /** Told once, so that what a person removes stays away. */
  readonly #told = new Set<string>();
  #wake: () => void = () => undefined;

  onWake(wake: () => void): void {
    this.#wake = wake;
  }

  /** A copy. */
  get news(): ReadonlySet<string> {
    return new Set(this.#news);
  }

  /** @returns whether it is news in this process */
  giveUp(namespace: string): boolean {
    if (this.#news.has(namespace) || this.#told.has(namespace)) return false;
    this.#news.add(namespace);
    this.#wake();
    return true;
  }

  isTold(namespace: string): boolean {
    return this.#told.has(namespace);
  }

  /** The condition names them: called once it is written. */
  tell(namespaces: ReadonlySet<string>): void {
    for (const namespace of namespaces) {
      this.#news.delete(namespace);
      this.#told.add(namespace);
    }
  }
}

export interface TendedParts extends PassParts {
  readonly settings: Settings;
  readonly board: TendedBoard;
}

export function tendedController(parts: TendedParts): Controller {
  const key = keyOf(ownDeployment(parts.settings));
  return {
    name: 'tended',
    concurrency: 1,
    fixedKeys: [key],
    watches: [],
    onWake: (wake) => parts.board.onWake(() => wake(key)),
    reconcile: (_, signal) => tell(parts, key, signal),
  };
}

async function tell(
  { settings, board, client, clock }: TendedParts,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Outcome> {
  const { news } = board;
  const before = givenUpIn(await client.get(resources.deployments, key, { signal }));
  const now = stillGivenUp(before.namespaces, news, (namespace) => isTended(settings, namespace));
  if (now.join() !== before.namespaces.join()) {
    const conditions = now.length === 0 ? [] : [tendedCondition(now, clock.nowMs(), before.since)];
    await applyOwnConditions(client, { fieldManager: FIELD_MANAGERS.operatorTended, conditions, settings }, signal);
  }
  board.tell(news);
  return DONE;
}
