/** FieldsInEffect: whether every field that an object sets has an effect. Pure. */
import { effectCheck, type CheckedObject } from '@retainer/contract/manifest/fields-without-effect';

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
export function fieldsInEffect(kind: keyof typeof checks, object: CheckedObject): FieldsCondition {
  const type = 'FieldsInEffect';
  const fields = checks[kind](object);
  if (fields.length === 0)
    return { type, status: 'True', reason: 'AllInEffect', message: 'every field that is set has its effect' };
  const more = fields.length > NAMED_MAX ? ` and ${fields.length - NAMED_MAX} more` : '';
  const named = fields.slice(0, NAMED_MAX).join(', ');
  const message = `set without effect yet: ${named}${more}; docs/not-yet.md says what holds instead`;
  return { type, status: 'False', reason: 'NoEffectYet', message };
}
