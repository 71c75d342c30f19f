/**
 * The controller of Agents.
 *
 * I1  The operator writes the StatefulSet only when all objects that its pod depends on exist and belong to this Agent.
 * I2  While a reference of the Agent is missing or wrong, the pod continues with its earlier documents.
 * I3  A person's change that restarts a working agent waits for its turn; an agent that does not work gets it at once. A release
 *     comes when the rollout says so, and a person's change never brings it along.
 * I4  Documents are deleted only after the API server itself showed that neither the pod nor its template mentions them.
 * I5  An Agent that is being deleted gets no new children. Its children are deleted with it; its volumes stay.
 */
import { LABELS } from '@retainer/contract/api/names';
import { keyOf, keyText, parseKey, type KubeObject, type ObjectKey } from '@retainer/kube/kube-object';
import {
  agentIndexes,
  agentOfChild,
  agentsWithSkill,
  configMapIndexes,
  dependentSkills,
  MANAGED_SELECTOR,
  skillIndexes,
  taskOfAgentIndexes,
} from '../observe/observe-agent-indexes.ts';
import { isOfGround } from '../observe/observe-sandbox-ground.ts';
import { resources } from '@retainer/kube/resources';
import type { Caches } from '../watch/caches.ts';
import { AgentPasses, type AgentControllerParts } from './agent-pass.ts';
import type { Watched } from '../watch/watched.ts';
import type { Controller } from './controller.ts';

/** Passes over different Agents at once: each waits for the API server most of its time. */
const CONCURRENCY = 16;

export function agentController(parts: AgentControllerParts): Controller {
  const { caches } = parts;
  const passes = new AgentPasses(parts);
  return {
    name: 'agent',
    concurrency: CONCURRENCY,
    watches: [
      { resource: resources.agents, indexes: agentIndexes, roots: itself },
      { resource: resources.characterSpecs, roots: (character) => agentsWithCharacter(caches, character) },
      { resource: resources.skills, indexes: skillIndexes, roots: (skill) => agentsConcernedBySkill(caches, skill) },
      { resource: resources.tasks, indexes: taskOfAgentIndexes, roots: agentOfTask },
      {
        resource: resources.pods,
        isSandbox: true,
        labelSelector: MANAGED_SELECTOR,
        roots: (pod) => agentsConcernedByCanary(caches, pod),
      },
      {
        resource: resources.jobs,
        isSandbox: true,
        labelSelector: MANAGED_SELECTOR,
        roots: (job) => agentsConcernedByCanary(caches, job),
      },
      {
        resource: resources.networkPolicies,
        isSandbox: true,
        roots: (policy) => (isOfGround(policy, parts.key) ? allAgents(caches) : []),
      },
      { resource: resources.namespaces, isSandbox: true, roots: () => allAgents(caches) },
      ...CHILDREN.map((watched) => ({ ...watched, labelSelector: MANAGED_SELECTOR, roots: agentOfChild })),
    ],
    onWake: (wake) => parts.board.onWake(wake),
    reconcile: (key, signal) => passes.reconcile(key, signal),
  };
}

/** Leases are not watched: an agent renews its own all the time, and an agent without a Lease is not ready. */
const CHILDREN: readonly Watched[] = [
  { resource: resources.configMaps, indexes: configMapIndexes },
  { resource: resources.serviceAccounts },
  { resource: resources.roles },
  { resource: resources.roleBindings },
  { resource: resources.networkPolicies },
  { resource: resources.services },
  { resource: resources.disruptionBudgets },
  { resource: resources.statefulSets },
  { resource: resources.pods },
  { resource: resources.claims },
];

function itself(object: KubeObject): readonly ObjectKey[] {
  return [keyOf(object)];
}

function agentsWithCharacter(caches: Caches, character: KubeObject): readonly ObjectKey[] {
  return caches
    .of(resources.agents)
    .byIndex('agentsByCharacter', keyText(keyOf(character)))
    .map(keyOf);
}

/** Agents that name the skill, or a skill that builds on it. */
function agentsConcernedBySkill(caches: Caches, skill: KubeObject): readonly ObjectKey[] {
  const own = keyText(keyOf(skill));
  const skills = [own, ...dependentSkills(caches, own).map((dependent) => keyText(keyOf(dependent)))];
  return skills.flatMap((key) => agentsWithSkill(caches, key)).map(keyOf);
}

function agentOfTask(task: KubeObject): readonly ObjectKey[] {
  return Object.values(taskOfAgentIndexes)
    .flatMap((index) => index(task))
    .map(parseKey);
}

/** All agents: canaries decide whether code may run, and end seldom. Of pod and Job, the later completes the proof. */
function agentsConcernedByCanary(caches: Caches, canary: KubeObject): readonly ObjectKey[] {
  if (canary.metadata.labels?.[LABELS.canary] === undefined || !hasEnded(canary)) return [];
  return allAgents(caches);
}

function allAgents(caches: Caches): readonly ObjectKey[] {
  return caches.of(resources.agents).list().map(keyOf);
}

/** For a pod or a Job. A Job has a condition only after its end. */
function hasEnded({ status }: KubeObject): boolean {
  const { phase, conditions } = (status ?? {}) as { readonly phase?: unknown; readonly conditions?: unknown };
  if (phase !== undefined) return phase === 'Succeeded' || phase === 'Failed';
  return Array.isArray(conditions) && conditions.length > 0;
}
