import { canonicalJson, type Json } from '@retainer/contract/std/canonical-json';
import { sha256Hex } from '@retainer/contract/std/hash';

/** In place of random marks around untrusted texts: nobody who did not write the record can say it. */
export function nonceOf(older: Json): string {
  return sha256Hex(canonicalJson(older)).slice(0, 32);
}
