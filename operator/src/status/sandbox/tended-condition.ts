/**
 * The condition AgentsTended on the operator's Deployment: namespaces that its release has given up. Pure.
 *
 * It is Unknown: in those namespaces the operator may look at nothing, so not at another release that tends their Agents either. The
 * condition is also the only record of them, since nothing of their Agents is left where the operator may look.
 */
import { z } from 'zod';
import { AGENTS_TENDED } from '@retainer/contract/wire/rollout';
import { secondTime } from '@retainer/kube/lease-record';
import type { KubeObject } from '@retainer/kube/kube-object';

/** Names in the message: nobody reads more. Each namespace has an Event besides. */
const NAMESPACES_MAX = 200;
const BEFORE = 'given up by this release: ';
const AFTER =
  '; unless another release tends their Agents, changes of these have no effect and their Tasks are not admitted; see retainer doctor';

export interface TendedCondition {
  readonly type: typeof AGENTS_TENDED;
  readonly status: 'Unknown';
  readonly reason: 'NotTended';
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly lastUpdateTime: string;
}

const Conditions = z.object({
  conditions: z
    .array(z.object({ type: z.string(), message: z.string().default(''), lastTransitionTime: z.string().optional() }))
    .default([]),
});

/** @returns sorted; what this release tends again is left out */
export function stillGivenUp(
  known: readonly string[],
  news: ReadonlySet<string>,
  isTended: (namespace: string) => boolean,
): readonly string[] {
  const all = [...new Set([...known, ...news])].filter((namespace) => !isTended(namespace));
  return all.toSorted().slice(0, NAMESPACES_MAX);
}

/**
 * @param givenUp  at least one
 * @param since  when an earlier such condition became Unknown; undefined without one
 */
export function tendedCondition(givenUp: readonly string[], nowMs: number, since: string | undefined): TendedCondition {
  const at = secondTime(nowMs);
  const message = `${BEFORE}${givenUp.join(', ')}${AFTER}`;
  const lastTransitionTime = since ?? at;
  return {
    type: AGENTS_TENDED,
    status: 'Unknown',
    reason: 'NotTended',
    message,
    lastTransitionTime,
    lastUpdateTime: at,
  };
}

export interface GivenUp {
  readonly namespaces: readonly string[];
  /** The condition's lastTransitionTime. */
  readonly since: string | undefined;
}

/** What the condition tells; nothing without it, or where somebody else wrote it. */
export function givenUpIn(deployment: KubeObject | undefined): GivenUp {
  const { conditions = [] } = Conditions.safeParse(deployment?.['status']).data ?? {};
  const { message = '', lastTransitionTime } = conditions.find(({ type }) => type === AGENTS_TENDED) ?? {};
  const isOwn = message.startsWith(BEFORE) && message.endsWith(AFTER);
  if (!isOwn) return { namespaces: [], since: undefined };
  return { namespaces: message.slice(BEFORE.length, -AFTER.length).split(', '), since: lastTransitionTime };
}
