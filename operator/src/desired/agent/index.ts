/**
 * All children of an Agent, in the order in which the operator makes them. Pure: the same observation gives the same objects.
 *
 * The order: first what the pod depends on, then the pod, then what depends on the pod.
 *
 *   1  documents           the pod mounts them by name
 *   2  account and rights  a pod without its account is refused; with another's account it would have the rights of that one
 *   3  Lease               the agent may take it but not create it
 *   4  NetworkPolicy       is in force before there is anything to reach
 *   5  Service, budget     the pod's name, and its protection from drains
 *   6  StatefulSet         only when all of the above exist
 *   7  claims              made by the StatefulSet; here their sizes are only raised
 */
import type { BootAgent } from '@retainer/contract/wire/boot';
import type { ObservedAgent } from '../../observe/observe-agent.ts';
import type { Settings } from '../../settings/settings.ts';
import type { AgentChild } from './agent-child.ts';
import { desiredBootConfigMap } from './boot-config-map.ts';
import { bootDocuments, type BootDocuments } from './boot-documents.ts';
import { desiredClaim, VOLUMES } from './claim.ts';
import { desiredDisruptionBudget } from './disruption-budget.ts';
import { egressFault, gitEgressFault } from './egress-needs.ts';
import { desiredService } from './pod-dns.ts';
import { desiredLease } from './lease.ts';
import { desiredNetworkPolicy } from './network-policy.ts';
import type { ChosenRelease } from './release.ts';
import { resolveReferences, type References } from './resolve-references.ts';
import { desiredRole, desiredRoleBinding } from './role.ts';
import { desiredServiceAccount } from './agent-account.ts';
import { desiredStatefulSet } from './stateful-set.ts';

export interface DesiredAgent {
  readonly references: References;
  /** Why the egress that the spec asks for is impossible. */
  readonly egressFault: string | undefined;
  /** Why the remote of the second copy is out of reach. */
  readonly gitEgressFault: string | undefined;
  /** Undefined while a reference is unresolved: the pod keeps its present documents. */
  readonly documents: BootDocuments | undefined;
  /** Everything that the pod depends on, in this order. */
  readonly foundation: readonly AgentChild[];
  /** Undefined while it must stay unchanged. */
  readonly statefulSet: AgentChild | undefined;
  readonly claims: readonly AgentChild[];
}

/**
 * Leases are not watched, because running agents renew them all the time; an agent without its Lease is not ready. The Lease of one
 * that is ready is read until it has told which individual it is, and then now and again for what it tells of its second copy.
 */
function needsLease({ root, pod, isLeaseDue }: ObservedAgent): boolean {
  const { individual } = (root['status'] ?? {}) as { readonly individual?: unknown };
  return pod?.isReady !== true || individual === undefined || isLeaseDue;
}

/**
 * @param egressGrant  signed by the operator; present if the spec asks for the proxy
 * @param chosen  absent: the release of the settings, unmarked
 */
export function desiredAgent(
  observed: ObservedAgent,
  installed: Settings,
  egressGrant: string | undefined,
  chosen?: ChosenRelease,
): DesiredAgent {
  const settings =
    chosen === undefined ? installed : { ...installed, images: { ...installed.images, agent: chosen.image } };
  const { agent, statefulSet, restartRequestedAt, renewedAccount, claims } = observed;
  const references = resolveReferences(observed);
  const documents = documentsOf(agent, references);
  const fault = egressFault(agent, settings.network.egressProxy);
  return {
    references,
    egressFault: fault,
    gitEgressFault: gitEgressFault(agent),
    documents,
    foundation: [
      ...(documents === undefined ? [] : configMaps(agent, documents)),
      desiredServiceAccount(agent),
      desiredRole(agent),
      desiredRoleBinding(agent),
      ...(needsLease(observed) ? [desiredLease(agent)] : []),
      desiredNetworkPolicy(agent, settings),
      desiredService(agent),
      desiredDisruptionBudget(agent),
    ],
    statefulSet:
      documents === undefined || fault !== undefined
        ? undefined
        : desiredStatefulSet({
            agent,
            settings,
            documents,
            egressGrant,
            restartRequestedAt,
            renewedAccount,
            existingClaimTemplates: statefulSet?.claimTemplates,
            rollout: chosen?.mark,
          }),
    claims: VOLUMES.flatMap((volume) => desiredClaim(agent, volume, claims[volume]) ?? []),
  };
}

function documentsOf(agent: BootAgent, { character, skills }: References): BootDocuments | undefined {
  return character.ok && skills.ok ? bootDocuments(agent, character.value, skills.value) : undefined;
}

function configMaps(agent: BootAgent, { config, character, skills }: BootDocuments): readonly AgentChild[] {
  return [config, character, ...skills].map((document) => desiredBootConfigMap(agent, document));
}
