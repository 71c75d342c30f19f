/** Reads the mounted Secret of the remote that the backup is pushed to: at each push, so that a new password needs no restart. */
import type { AgentMemory } from '@retainer/contract/api/agent-memory';
import { secretPath } from '@retainer/contract/api/child-names';
import { readMountedText, readSecret } from './read-secrets.ts';

export type MountedGitCredentials =
  | { readonly kind: 'Password'; readonly username: string; readonly password: string }
  | { readonly kind: 'Key'; readonly key: string };

const FIELD = 'spec.memory.gitRemote.credentialsSecretRef';

/** @returns undefined if the Agent names none. @throws BootError  if its Secret has neither a key nor name and password */
export async function readGitCredentials(
  root: string,
  { gitRemote }: Pick<AgentMemory, 'gitRemote'>,
): Promise<MountedGitCredentials | undefined> {
  const name = gitRemote?.credentialsSecretRef?.name;
  if (name === undefined) return undefined;
  const key = await readMountedText(secretPath(root, { name, key: 'ssh-privatekey' }));
  if (key !== undefined && key !== '') return { kind: 'Key', key };
  const username = await readSecret(root, { name, key: 'username' }, FIELD);
  return { kind: 'Password', username, password: await readSecret(root, { name, key: 'password' }, FIELD) };
}
