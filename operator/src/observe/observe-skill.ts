/** A Skill with its text and all its dependencies. */
import type { BootSkill } from '@retainer/contract/wire/boot';
import { resources } from '@retainer/kube/resources';
import type { Caches } from '../watch/caches.ts';
import { parsedOr, parseSkill, type Parsed } from './observe-kinds.ts';
import type { ReadText, SkillText } from './observe-skill-text.ts';

/** Skills that one agent mounts, dependencies included. More would be a library, not a prompt. */
const SKILLS_MAX = 256;

export interface ObservedSkill {
  readonly name: string;
  readonly skill: Parsed<BootSkill>;
  /** Undefined if the skill is missing or invalid. */
  readonly text: SkillText | undefined;
}

/** The named skills and all their dependencies, each once, in the order of discovery. */
export async function observeSkills(
  { namespace, names }: { readonly namespace: string; readonly names: readonly string[] },
  caches: Caches,
  readText: ReadText,
  signal: AbortSignal,
): Promise<readonly ObservedSkill[]> {
  const met = [...new Set(names)];
  const observed: ObservedSkill[] = [];
  // The list grows during the walk by the dependencies of each skill.
  for (let at = 0; at < met.length && at < SKILLS_MAX; at += 1) {
    const name = met[at] ?? '';
    const skill = parsedOr(caches.of(resources.skills).get({ namespace, name }), parseSkill);
    const text = skill.type === 'Found' ? await readText(skill.value, signal) : undefined;
    observed.push({ name, skill, text });
    const wanted = skill.type === 'Found' ? skill.value.spec.dependencies : [];
    for (const dependency of wanted) if (!met.includes(dependency.name)) met.push(dependency.name);
  }
  return observed;
}
