/**
 * The entry of a directory that a name means. Paths are in Unicode form NFC here; a Mac writes names in form NFD, and both are one name
 * to whoever reads them.
 *
 * I1  The one entry whose NFC is the name is that entry. Two of them are told, and none is taken.
 * I2  Nothing outside the workspace is looked at.
 */
import { lstat, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { err, ok, type Result } from '@retainer/contract/std/result';

const ASCII = /^[\u0020-\u007E]*$/;

/** @returns the name itself where there is no such entry; the error is the end of a sentence */
export async function entryNamed(directory: string, name: string): Promise<Result<string, string>> {
  if (ASCII.test(name) && (await isThere(path.join(directory, name)))) return ok(name);
  const names = await readdir(directory).catch((): string[] => []);
  const same = names.filter((other) => other.normalize('NFC') === name.normalize('NFC'));
  const [only = name] = same;
  if (same.length <= 1) return ok(only);
  const spellings = same.toSorted().map((it) => `"${spelled(it)}"`);
  return err(`is the name of ${same.length} entries, ${spellings.join(' and ')}: rename one of them with code`);
}

/** @param relative  as `parseWorkspacePath` returns it. @returns it as it stands on the disk */
export async function nameOnDisk(root: string, relative: string): Promise<Result<string, string>> {
  if (ASCII.test(relative) && (await isThere(path.join(root, relative)))) return ok(relative);
  const found: string[] = [];
  for (const part of relative.split('/')) {
    const directory = await realpath(path.join(root, ...found)).catch(() => undefined);
    const isInside = directory === root || directory?.startsWith(`${root}/`) === true;
    const name = directory !== undefined && isInside ? await entryNamed(directory, part) : ok(part);
    if (!name.ok) return name;
    found.push(name.value);
  }
  return ok(found.join('/'));
}

function isThere(place: string): Promise<boolean> {
  return lstat(place).then(
    () => true,
    () => false,
  );
}

/** Both look alike: their characters are told by number. */
function spelled(name: string): string {
  return name.replace(/[^\u0020-\u007E]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`);
}
