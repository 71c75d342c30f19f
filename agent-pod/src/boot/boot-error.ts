import type { ConditionReason } from '@retainer/contract/api/conditions';

/** A faulty configuration, with a reason for programs and a remedy for people. Contains no user text. */
export class BootError extends Error {
  override readonly name = 'BootError';
  readonly reason: ConditionReason<'Agent'>;

  constructor(reason: ConditionReason<'Agent'>, message: string) {
    super(message);
    this.reason = reason;
  }
}
