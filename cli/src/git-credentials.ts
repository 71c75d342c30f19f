/**
 * The credentials of the remote that the backup is pushed to, without a cluster: from the environment, or from a directory with
 * the files that a Secret has on a cluster.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gitCredentialsIn, SECRET_FILES, type GitCredentials } from '@retainer/agent-pod/boot/read-git-credentials';
import { ENV } from '@retainer/contract/api/names';
import { err, ok, type Result } from '@retainer/contract/std/result';

/** What the environment says of them. */
export interface GitCredentialsSource {
  readonly gitCredentials: { readonly username: string; readonly password: string } | undefined;
  /** Has `username` and `password`, or `ssh-privatekey`. */
  readonly gitCredentialsDirectory: string | undefined;
}

/** Reads files anew each time, so that a new password needs no restart. @returns nothing where nothing is said of any */
export async function readGitCredentials({
  gitCredentials,
  gitCredentialsDirectory: directory,
}: GitCredentialsSource): Promise<Result<GitCredentials | undefined, string>> {
  if (directory === undefined)
    return ok(gitCredentials === undefined ? undefined : { kind: 'Password', ...gitCredentials });
  if (gitCredentials !== undefined)
    return err(`${ENV.gitCredentials} and ${ENV.gitPassword} are both set: take one of them away`);
  const found = await gitCredentialsIn(directory);
  if (found !== undefined) return ok(found);
  return err(
    `${ENV.gitCredentials}: ${directory} has neither the files username and password nor the file ssh-privatekey`,
  );
}

/** Whom a remote over HTTPS is believed for, beside the usual ones. Node says itself that it cannot read the file, and goes on without it. */
export async function readAuthorities(file: string | undefined): Promise<string | undefined> {
  return file === undefined ? undefined : await readFile(file, 'utf8').catch(() => undefined);
}

/** So that what they hold stays out of the record and of the backup. A file that is missing is told where it is used. */
export function gitSecretsIn(directory: string): readonly { readonly name: string; readonly value: string }[] {
  return SECRET_FILES.flatMap((name) => {
    const value = textOf(join(directory, name));
    return value === '' ? [] : [{ name: `git-${name}`, value }];
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
