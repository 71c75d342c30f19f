/** What the loop needs from its environment. Adapters implement these interfaces and know nothing of the loop. */
import type { Result } from '@retainer/contract/std/result';
import type { ModelAnswer, ModelFailure, ModelRequest } from '@retainer/mind/request/model-request';
import type { Parked } from '@retainer/mind/request/parked';
import type { Channel } from '@retainer/mind/run/run-cause';
import type { SandboxLanguage, SandboxRequest, SandboxResult, WorkspaceTurn } from './sandbox-run.ts';
import type { ServingPort } from './serving-port.ts';

export interface InferOptions {
  readonly callId: string;
  readonly signal: AbortSignal;
  /** Of the call with its retries, without the time in which it is parked. */
  readonly timeoutMs: number;
  /** Tries of the same call before. Absent: none. */
  readonly attemptsBefore?: number;
  /** Fewer tries after the first than the Agent allows. */
  readonly retriesMax?: number;
  /**
   * Told while the call waits for its provider, with each try that fails, and with undefined when it goes on. Absent: the call does
   * not wait, and fails.
   */
  readonly onParked?: (parked: Parked | undefined) => void;
  /** No answer within the time limit is no answer: whoever asks goes on without. Such a call does not wait for a slow server. */
  readonly failsAtTimeout?: true;
  /** Another model is asked if this one is out of reach: the call waits only where the whole provider is. */
  readonly hasStandIn?: true;
}

export interface ModelPort {
  /** `anthropic` or `scripted`: shown to people. */
  readonly name: string;
  /**
   * One model call with its retries and its waits. A provider's fault is a result; only a bug rejects.
   *
   * @param callId  stable over a restart: the replay model answers by it
   */
  infer(request: ModelRequest, options: InferOptions): Promise<Result<ModelAnswer, ModelFailure>>;
}

/** Why code cannot run here at all, and how to change that. */
export interface SandboxUnavailable {
  readonly reason: string;
  readonly fix: string;
}

export interface SandboxPort {
  /** The longest wait before a script begins, in addition to its own time limit. Absent: none. */
  readonly startTimeoutMs?: number;
  /** The manifest's hosts, root and resources hold for it. Absent: no network, an unprivileged user, fixed limits. */
  readonly obeysManifest?: true;
  /** Scripts that may run at the same time, each on a copy of its own. Absent: one. */
  readonly besideMax?: number;
  /** Called once at the start. A failure turns every code tool off: code never runs without isolation. */
  probe(): Promise<
    Result<{ readonly description: string; readonly languages: readonly SandboxLanguage[] }, SandboxUnavailable>
  >;
  run(request: SandboxRequest, signal: AbortSignal): Promise<SandboxResult>;
  /**
   * The result of an earlier run with this key, if it is known. One that still runs is followed to its end, and its files come
   * back.
   *
   * @param signal  ends the run
   * @param turn  absent: nobody else uses the workspace
   */
  lookup(idempotencyKey: string, signal?: AbortSignal, turn?: WorkspaceTurn): Promise<SandboxResult | undefined>;
  /** Code that keeps ports open. Absent when nothing inside the sandbox can be reached. */
  readonly serving?: ServingPort;
}

/** One reply on its way out. An id is never delivered twice. */
export interface Delivery {
  readonly deliveryId: string;
  readonly channel: Channel;
  readonly runId: string;
  /** Of a TaskStatus: namespace and name of the Task. */
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
  isDelivered(delivery: Delivery): Promise<boolean>;
}
