/** Reads the grant that a client shows in `Proxy-Authorization` and verifies it with the operator's key. */
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { parseJson } from '@retainer/contract/std/parse-json';
import { EgressGrant, grantText } from '@retainer/contract/wire/egress-grant';

/** Bytes of an Ed25519 public key and of a signature. Source: RFC 8032. */
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const SECOND_MS = 1000;
const USER = 'grant:';

/** @param text  base64 of the raw key, as the operator publishes it. @returns undefined if it is no key */
export function parsePublicKey(text: string): KeyObject | undefined {
  const raw = Buffer.from(text.trim(), 'base64');
  if (raw.length !== KEY_BYTES || raw.toString('base64') !== text.trim()) return undefined;
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }, format: 'jwk' });
}

/** @returns undefined unless the key signed the grant and the grant is valid now */
export function readGrant(authorization: string | undefined, key: KeyObject, nowMs: number): EgressGrant | undefined {
  const text = basicText(authorization ?? '');
  if (text === undefined || !text.startsWith(USER)) return undefined;
  const [, payload = '', signatureText = ''] = /^([\w-]+)\.([\w-]+)$/.exec(text.slice(USER.length)) ?? [];
  const signature = Buffer.from(signatureText, 'base64url');
  if (signature.length !== SIGNATURE_BYTES || !verify(null, Buffer.from(grantText(payload)), key, signature))
    return undefined;
  // The operator signed it, so it should be JSON; a bug there must not end this process.
  const grant = EgressGrant.safeParse(parseJson(Buffer.from(payload, 'base64url').toString('utf8')));
  if (!grant.success) return undefined;
  const { expiresAtSeconds } = grant.data;
  return expiresAtSeconds === undefined || nowMs < expiresAtSeconds * SECOND_MS ? grant.data : undefined;
}

/** Whether the grant is valid for this client. @param address  of the client; a mapped IPv4 address counts as IPv4 */
export function isGrantedTo({ addresses }: EgressGrant, address: string): boolean {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  if (addresses === undefined) return true;
  const granted = new BlockList();
  for (const one of addresses) granted.addAddress(one, isIPv6(one) ? 'ipv6' : 'ipv4');
  return isIP(address) !== 0 && granted.check(address, family);
}

/** The operator signs the subject: a sandbox cannot call itself an agent. */
export function isOfAgent({ subject }: EgressGrant): boolean {
  return subject.startsWith('agent/');
}

function basicText(authorization: string): string | undefined {
  const [, encoded] = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? [];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('latin1');
}
