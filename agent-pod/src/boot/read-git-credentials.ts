/** Reads the mounted Secret of the remote that the backup is pushed to: at each push, so that a new password needs no restart. */
import { join } from 'node:path';
import type { AgentMemory } from '@retainer/contract/api/agent-memory';
import { readMountedText, readSecret } from './read-secrets.ts';

export type GitCredentials =
  | { readonly kind: 'Password'; readonly username: string; readonly password: string }
  /** Text of a private key without a passphrase. */
  | { readonly kind: 'Key'; readonly key: string };

const FIELD = 'spec.memory.gitRemote.credentialsSecretRef';

const FILES = { key: 'ssh-privatekey', username: 'username', password: 'password' } as const;

/** Those whose texts nobody may see. */
export const SECRET_FILES = [FILES.key, FILES.password] as const;

/** @returns undefined if the Agent names none. @throws BootError  if its Secret has neither a key nor name and password */
export async function readGitCredentials(
  root: string,
  { gitRemote }: Pick<AgentMemory, 'gitRemote'>,
): Promise<GitCredentials | undefined> {
  const name = gitRemote?.credentialsSecretRef?.name;
  if (name === undefined) return undefined;
  const found = await gitCredentialsIn(join(root, name));
  if (found !== undefined) return found;
  const username = await readSecret(root, { name, key: FILES.username }, FIELD);
  return { kind: 'Password', username, password: await readSecret(root, { name, key: FILES.password }, FIELD) };
}

/** @param directory  has a file for each key, as a mounted Secret. @returns undefined if it lacks one */
export async function gitCredentialsIn(directory: string): Promise<GitCredentials | undefined> {
  const read = (file: string): Promise<string> => readMountedText(join(directory, file)).then((text) => text ?? '');
  const [key, username, password] = [await read(FILES.key), await read(FILES.username), await read(FILES.password)];
  if (key !== '') return { kind: 'Key', key };
  return username === '' || password === '' ? undefined : { kind: 'Password', username, password };
}
