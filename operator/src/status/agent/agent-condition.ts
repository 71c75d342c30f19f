import type { ConditionReason, ConditionType } from '@retainer/contract/api/conditions';

export interface AgentCondition {
  readonly type: ConditionType<'Agent'>;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: ConditionReason<'Agent'>;
  /** Names the next action; no text of a person. */
  readonly message: string;
}
