/** Reads mounted Secrets: one file per key. A missing Secret is an empty directory. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { secretPath } from '@retainer/contract/api/child-names';
import { BootError } from './boot-error.ts';

export interface SecretRef {
  readonly name: string;
  readonly key: string;
}

/** @param root  `MOUNTS.secrets`. @throws BootError  SecretNotFound or SecretKeyNotFound, with the remedy */
export async function readSecret(root: string, ref: SecretRef, field: string): Promise<string> {
  const path = secretPath(root, ref);
  const text = await readMountedText(path);
  if (text !== undefined && text !== '') return text;
  const keys = (await readdir(dirname(path)).catch(() => [])).filter((name) => !name.startsWith('.'));
  const create = `kubectl create secret generic ${ref.name} --from-literal=${ref.key}=…`;
  if (text !== undefined)
    throw new BootError('SecretKeyNotFound', `${field}: key ${ref.key} of Secret ${ref.name} is empty`);
  if (keys.length > 0)
    throw new BootError(
      'SecretKeyNotFound',
      `${field}: Secret ${ref.name} has no key ${ref.key}: add it, or name another key`,
    );
  throw new BootError('SecretNotFound', `${field}: no Secret ${ref.name} with key ${ref.key}: ${create}`);
}

/** Trimmed: editors add a line end. @returns undefined if the file does not exist */
export async function readMountedText(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text?.trim();
}

/** A name says who logs in, and is mostly an address that every letter shows: taken out, it would take that out of the record. */
const PUBLIC_KEY_NAME = 'username';

/** All mounted values, for the redaction of the journal. */
export async function mountedSecrets(
  root: string,
): Promise<readonly { readonly name: string; readonly value: string }[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter(
    (entry) => !entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== PUBLIC_KEY_NAME,
  );
  const values = files.map(async ({ parentPath, name }) => {
    const value = await readFile(`${parentPath}/${name}`, 'utf8').catch(() => '');
    return { name, value: value.trim() };
  });
  return (await Promise.all(values)).filter(({ value }) => value !== '');
}
