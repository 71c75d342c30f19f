/** Reads characters from files outside the journal, written by people or mounted by the operator. */
import { readFile } from 'node:fs/promises';
import { CharacterSpec } from '@retainer/contract/api/character-spec';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { parseAllDocuments } from 'yaml';

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
  const documents = parseAllDocuments(text);
  const found = ('empty' in documents ? [] : documents)
    .map((it) => it.toJS() as unknown)
    .filter((it) => typeof it === 'object' && it !== null && 'kind' in it && it.kind === 'CharacterSpec')
    .map((it) => CharacterSpec.safeParse(it));
  if (found.length === 0 || !found.every((it) => it.success)) return err(await faultsIn(text, file));
  return ok(found.map(({ data }) => data));
}

/** Loaded only to tell a fault: the schemas of all kinds take as much memory as a third of the judge. */
async function faultsIn(text: string, file: string): Promise<readonly string[]> {
  const { parseManifests } = await import('@retainer/contract/manifest/parse-manifests');
  const { renderManifestError } = await import('@retainer/contract/manifest/manifest-error');
  const parsed = parseManifests(text, file);
  return parsed.ok ? [`${file} holds no CharacterSpec`] : parsed.error.map(renderManifestError);
}
