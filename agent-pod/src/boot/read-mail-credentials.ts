/** Reads the mounted Secret of the mail servers: at each connection, so that a new password needs no restart. */
import { join } from 'node:path';
import type { Agent } from '@retainer/contract/api/agent';
import { BootError } from './boot-error.ts';
import { readMountedText, readSecret } from './read-secrets.ts';

/** For both servers. */
export interface MailCredentials {
  readonly username: string;
  readonly password: string;
}

const FIELD = 'spec.channels.email.credentialsSecretRef';

const FILES = { username: 'username', password: 'password' } as const;

/** The one whose text nobody may see: a name at a mail server is mostly an address, which every letter shows. */
export const SECRET_MAIL_FILE = FILES.password;

/** @throws BootError  that names field and remedy, if the Agent has no mail or its Secret lacks a key */
export async function readMailCredentials(
  root: string,
  { email }: Pick<Agent['spec']['channels'], 'email'>,
): Promise<MailCredentials> {
  if (email === undefined)
    throw new BootError('SecretNotFound', 'spec.channels.email is not set: the agent has no mail');
  const { name } = email.credentialsSecretRef;
  return {
    username: await readSecret(root, { name, key: FILES.username }, FIELD),
    password: await readSecret(root, { name, key: FILES.password }, FIELD),
  };
}

/** @param directory  has a file for each key, as a mounted Secret. @returns undefined if it lacks one */
export async function mailCredentialsIn(directory: string): Promise<MailCredentials | undefined> {
  const read = (file: string): Promise<string> => readMountedText(join(directory, file)).then((text) => text ?? '');
  const [username, password] = [await read(FILES.username), await read(FILES.password)];
  return username === '' || password === '' ? undefined : { username, password };
}
