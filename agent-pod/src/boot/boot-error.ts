import type { ConditionReason } from '@retainer/contract/api/conditions';

/** Why the agent cannot start as it is configured: a reason for programs, and what to do for people. Holds no user text. */
export class BootError extends Error {
  override readonly name = 'BootError';
  readonly reason: ConditionReason<'Agent'>;

  constructor(reason: ConditionReason<'Agent'>, message: string) {
    super(message);
    this.reason = reason;
  }
}
