/**
 * Tells on the operator's own Deployment which namespaces its release has given up: in theirs it may write nothing.
 *
 * I1  What an earlier process told stays until this release tends the namespace again.
 * I2  An operator that gave up nothing writes nothing.
 *
 * The root is no object of a cache but the key of the Deployment.
 */
import { FIELD_MANAGERS } from '@retainer/contract/api/names';
import { isNotFound } from '@retainer/kube/api-error';
import { keyOf, type ObjectKey } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { isTended, type Settings } from '../settings/settings.ts';
import { givenUpIn, stillGivenUp, tendedCondition } from '../status/sandbox/tended-condition.ts';
import { DONE } from './agent-outcome.ts';
import type { Controller, PassParts } from './controller.ts';
import type { Outcome } from './outcome.ts';
import { ownDeployment } from './own-deployment.ts';

/** What the passes of Agents find, for the controller that tells it. */
export class TendedBoard {
  readonly #givenUp = new Set<string>();
  #wake: () => void = () => undefined;

  onWake(wake: () => void): void {
    this.#wake = wake;
  }

  get givenUp(): ReadonlySet<string> {
    return this.#givenUp;
  }

  /** @returns whether it is news in this process */
  giveUp(namespace: string): boolean {
    if (this.#givenUp.has(namespace)) return false;
    this.#givenUp.add(namespace);
    this.#wake();
    return true;
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
  const before = givenUpIn(await client.get(resources.deployments, key, { signal }));
  const now = stillGivenUp(before, board.givenUp, (namespace) => isTended(settings, namespace));
  if (now.join() === before.join()) return DONE;
  const status = now.length === 0 ? {} : { conditions: [tendedCondition(now, clock.nowMs())] };
  const options = { fieldManager: FIELD_MANAGERS.operatorTended, force: true, subresource: 'status', signal } as const;
  try {
    await client.apply(resources.deployments, { ...ownDeployment(settings), status }, options);
  } catch (error) {
    // An operator that runs outside the cluster has no Deployment.
    if (!isNotFound(error)) throw error;
  }
  return DONE;
}
