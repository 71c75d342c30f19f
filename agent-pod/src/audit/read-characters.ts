/** Reads characters from files outside the journal, written by people or mounted by the operator. */
import { readFile } from 'node:fs/promises';
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import { renderManifestError } from '@retainer/contract/manifest/manifest-error';
import { parseManifests } from '@retainer/contract/manifest/parse-manifests';
import { err, ok, type Result } from '@retainer/contract/std/result';

/** @returns the characters of all files, or one line per fault */
export async function readCharacters(
  files: readonly string[],
): Promise<Result<readonly CharacterSpec[], readonly string[]>> {
  const characters: CharacterSpec[] = [];
  const faults: string[] = [];
  for (const file of files) {
    const found = await readCharacter(file);
    if (found.ok) characters.push(...found.value);
    else faults.push(...found.error.map((fault) => `--character: ${fault}`));
  }
  return faults.length > 0 ? err(faults) : ok(characters);
}

async function readCharacter(file: string): Promise<Result<readonly CharacterSpec[], readonly string[]>> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return err([`${file} cannot be read`]);
  const parsed = parseManifests(text, file);
  if (!parsed.ok) return err(parsed.error.map(renderManifestError));
  const found = parsed.value.flatMap((it) => (it.kind === 'CharacterSpec' ? [it.object] : []));
  return found.length === 0 ? err([`${file} holds no CharacterSpec`]) : ok(found);
}
