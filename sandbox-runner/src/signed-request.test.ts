import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyPair, signedClaim, signedHeaders } from '../../test/support/signed-runner-request.ts';
import { checkClaim, checkRequest, EMPTY_DIGEST } from './signed-request.ts';

const key = keyPair();
const by = { podUid: 'pod-uid', publicKey: key.publicKey };

describe('checkRequest', () => {
  it('takes what its claimant signed, and nothing that differs in one part', () => {
    const text = fc.string({ minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(text, text, fc.integer({ min: 1 }), (method, path, sequence) => {
        const headers = signedHeaders({ port: 0, key, method, path, sequence });
        expect(checkRequest({ method, path, headers }, by)).toEqual({
          ok: true,
          value: { sequence, digest: EMPTY_DIGEST },
        });
        expect(checkRequest({ method: `${method}x`, path, headers }, by).ok).toBe(false);
        expect(checkRequest({ method, path: `${path}x`, headers }, by).ok).toBe(false);
        expect(checkRequest({ method, path, headers }, { ...by, podUid: 'other' }).ok).toBe(false);
        expect(checkRequest({ method, path, headers }, { ...by, publicKey: keyPair().publicKey }).ok).toBe(false);
        const later = { ...headers, 'retainer-sequence': String(sequence + 1) };
        expect(checkRequest({ method, path, headers: later }, by).ok).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it('never throws, whatever stands in the headers', () => {
    const headers = fc.dictionary(
      fc.constantFrom('retainer-sequence', 'retainer-digest', 'retainer-signature'),
      fc.oneof(fc.string(), fc.array(fc.string())),
    );
    fc.assert(
      fc.property(headers, (given) => {
        expect(checkRequest({ method: 'GET', path: '/', headers: given }, by).ok).toBe(false);
      }),
    );
  });
});

describe('checkClaim', () => {
  it('holds for the pod and the key that the operator named', () => {
    const operator = keyPair();
    const claim = signedClaim(operator, { podUid: 'pod-uid', runUid: 'run', publicKey: key.publicKey });
    const expected = { podUid: 'pod-uid', operatorKey: operator.publicKey };
    expect(checkClaim(claim, expected).ok).toBe(true);
    for (const change of [{ runUid: 'other' }, { publicKey: keyPair().publicKey }, { podUid: 'other' }])
      expect(checkClaim({ ...claim, ...change }, expected).ok).toBe(false);
    expect(checkClaim(claim, { ...expected, operatorKey: key.publicKey }).ok).toBe(false);
  });
});
