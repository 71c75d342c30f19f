/** Reads the mounted authorities of the remote of the second copy: for each push, so that new ones need no restart. */
import { join } from 'node:path';
import type { AgentMemory } from '@retainer/contract/api/agent-memory';
import { readMountedText } from './read-secrets.ts';

/**
 * @param root  `MOUNTS.gitAuthorities`
 * @returns PEM; undefined if the Agent names none
 * @throws an error that names field and remedy: the push fails, and the agent works on
 */
export async function readGitAuthorities(
  root: string,
  { gitRemote }: Pick<AgentMemory, 'gitRemote'>,
): Promise<string | undefined> {
  if (gitRemote?.caBundleRef === undefined) return undefined;
  const { name, key } = gitRemote.caBundleRef;
  const field = 'spec.memory.gitRemote.caBundleRef';
  const text = await readMountedText(join(root, key));
  if (text === undefined)
    throw new Error(
      `${field}: ConfigMap ${name} has no key ${key}, or does not exist: kubectl create configmap ${name} --from-file=${key}=FILE`,
    );
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new Error(`${field}: key ${key} of ConfigMap ${name} must hold certificates in PEM`);
  return text;
}
