/** The status of a Skill: whether its text is the pinned one and its dependencies exist. Pure. */
import type { ConditionReason, ConditionType } from '@retainer/contract/api/conditions';
import type { Result } from '@retainer/contract/std/result';
import type { BootSkill } from '@retainer/contract/wire/boot';
import { fieldsInEffect } from '../fields-in-effect.ts';
import type { SkillFault } from '../../desired/skill/judge-skill.ts';

export interface SkillJudgement {
  readonly generation: number | undefined;
  readonly skill: BootSkill;
  readonly content: Result<{ readonly digest: string }, SkillFault>;
  /** The operator pins the text, because the author gave no digest. */
  readonly isPinnedHere: boolean;
  readonly dependencies: SkillFault | undefined;
  /** Names of deprecated dependencies. */
  readonly deprecated: readonly string[];
  readonly inUseBy: number;
}

interface SkillCondition {
  readonly type: ConditionType<'Skill'>;
  readonly status: 'True' | 'False';
  readonly reason: ConditionReason<'Skill'>;
  readonly message: string;
}

export interface SkillStatus {
  readonly conditions: readonly SkillCondition[];
  readonly fields: Readonly<Record<string, unknown>>;
}

export function skillStatus(judgement: SkillJudgement): SkillStatus {
  const { generation, skill, content, inUseBy, isPinnedHere } = judgement;
  const pinned = isPinnedHere ? skill.spec.configMapRef?.digest : undefined;
  const digest = content.ok ? content.value.digest : pinned;
  const conditions = [contentResolved(judgement), dependenciesResolved(judgement)];
  return {
    conditions: [ready(judgement, conditions), ...conditions, fieldsInEffect('Skill', skill)],
    fields: {
      observedGeneration: generation,
      digest,
      pinnedVersion: isPinnedHere && digest !== undefined ? skill.spec.version : undefined,
      lifecycle: skill.spec.lifecycle,
      inUseBy,
    },
  };
}

function contentResolved({ content }: SkillJudgement): SkillCondition {
  const type = 'ContentResolved';
  if (!content.ok) return { type, status: 'False', ...content.error };
  return { type, status: 'True', reason: 'Resolved', message: 'the text exists' };
}

function dependenciesResolved({ dependencies, deprecated, skill }: SkillJudgement): SkillCondition {
  const type = 'DependenciesResolved';
  if (dependencies !== undefined) return { type, status: 'False', ...dependencies };
  if (deprecated.length > 0) {
    const message = `deprecated: ${deprecated.join(', ')}; depend on their successors instead`;
    return { type, status: 'True', reason: 'DependencyDeprecated', message };
  }
  const count = skill.spec.dependencies.length;
  const message = count === 0 ? 'it depends on no other skill' : 'all skills that it depends on exist';
  return { type, status: 'True', reason: 'Resolved', message };
}

function ready({ skill: { spec } }: SkillJudgement, conditions: readonly SkillCondition[]): SkillCondition {
  const type = 'Ready';
  const fault = conditions.find(({ status }) => status === 'False');
  if (fault !== undefined) return { ...fault, type };
  if (spec.lifecycle === 'Core') return { type, status: 'True', reason: 'SkillReady', message: 'agents can mount it' };
  const successor = spec.successor === undefined ? 'another skill' : `Skill ${spec.successor.name}`;
  return { type, status: 'True', reason: 'Deprecated', message: `deprecated: use ${successor} instead` };
}
