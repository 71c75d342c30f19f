/** The one CharacterSpec of a manifest file. */
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import { renderManifestError } from '@retainer/contract/manifest/manifest-error';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { loadManifests } from './load-manifests.ts';

/** @returns the character; else one line for each fault */
export async function readCharacter(file: string): Promise<Result<CharacterSpec, readonly string[]>> {
  const loaded = await loadManifests([file]);
  if (!loaded.ok) return err(loaded.error.map(renderManifestError));
  const characters = loaded.value.objects.flatMap((it) => (it.kind === 'CharacterSpec' ? [it.object] : []));
  const [only] = characters;
  if (only === undefined || characters.length > 1)
    return err([`${file} holds ${characters.length} CharacterSpecs; it must hold one`]);
  return ok(only);
}
