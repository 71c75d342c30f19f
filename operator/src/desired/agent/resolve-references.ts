/** Judges an Agent's references: returns either all that its pod needs, or the first fault and its remedy. Pure. */
import type { ConditionReason } from '@retainer/contract/api/conditions';
import { renderPath } from '@retainer/contract/manifest/manifest-error';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { BootCharacter, BootSkill } from '@retainer/contract/wire/boot';
import type { ObservedAgent } from '../../observe/observe-agent.ts';
import type { ObservedSkill } from '../../observe/observe-skill.ts';
import { byName, dependencyFault, judgeText } from '../skill/judge-skill.ts';

export interface ReferenceFault {
  readonly reason: ConditionReason<'Agent'>;
  readonly message: string;
  /** No event reports the correction, so the operator looks again after a while. */
  readonly isUnwatched?: true;
}

export interface References {
  readonly character: Result<BootCharacter, ReferenceFault>;
  /** Every mounted skill, sorted by name. */
  readonly skills: Result<readonly BootSkill[], ReferenceFault>;
}

export function resolveReferences(observed: ObservedAgent): References {
  return { character: resolveCharacter(observed), skills: resolveSkills(observed.skills) };
}

function resolveCharacter({ agent, character }: ObservedAgent): References['character'] {
  const { name } = agent.spec.characterRef;
  switch (character.type) {
    case 'Missing':
      return err({
        reason: 'CharacterNotFound',
        message: `CharacterSpec ${name} does not exist; create it in this namespace, or name another in spec.characterRef`,
      });
    case 'Invalid':
      return err({
        reason: 'CharacterInvalid',
        message: `CharacterSpec ${name} is not valid; correct ${character.path}`,
      });
    case 'Found': {
      const [broken] = character.value.broken;
      if (broken === undefined) return ok(character.value.document);
      const where = renderPath(broken.path);
      return err({
        reason: 'CharacterInvalid',
        message: `CharacterSpec ${name} breaks a rule in ${where}: ${broken.rule.message}`,
      });
    }
  }
}

function resolveSkills(observed: readonly ObservedSkill[]): References['skills'] {
  const known = byName(observed);
  const resolved: BootSkill[] = [];
  for (const one of observed) {
    const skill = resolveSkill(one, known);
    if (!skill.ok) return skill;
    resolved.push(skill.value);
  }
  return ok(resolved.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)));
}

function resolveSkill(
  { name, skill, text }: ObservedSkill,
  known: ReadonlyMap<string, ObservedSkill>,
): Result<BootSkill, ReferenceFault> {
  if (skill.type === 'Invalid')
    return err({ reason: 'SkillInvalid', message: `Skill ${name} is not valid; correct ${skill.path}` });
  if (skill.type === 'Missing' || text === undefined)
    return err({
      reason: 'SkillNotFound',
      message: `Skill ${name} does not exist; create it in this namespace, or remove it from spec.skillRefs`,
    });
  const judged = judgeText(skill.value, text);
  if (!judged.ok)
    return err({
      reason: 'SkillInvalid',
      message: `Skill ${name} cannot be mounted: ${judged.error.message}`,
      ...(skill.value.spec.configMapRef === undefined ? {} : { isUnwatched: true }),
    });
  const fault = dependencyFault(name, known);
  if (fault !== undefined) return err({ reason: 'SkillInvalid', message: fault.message });
  const { namespace } = skill.value.metadata;
  return ok({
    ...skill.value,
    metadata: { name, namespace },
    spec: { ...withoutRef(skill.value.spec), body: judged.value.text },
  });
}

/** A mounted skill contains its text. */
function withoutRef(spec: BootSkill['spec']): BootSkill['spec'] {
  const { configMapRef, ...rest } = spec;
  return configMapRef === undefined ? spec : rest;
}
