import type { CharacterSpec } from '../api/character-spec.ts';
import { canonicalJson } from '../std/canonical-json.ts';
import { sha256Hex } from '../std/hash.ts';

/** Digest of a character: SHA-256 of the canonical JSON of its spec with defaults, as `sha256:` and 64 digits. Stamped on every gate record. */
export function characterDigest(spec: CharacterSpec['spec']): string {
  return `sha256:${sha256Hex(canonicalJson(spec))}`;
}
