/** The hosts that a run may reach through the egress proxy, under the operator's signature. */
import { encodeGrant, grantText, type EgressGrant } from '@retainer/contract/wire/egress-grant';
import type { SigningKey } from '../signing-key.ts';

export function signedGrant(grant: EgressGrant, key: SigningKey): string {
  const payload = Buffer.from(JSON.stringify(grant)).toString('base64url');
  return encodeGrant(payload, Buffer.from(key.sign(grantText(payload)), 'base64').toString('base64url'));
}
