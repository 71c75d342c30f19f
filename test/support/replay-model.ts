/**
 * The model that answers from a record, so that a past run can be repeated offline.
 *
 * It answers by call id, at once and as recorded, attempts and latency included. It uses no network.
 */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { sha256Hex } from '@retainer/contract/std/hash';
import { err, type Result } from '@retainer/contract/std/result';
import type { ModelAnswer, ModelFailure, ModelRequest } from '@retainer/mind/request/model-request';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';

/** One finished model call in the record. */
export interface RecordedCall {
  readonly outcome: Result<ModelAnswer, ModelFailure>;
  /** {@link requestDigest} of the recorded request. Without it any request gets the answer. */
  readonly requestDigest?: string;
}

/** A request that differs from the recorded one. */
export interface Divergence {
  readonly callId: string;
  readonly recordedDigest: string;
  readonly askedDigest: string;
}

/** SHA-256 of a request's canonical JSON, 64 hexadecimal digits. */
export function requestDigest(request: ModelRequest): string {
  return sha256Hex(canonicalJson(request));
}

/**
 * @param lookup  the finished call with this id; `undefined` makes the call fail with InvalidRequest
 * @param onDivergence  called for every request that differs from the record; such a call fails with InvalidRequest, because the
 *   recorded answer belongs to another question
 */
export function replayModel(
  lookup: (callId: string) => RecordedCall | undefined,
  onDivergence: (divergence: Divergence) => void = () => undefined,
): ModelPort {
  return {
    name: 'replay',
    infer: async (request, { callId, signal }) => {
      if (signal.aborted) return refused('Cancelled', 'the model call was cancelled');
      const recorded = lookup(callId);
      if (recorded === undefined) return refused('InvalidRequest', `the record holds no finished model call ${callId}`);
      const askedDigest = requestDigest(request);
      const recordedDigest = recorded.requestDigest ?? askedDigest;
      if (askedDigest === recordedDigest) return recorded.outcome;
      onDivergence({ callId, recordedDigest, askedDigest });
      return refused(
        'InvalidRequest',
        `the request of model call ${callId} is not the recorded one: digest ${askedDigest}, recorded ${recordedDigest}`,
      );
    },
  };
}

function refused(kind: 'Cancelled' | 'InvalidRequest', message: string): Result<never, ModelFailure> {
  return err({ kind, message, attempts: 0, latencyMs: 0 });
}
