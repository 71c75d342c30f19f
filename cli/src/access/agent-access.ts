/**
 * What a person may ask an agent and tell it, wherever it lives: in a data directory of this machine, or on a cluster.
 *
 * I1  One command means one place, which the person named or is told of. No adapter stands in for another.
 * I2  Nothing is decided under another name than that of whoever types.
 */
import type { OpenRunQuestion } from '@retainer/agent-pod/review/run-records';

export interface AgentAccess {
  /** Options by which another command reaches the same place: `--data DIR`, or `-n NAMESPACE`. */
  readonly options: string;
  waitingCalls(): Promise<readonly WaitingRequest[]>;
  openQuestions(): Promise<readonly OpenQuestion[]>;
  /** @returns the decision as it was left, for programs */
  decide(request: WaitingRequest, decision: Decision): Promise<object>;
  answer(question: OpenQuestion, text: string): Promise<object>;
  /** @param typed  a run id, the beginning of one, or a Task */
  cancel(typed: string, reason: string): Promise<{ readonly told: string; readonly left: object }>;
  /** Lets a run go on that waits because its character has changed. @param typed  as of `cancel` */
  goOn(typed: string, reason: string): Promise<{ readonly told: string; readonly left: object }>;
  close(): void;
}

/** A call that waits for a person. */
export interface WaitingRequest {
  readonly requestId: string;
  readonly task: string;
  readonly tool: string;
  readonly effectClass: number;
  /** SHA-256 in hexadecimal digits. */
  readonly argumentsDigest: string;
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number;
  /** What the call would do, in our words, and what the agent says of it. */
  readonly effect: readonly string[];
  /** Name of the rule that asks, if the place tells it. */
  readonly reason?: string;
  /** For programs. */
  readonly json: object;
}

export interface OpenQuestion extends OpenRunQuestion {
  /** The place does not tell until when the question is open. */
  readonly isLimitUnknown?: true;
}

export interface Decision {
  readonly decision: 'Approve' | 'Deny';
  readonly reason: string;
}

/** A place that cannot be reached, a name that is not there, or a missing right: the message tells the remedy. Nothing was changed. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
}
