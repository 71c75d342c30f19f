/** Whether a Skill is usable: its text has the pinned digest, and the skills that it builds on exist. Pure. */
import type { ConditionReason } from '@retainer/contract/api/conditions';
import { SKILL_TEXT_LENGTH_MAX } from '@retainer/contract/api/skill';
import { sha256Hex } from '@retainer/contract/std/hash';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { BootSkill } from '@retainer/contract/wire/boot';
import type { ObservedSkill } from '../../observe/observe-skill.ts';
import type { SkillText } from '../../observe/observe-skill-text.ts';
import { compareVersions } from './compare-versions.ts';

export interface SkillFault {
  readonly reason: ConditionReason<'Skill'>;
  readonly message: string;
}

export function judgeText(skill: BootSkill, text: SkillText): Result<{ text: string; digest: string }, SkillFault> {
  const { configMapRef } = skill.spec;
  const where = configMapRef === undefined ? 'spec.body' : `key ${configMapRef.key} of ConfigMap ${configMapRef.name}`;
  switch (text.type) {
    case 'ConfigMapMissing':
      return fault('ConfigMapNotFound', `ConfigMap ${configMapRef?.name} does not exist; create it in this namespace`);
    case 'KeyMissing':
      return fault('ConfigMapKeyNotFound', `ConfigMap ${configMapRef?.name} has no key ${configMapRef?.key}; add it`);
    case 'Text':
      return judgeFoundText(text.text, where, configMapRef?.digest);
  }
}

function judgeFoundText(
  text: string,
  where: string,
  pinned: string | undefined,
): Result<{ text: string; digest: string }, SkillFault> {
  const digest = `sha256:${sha256Hex(text)}`;
  if (pinned !== undefined && pinned !== digest)
    return fault(
      'DigestMismatch',
      `${where} has the digest ${digest}, not ${pinned}: restore the text, or give it a new spec.version (and spec.configMapRef.digest, if there is one)`,
    );
  if (text.length > SKILL_TEXT_LENGTH_MAX)
    return fault('BodyInvalid', `${where} has ${text.length} characters; at most ${SKILL_TEXT_LENGTH_MAX} are allowed`);
  return ok({ text, digest });
}

/** The first fault among the direct and indirect dependencies of a skill. @param known  every skill that it can reach */
export function dependencyFault(name: string, known: ReadonlyMap<string, ObservedSkill>): SkillFault | undefined {
  return faultBelow([name], known, new Set());
}

/**
 * @param trail    path from the judged skill to the present one
 * @param cleared  skills without a fault, so that each is visited once; grows
 */
function faultBelow(
  trail: readonly string[],
  known: ReadonlyMap<string, ObservedSkill>,
  cleared: Set<string>,
): SkillFault | undefined {
  const name = trail.at(-1) ?? '';
  const skill = known.get(name)?.skill;
  if (skill?.type !== 'Found' || cleared.has(name)) return undefined;
  for (const wanted of skill.value.spec.dependencies) {
    const found = directFault(wanted, known, trail) ?? faultBelow([...trail, wanted.name], known, cleared);
    if (found !== undefined) return found;
  }
  cleared.add(name);
  return undefined;
}

function directFault(
  wanted: { readonly name: string; readonly version: string },
  known: ReadonlyMap<string, ObservedSkill>,
  trail: readonly string[],
): SkillFault | undefined {
  const by = trail.at(-1) ?? '';
  if (trail.includes(wanted.name))
    return {
      reason: 'DependencyCycle',
      message: `the dependencies form a circle: ${[...trail, wanted.name].join(' → ')}; remove one of them`,
    };
  const skill = known.get(wanted.name)?.skill;
  if (skill?.type !== 'Found')
    return {
      reason: 'DependencyNotFound',
      message: `Skill ${by} depends on Skill ${wanted.name}, which does not exist or is not valid; create or correct it`,
    };
  if (compareVersions(skill.value.spec.version, wanted.version) < 0)
    return {
      reason: 'DependencyTooOld',
      message: `Skill ${by} needs Skill ${wanted.name} in version ${wanted.version} or later, but it has ${skill.value.spec.version}; upgrade it`,
    };
  return undefined;
}

export function deprecatedDependencies(skill: BootSkill, known: ReadonlyMap<string, ObservedSkill>): readonly string[] {
  return skill.spec.dependencies.flatMap(({ name }) => {
    const found = known.get(name)?.skill;
    return found?.type === 'Found' && found.value.spec.lifecycle === 'Deprecated' ? [name] : [];
  });
}

export function byName(skills: readonly ObservedSkill[]): ReadonlyMap<string, ObservedSkill> {
  return new Map(skills.map((skill) => [skill.name, skill]));
}

function fault(reason: SkillFault['reason'], message: string): { readonly ok: false; readonly error: SkillFault } {
  return err({ reason, message });
}
