/** Verifies that the right party signed a request or a claim. */
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { sha256Hex } from '@retainer/contract/std/hash';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { claimText, RUNNER_HEADERS, signedText, type Claim } from '@retainer/contract/wire/runner';
import type { Fault } from './fault.ts';

/** The prefix that turns the 32 bytes of an Ed25519 key into SubjectPublicKeyInfo. Source: RFC 8410. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** The digest in a request without a body. */
export const EMPTY_DIGEST = bodyDigest('');

export function bodyDigest(body: string | Uint8Array): string {
  return `sha256:${sha256Hex(body)}`;
}

/** @param publicKey  32 bytes, base64 */
function keyObject(publicKey: string): KeyObject {
  const key = Buffer.concat([SPKI_PREFIX, Buffer.from(publicKey, 'base64')]);
  return createPublicKey({ key, format: 'der', type: 'spki' });
}

function isSigned(text: string, publicKey: string, signature: string): boolean {
  return verify(null, Buffer.from(text), keyObject(publicKey), Buffer.from(signature, 'base64'));
}

export interface RequestFacts {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface SignedRequest {
  readonly sequence: number;
  /** Required digest of the body. */
  readonly digest: string;
}

/** Up to 2^53 - 1, which has 16 digits. */
const SEQUENCE = /^[1-9][0-9]{0,15}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/;

/** The headers of a request, after a check of the claimant's signature. The caller checks the sequence. */
export function checkRequest(
  request: RequestFacts,
  by: { readonly podUid: string; readonly publicKey: string },
): Result<SignedRequest, Fault> {
  const header = (name: string): string => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : '';
  };
  const digest = header(RUNNER_HEADERS.digest);
  const signature = header(RUNNER_HEADERS.signature);
  const sequence = Number(header(RUNNER_HEADERS.sequence));
  const isWellFormed =
    SEQUENCE.test(header(RUNNER_HEADERS.sequence)) &&
    Number.isSafeInteger(sequence) &&
    DIGEST.test(digest) &&
    SIGNATURE.test(signature);
  if (!isWellFormed) return refused('SignatureMissing', 'the headers for sequence, digest and signature are required');
  const { method, path } = request;
  const text = signedText({ podUid: by.podUid, method, path, sequence, digest });
  if (!isSigned(text, by.publicKey, signature))
    return refused('SignatureInvalid', 'the signature is not from the claimant');
  return ok({ sequence, digest });
}

/** Verifies that the operator signed the claim, and for this pod. */
export function checkClaim(
  claim: Claim,
  expected: { readonly podUid: string; readonly operatorKey: string },
): Result<undefined, Fault> {
  if (claim.podUid !== expected.podUid) return refused('ClaimOfAnotherPod', 'the claim is for another pod');
  if (!isSigned(claimText(claim), expected.operatorKey, claim.signature))
    return refused('SignatureInvalid', 'the signature of the claim is not from the operator');
  return ok(undefined);
}

function refused(reason: string, message: string): { readonly ok: false; readonly error: Fault } {
  return err({ status: 401, reason, message });
}
