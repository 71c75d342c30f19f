/** CharacterResolved and SkillsResolved: whether everything that the Agent refers to can be mounted. Pure. */
import type { Result } from '@retainer/contract/std/result';
import type { ReferenceFault, References } from '../../desired/agent/resolve-references.ts';
import type { AgentCondition } from './agent-condition.ts';

export function characterResolved({ character }: References): AgentCondition {
  return condition('CharacterResolved', character, 'the character exists and is valid');
}

export function skillsResolved({ skills }: References): AgentCondition {
  const count = skills.ok ? skills.value.length : 0;
  const message =
    count === 0
      ? 'the agent has no skills'
      : `${count} ${count === 1 ? 'skill exists and is' : 'skills exist and are'} valid`;
  return condition('SkillsResolved', skills, message);
}

function condition(
  type: AgentCondition['type'],
  resolved: Result<unknown, ReferenceFault>,
  message: string,
): AgentCondition {
  if (resolved.ok) return { type, status: 'True', reason: 'Resolved', message };
  return { type, status: 'False', reason: resolved.error.reason, message: resolved.error.message };
}
