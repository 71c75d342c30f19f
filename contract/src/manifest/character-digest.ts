import type { CharacterSpec } from '../api/character-spec.ts';
import { canonicalJson } from '../std/canonical-json.ts';
import { sha256Hex } from '../std/hash.ts';

/** `sha256:` and the hash of the canonical JSON of the spec with defaults. Every gate record contains it. */
export function characterDigest(spec: CharacterSpec['spec']): string {
  return `sha256:${sha256Hex(canonicalJson(spec))}`;
}
