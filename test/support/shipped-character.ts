/** The character that is shipped with every gate scored. */
import { readFileSync } from 'node:fs';
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import { parseManifests } from '@retainer/contract/manifest/parse-manifests';
import { invariant } from '@retainer/contract/std/invariant';

export function shippedCharacter(): CharacterSpec['spec'] {
  const file = new URL('../../manifests/characters/guarded.yaml', import.meta.url);
  const parsed = parseManifests(readFileSync(file, 'utf8'), 'guarded.yaml');
  invariant(parsed.ok, parsed.ok ? '' : JSON.stringify(parsed.error));
  const [found] = parsed.value;
  invariant(found?.kind === 'CharacterSpec', 'a CharacterSpec');
  return found.object.spec;
}
