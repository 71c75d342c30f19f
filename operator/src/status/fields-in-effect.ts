/** FieldsInEffect: whether every field that an object sets has an effect. Pure. */
import { unplayedWorkers } from '@retainer/contract/api/unplayed-workers';
import { effectCheck, type CheckedObject } from '@retainer/contract/manifest/fields-without-effect';
import type { BootAgent } from '@retainer/contract/wire/boot';

export interface FieldsCondition {
  readonly type: 'FieldsInEffect';
  readonly status: 'True' | 'False';
  readonly reason: 'AllInEffect' | 'NoEffectYet';
  readonly message: string;
}

/** Fields that a message names; this number always fits. */
const NAMED_MAX = 8;

const checks = {
  Agent: effectCheck('Agent'),
  CharacterSpec: effectCheck('CharacterSpec'),
  Skill: effectCheck('Skill'),
} as const;

/** @param object  parsed, with its defaults */
export function fieldsInEffect(kind: 'CharacterSpec' | 'Skill', object: CheckedObject): FieldsCondition {
  return fieldsCondition(checks[kind](object));
}

/**
 * The Agent's condition names also what its CharacterSpec sets for workers that this Agent does not have: another Agent of the
 * same character may have them.
 *
 * @param character  undefined if there is none, or none that is valid
 */
export function agentFieldsInEffect(agent: BootAgent, character: CheckedObject | undefined): FieldsCondition {
  const unplayed = unplayedWorkers(agent.spec);
  const inVain = (workers: readonly string[]) =>
    character === undefined ? [] : checks.CharacterSpec(character, workers);
  const forNobody = new Set(inVain([]));
  const forThisAgent = inVain(unplayed).filter((path) => !forNobody.has(path));
  return fieldsCondition([
    ...checks.Agent(agent, unplayed),
    ...forThisAgent.map((path) => `${path} of its CharacterSpec`),
  ]);
}

function fieldsCondition(fields: readonly string[]): FieldsCondition {
  const type = 'FieldsInEffect';
  if (fields.length === 0)
    return { type, status: 'True', reason: 'AllInEffect', message: 'every field that is set has an effect' };
  const more = fields.length > NAMED_MAX ? ` and ${fields.length - NAMED_MAX} more` : '';
  const named = fields.slice(0, NAMED_MAX).join(', ');
  const message = `fields without an effect yet: ${named}${more}; docs/not-yet.md says what happens instead`;
  return { type, status: 'False', reason: 'NoEffectYet', message };
}
