/** Indexes that lead from an Agent's references and children back to the Agent. */
import { LABELS } from '@retainer/contract/api/names';
import type { IndexFunction } from '@retainer/kube/cache';
import type { KubeObject, ObjectKey } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import type { Caches } from '../watch/caches.ts';
import { CONFIG_MAPS_BY_AGENT, TASKS_BY_AGENT } from './observe-agent.ts';

/** Labels of everything of ours: the operator watches no other objects of built-in kinds. */
export const MANAGED_SELECTOR = `${LABELS.managedBy}=retainer`;

const namesAt = (path: readonly string[]): IndexFunction => {
  return (object) => {
    const found = path.reduce<unknown>((at, step) => fieldOf(at, step), object);
    const refs = Array.isArray(found) ? found : [found];
    return refs.flatMap((ref) => {
      const name = fieldOf(ref, 'name');
      return typeof name === 'string' ? [`${object.metadata.namespace ?? ''}/${name}`] : [];
    });
  };
};

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
}

/** Keyed by `namespace/name` of the referenced object. */
export const agentIndexes = {
  agentsByCharacter: namesAt(['spec', 'characterRef']),
  agentsBySkill: namesAt(['spec', 'skillRefs']),
} as const;

export const skillIndexes = { skillsByDependency: namesAt(['spec', 'dependencies']) } as const;

export const taskOfAgentIndexes = { [TASKS_BY_AGENT]: namesAt(['spec', 'agentRef']) } as const;

export const configMapIndexes = {
  [CONFIG_MAPS_BY_AGENT]: (object: KubeObject): readonly string[] =>
    agentOfChild(object).map(({ namespace, name }) => `${namespace}/${name}`),
} as const;

/** The Agent that the object's label names; none for objects in the namespaces of sandboxes. */
export function agentOfChild({ metadata }: KubeObject): readonly ObjectKey[] {
  const { namespace = '', labels = {} } = metadata;
  const name = labels[LABELS.agent];
  return name === undefined || (labels[LABELS.agentNamespace] ?? namespace) !== namespace ? [] : [{ namespace, name }];
}

export function agentsWithSkill(caches: Caches, key: string): readonly KubeObject[] {
  return caches.of(resources.agents).byIndex('agentsBySkill', key);
}

/** Skills that build on this one, directly or through others. */
export function dependentSkills(caches: Caches, key: string): readonly KubeObject[] {
  const found = new Map<string, KubeObject>();
  const keys = [key];
  for (let at = keys.pop(); at !== undefined; at = keys.pop())
    for (const skill of caches.of(resources.skills).byIndex('skillsByDependency', at)) {
      const own = `${skill.metadata.namespace ?? ''}/${skill.metadata.name}`;
      if (found.has(own)) continue;
      found.set(own, skill);
      keys.push(own);
    }
  return [...found.values()];
}
