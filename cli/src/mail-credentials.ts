/**
 * The credentials of the mail servers, without a cluster: from the environment, or from a directory with the files that a Secret has
 * on a cluster. Never from a manifest, which people share.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  mailCredentialsIn,
  SECRET_MAIL_FILE,
  type MailCredentials,
} from '@retainer/agent-pod/boot/read-mail-credentials';
import { ENV } from '@retainer/contract/api/names';
import { err, ok, type Result } from '@retainer/contract/std/result';

/** What the environment says of them. */
export interface MailCredentialsSource {
  /** Without a name, the agent's own address is the name. */
  readonly mailCredentials: { readonly username: string | undefined; readonly password: string } | undefined;
  /** Has `username` and `password`. */
  readonly mailCredentialsDirectory: string | undefined;
}

/**
 * Reads files anew each time, so that a new password needs no restart.
 *
 * @param address  `spec.channels.email.address`
 * @returns the error names what to set
 */
export async function readMailCredentials(
  { mailCredentials, mailCredentialsDirectory: directory }: MailCredentialsSource,
  address: string,
): Promise<Result<MailCredentials, string>> {
  const isSaid = mailCredentials !== undefined;
  if (isSaid && directory !== undefined)
    return err(`${ENV.mailCredentials} and ${ENV.mailPassword} are both set: take one of them away`);
  if (isSaid) return ok({ username: mailCredentials.username ?? address, password: mailCredentials.password });
  if (directory === undefined)
    return err(
      `spec.channels.email needs a password: set ${ENV.mailUsername} and ${ENV.mailPassword}, or ${ENV.mailCredentials} to a directory with the files username and password`,
    );
  const found = await mailCredentialsIn(directory);
  return found === undefined
    ? err(`${ENV.mailCredentials}: ${directory} has not both of the files username and password`)
    : ok(found);
}

/** So that it stays out of the record and of the backup. A file that is missing is told where it is used. */
export function mailSecretIn(directory: string): readonly { readonly name: string; readonly value: string }[] {
  try {
    const value = readFileSync(join(directory, SECRET_MAIL_FILE), 'utf8').trim();
    return value === '' ? [] : [{ name: `mail-${SECRET_MAIL_FILE}`, value }];
  } catch {
    return [];
  }
}
