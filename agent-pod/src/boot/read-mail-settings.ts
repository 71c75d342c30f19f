/** Reads the mounted authorities of the mail servers: at each connection, so that new ones need no restart. */
import { join } from 'node:path';
import type { Agent } from '@retainer/contract/api/agent';
import { BootError } from './boot-error.ts';
import { readMountedText } from './read-secrets.ts';

/**
 * @param root  `MOUNTS.mailAuthorities`
 * @returns PEM; undefined if the Agent names none
 * @throws BootError  that names field and remedy: the agent works on without mail
 */
export async function readMailAuthorities(
  root: string,
  { email }: Pick<Agent['spec']['channels'], 'email'>,
): Promise<string | undefined> {
  if (email?.caConfigMapRef === undefined) return undefined;
  const { name, key } = email.caConfigMapRef;
  const field = 'spec.channels.email.caConfigMapRef';
  const text = await readMountedText(join(root, key));
  if (text === undefined)
    throw new BootError(
      'ConfigMapNotFound',
      `${field}: ConfigMap ${name} has no key ${key}, or does not exist: kubectl create configmap ${name} --from-file=${key}=FILE`,
    );
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new BootError('ConfigMapNotFound', `${field}: key ${key} of ConfigMap ${name} must hold certificates in PEM`);
  return text;
}
