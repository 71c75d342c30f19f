/** The controller of Skills. It makes no objects, and reports whether agents can mount a Skill. */
import { byName, dependencyFault, deprecatedDependencies, judgeText } from '../desired/skill/judge-skill.ts';
import { keyOf, keyText, parseKey, type KubeObject, type ObjectKey } from '@retainer/kube/kube-object';
import { agentIndexes, agentsWithSkill, dependentSkills, skillIndexes } from '../observe/observe-agent-indexes.ts';
import { isPinnedByOperator, parseSkill } from '../observe/observe-kinds.ts';
import { observeSkills } from '../observe/observe-skill.ts';
import { liveText, type ReadText } from '../observe/observe-skill-text.ts';
import { resources } from '@retainer/kube/resources';
import { skillStatus } from '../status/skill/skill-status.ts';
import type { Caches } from '../watch/caches.ts';
import { DONE } from './agent-outcome.ts';
import { CoarseCounts } from './coarse-counts.ts';
import type { Controller, PassParts } from './controller.ts';
import type { Outcome } from './outcome.ts';
import { refuseSpec, writeStatus } from './write-status.ts';

const CONCURRENCY = 4;
/** Interval of looks at a missing or different ConfigMap of a person, which is not watched. */
const LOOK_AGAIN_MS = 30_000;

export function skillController(parts: PassParts): Controller {
  const { caches } = parts;
  const passes = new SkillPasses(parts);
  return {
    name: 'skill',
    concurrency: CONCURRENCY,
    watches: [
      {
        resource: resources.skills,
        indexes: skillIndexes,
        roots: (skill) => [skill, ...dependentSkills(caches, keyText(keyOf(skill)))].map(keyOf),
      },
      { resource: resources.agents, indexes: agentIndexes, roots: skillsOfAgent },
    ],
    reconcile: (key, signal) => passes.reconcile(key, signal),
  };
}

function skillsOfAgent(agent: KubeObject): readonly ObjectKey[] {
  return agentIndexes.agentsBySkill(agent).map(parseKey);
}

class SkillPasses {
  readonly #parts: PassParts;
  readonly #readText: ReadText;
  readonly #counts: CoarseCounts<number>;

  constructor(parts: PassParts) {
    this.#parts = parts;
    this.#readText = liveText(parts.client);
    this.#counts = new CoarseCounts(parts.clock);
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { caches, applier } = this.#parts;
    const root = caches.of(resources.skills).get(key);
    if (root === undefined) {
      this.#counts.forget(keyText(key));
      return { type: 'Gone' };
    }
    const parsed = parseSkill(root);
    if (parsed.type !== 'Found') return refuseSpec(applier, { resource: resources.skills, root, parsed }, signal);
    const named = { namespace: key.namespace, names: [key.name] };
    const observed = await observeSkills(named, caches, ownTextOnly(key.name, this.#readText), signal);
    const known = byName(observed);
    const content = judgeText(parsed.value, known.get(key.name)?.text ?? { type: 'KeyMissing' });
    const dependencies = dependencyFault(key.name, known);
    const counts = this.#counts.choose(keyText(key), countAgents(caches, key), storedCount(root));
    const status = skillStatus({
      generation: root.metadata.generation,
      skill: parsed.value,
      content,
      isPinnedHere: isPinnedByOperator(root),
      dependencies,
      deprecated: deprecatedDependencies(parsed.value, known),
      inUseBy: counts.counts,
    });
    await writeStatus(applier, { resource: resources.skills, root, ...status }, signal);
    if (!content.ok && parsed.value.spec.configMapRef !== undefined)
      return { type: 'Wait', reason: content.error.message, afterMs: LOOK_AGAIN_MS };
    if (counts.dueAfterMs !== undefined) return { type: 'Wait', reason: 'counts are due', afterMs: counts.dueAfterMs };
    const fault = content.ok ? dependencies : content.error;
    return fault === undefined ? DONE : { type: 'Stalled', ...fault };
  }
}

/** Of dependencies only name, version and lifecycle matter here: their own passes judge their texts. */
function ownTextOnly(name: string, readText: ReadText): ReadText {
  return async (skill, signal) => (skill.metadata.name === name ? readText(skill, signal) : { type: 'Text', text: '' });
}

/** Agents that name the skill, or a skill that depends on it. */
function countAgents(caches: Caches, key: ObjectKey): number {
  const own = keyText(key);
  const skills = [own, ...dependentSkills(caches, own).map((skill) => keyText(keyOf(skill)))];
  return new Set(skills.flatMap((skill) => agentsWithSkill(caches, skill)).map(({ metadata }) => metadata.name)).size;
}

function storedCount(root: KubeObject): number | undefined {
  return (root['status'] as { readonly inUseBy?: number } | undefined)?.inUseBy;
}
