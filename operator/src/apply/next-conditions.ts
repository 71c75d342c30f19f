/** The conditions to write, and whether they differ from what is there. Pure. */
import type { NewCondition } from './applier.ts';

export interface StoredCondition extends NewCondition {
  readonly observedGeneration?: number | undefined;
  readonly lastTransitionTime: string;
}

export interface ConditionContext {
  readonly stored: readonly StoredCondition[];
  readonly generation: number | undefined;
  /** ISO 8601. */
  readonly now: string;
}

/** Source: Kubernetes API conventions: `lastTransitionTime` changes with the status alone. */
export function nextConditions(
  conditions: readonly NewCondition[],
  { stored, generation, now }: ConditionContext,
): readonly StoredCondition[] {
  return conditions.map((condition) => {
    const before = stored.find(({ type }) => type === condition.type);
    const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : now;
    return {
      ...condition,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      lastTransitionTime,
    };
  });
}
