/** Who a correspondent is to the agent. */
import { isListedAddress } from './address.ts';

/** Whoever gives Tasks and manifests. */
const OWNER = 'owner';

/**
 * @param owners  of `channels.email`: they may read what Tasks left
 * @param isReleased  a person let the letter in, and nothing shows who wrote it: the address alone is no owner
 */
export function principalOf(address: string, owners: readonly string[], isReleased = false): string {
  return !isReleased && isListedAddress(address, owners) ? OWNER : `mail:${address.toLowerCase()}`;
}
