/** The status of a CharacterSpec: whether its gates compile. Pure. */
import type { ConditionReason, ConditionType } from '@retainer/contract/api/conditions';
import type { BrokenRule } from '@retainer/contract/manifest/cel-rules';
import { characterDigest } from '@retainer/contract/manifest/character-digest';
import { renderPath } from '@retainer/contract/manifest/manifest-error';
import { fieldsInEffect } from '../fields-in-effect.ts';
import type { JudgedCharacter } from '../../observe/observe-kinds.ts';

interface CharacterCondition {
  readonly type: ConditionType<'CharacterSpec'>;
  readonly status: 'True' | 'False';
  readonly reason: ConditionReason<'CharacterSpec'>;
  readonly message: string;
}

export interface CharacterStatus {
  readonly conditions: readonly CharacterCondition[];
  readonly fields: Readonly<Record<string, unknown>>;
}

export function characterStatus(
  generation: number | undefined,
  { document, broken }: JudgedCharacter,
  inUseBy: number,
): CharacterStatus {
  const compiled = compiledCondition(broken);
  const ready: CharacterCondition =
    compiled.status === 'False'
      ? { ...compiled, type: 'Ready' }
      : { type: 'Ready', status: 'True', reason: 'CharacterReady', message: 'agents can use it' };
  return {
    conditions: [ready, compiled, fieldsInEffect('CharacterSpec', document)],
    fields: { observedGeneration: generation, digest: characterDigest(document.spec), inUseBy },
  };
}

function compiledCondition([first, ...others]: readonly BrokenRule[]): CharacterCondition {
  const type = 'Compiled';
  if (first === undefined)
    return { type, status: 'True', reason: 'Compiled', message: 'patterns, levels and thresholds are valid' };
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const place = [renderPath(first.path), (first.rule.fieldPath ?? '').slice(1)].filter((part) => part !== '').join('.');
  return { type, status: 'False', reason: brokenReason(first), message: `${place}: ${first.rule.message}${more}` };
}

/** Chosen by the field that the rule is about: nothing else of a rule is stable. */
function brokenReason({ rule }: BrokenRule): CharacterCondition['reason'] {
  if (rule.fieldPath === '.levelScheme') return 'LevelInvalid';
  return rule.message.includes('RE2') ? 'PatternInvalid' : 'SpecInvalid';
}
