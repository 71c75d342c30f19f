/** What the loop needs of the world. Adapters implement these and know nothing of the loop. */
import type { Result } from '@retainer/contract/std/result';
import type { ModelAnswer, ModelFailure, ModelRequest } from '../assemble/model-request.ts';
import type { ServingPort } from './serving-port.ts';

export interface ModelPort {
  /** `anthropic`, `scripted` or `replay`: people are told which one answers. */
  readonly name: string;
  /**
   * One model call with its retries. Never throws for what a provider can do wrong; rejects only on a bug.
   *
   * @param callId  stable over a restart: the replay model answers by it
   */
  infer(
    request: ModelRequest,
    options: { readonly callId: string; readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<Result<ModelAnswer, ModelFailure>>;
}

export type SandboxLanguage = 'bash' | 'javascript' | 'python';

export interface SandboxLimits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  /** Processes and threads together. */
  readonly processes: number;
  /** Kept of each of standard output and standard error; what comes after is counted and dropped. */
  readonly outputBytes: number;
  /** Largest single file that a command may write on this machine; in a pod, one file may take all of the Agent's scratch. */
  readonly fileBytes: number;
}

export interface SandboxRequest {
  /** Names this run for ever: `lookup` finds its result after a restart. */
  readonly idempotencyKey: string;
  readonly language: SandboxLanguage;
  readonly script: string;
  readonly stdin: string;
  /** The agent's workspace on this machine; seen as `/workspace` inside, and the working directory there. */
  readonly workspaceDirectory: string;
  /** Paths relative to the workspace that stay read-only inside, whatever the script does. */
  readonly readOnlyPaths: readonly string[];
  readonly limits: SandboxLimits;
}

export interface SandboxResult {
  readonly end: 'Exited' | 'TimedOut' | 'Killed';
  /** 128 + signal number where a signal ended it. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Bytes that were dropped from both streams because of the limit. */
  readonly droppedBytes: number;
  readonly durationMs: number;
  /** Which limit ended it, in words, where one did. */
  readonly reason?: string;
}

/** Why code cannot run at all here, and what to do about it. */
export interface SandboxUnavailable {
  readonly reason: string;
  readonly fix: string;
}

export interface SandboxPort {
  /** So long may pass before a script begins, beside its own time. None where absent. */
  readonly startTimeoutMs?: number;
  /** Asked once at the start; a refusal turns every code tool off. There is no way to run without isolation. */
  probe(): Promise<
    Result<{ readonly description: string; readonly languages: readonly SandboxLanguage[] }, SandboxUnavailable>
  >;
  run(request: SandboxRequest, signal: AbortSignal): Promise<SandboxResult>;
  /** The finished result of an earlier run with this key, if it is known. */
  lookup(idempotencyKey: string): Promise<SandboxResult | undefined>;
  /** Code that keeps ports open. Absent where nothing inside the sandbox can be reached. */
  readonly serving?: ServingPort;
}

/** One reply on its way out. The same id is never delivered twice. */
export interface Delivery {
  readonly deliveryId: string;
  readonly channel: 'TaskStatus';
  readonly runId: string;
  /** Namespace and name of the Task. */
  readonly target: string;
  readonly body: DeliveryBody;
}

export interface DeliveryBody {
  readonly outcome: string;
  readonly summary: string;
  readonly [field: string]: unknown;
}

export interface DeliveryPort {
  /** Idempotent by `deliveryId`: the second call with the same id changes nothing. */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<void>;
  /** Whether the receiver already has it. */
  isDelivered(deliveryId: string): Promise<boolean>;
}
