/**
 * Pushes the branch of the repository to its remote.
 *
 * I1  A password is in a file of mode 600 that `git credential-store` reads, a key in one that ssh reads: neither is in arguments
 *     or in an environment. The files are gone when the push ends.
 * I2  Nothing is ever forced: a remote with another history keeps it, and the push fails.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { GitFailedError, runGit } from './git.ts';
import { BRANCH } from './repository.ts';

export type GitCredentials =
  | { readonly kind: 'Password'; readonly username: string; readonly password: string }
  /** Text of a private key without a passphrase. */
  | { readonly kind: 'Key'; readonly key: string };

export interface Remote {
  /** Without credentials. */
  readonly url: string;
  readonly branch: string;
  readonly credentials?: GitCredentials;
  /** Of an HTTP proxy; may hold a grant. */
  readonly proxyUrl?: string;
}

/** A first push of some 100 MB over a slow line. */
const PUSH_MS = 600_000;

/** @throws GitFailedError */
export async function push(repository: string, remote: Remote, signal?: AbortSignal): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'retainer-push-'));
  try {
    const { settings, environment } = await accessTo(remote, { directory, knownHosts: `${repository}.known-hosts` });
    const reference = `${BRANCH}:refs/heads/${remote.branch}`;
    await runGit(repository, ['push', '--porcelain', '--no-verify', '--', remote.url, reference], {
      timeoutMs: PUSH_MS,
      signal,
      settings: [`protocol.${schemeOf(remote.url)}.allow=always`, ...settings],
      environment,
    });
  } catch (error) {
    throw toldApart(error, remote);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface Access {
  readonly settings: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

interface Files {
  /** Of this push alone, and of mode 700. */
  readonly directory: string;
  /** Keys of servers: the first one seen is believed, as on a new machine. */
  readonly knownHosts: string;
}

async function accessTo({ url, credentials, proxyUrl }: Remote, { directory, knownHosts }: Files): Promise<Access> {
  // The empty one forgets all others.
  const settings = ['credential.helper='];
  const environment = proxyUrl === undefined ? {} : { https_proxy: proxyUrl };
  const isSsh = schemeOf(url) === 'ssh';
  if (isSsh !== (credentials?.kind === 'Key') && (isSsh || credentials !== undefined))
    throw new GitFailedError('Failed', `the remote ${url}: ${isSsh ? NEEDS_KEY : NEEDS_PASSWORD}`);
  if (credentials === undefined) return { settings, environment };
  const file = join(directory, 'credentials');
  if (credentials.kind === 'Password') {
    await writeFile(file, `${storedLine(url, credentials)}\n`, { mode: 0o600 });
    return { settings: [...settings, `credential.helper=store --file=${shellQuoted(file)}`], environment };
  }
  await writeFile(file, `${credentials.key.trim()}\n`, { mode: 0o600 });
  const options = [
    `UserKnownHostsFile=${shellQuoted(knownHosts)}`,
    'StrictHostKeyChecking=accept-new',
    'IdentitiesOnly=yes',
    'BatchMode=yes',
  ];
  const command = ['ssh', '-F', devNull, '-i', shellQuoted(file), ...options.flatMap((option) => ['-o', option])];
  return { settings, environment: { ...environment, GIT_SSH_COMMAND: command.join(' ') } };
}

const NEEDS_KEY = 'it is reached by ssh, which needs a Secret with ssh-privatekey; or give its https address';
const NEEDS_PASSWORD = 'it is reached over HTTP, which needs a Secret with username and password';

/** As `git credential-store` has it. */
function storedLine(url: string, { username, password }: { username: string; password: string }): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${encodeURIComponent(username)}:${encodeURIComponent(password)}@${host}`;
}

/** A shell reads both the helper and the command of ssh. */
function shellQuoted(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

/** `git@host:path` is one of ssh. */
function schemeOf(url: string): string {
  return /^([a-z]+):\/\//.exec(url)?.[1] ?? 'ssh';
}

/** What git says of a push that failed, and what it means. First match. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [
    /Host key verification failed/,
    'its server shows another key than at the first push: if that is meant, remove its line from DATA/git.known-hosts',
  ],
  [
    /Updates were rejected|non-fast-forward|\[rejected\]/,
    'its branch has another history, which is never overwritten: name another branch',
  ],
  [
    /Authentication failed|could not read (?:Username|Password)|Permission denied|\b403\b/,
    'it refuses the credentials',
  ],
  [
    /Could not resolve host|Failed to connect|Connection (?:refused|timed out)|unable to access/,
    'it cannot be reached',
  ],
];

function toldApart(error: unknown, { url, branch }: Remote): unknown {
  if (!(error instanceof GitFailedError) || error.failure !== 'Failed') return error;
  const meaning = meanings.find(([words]) => words.test(error.said))?.[1] ?? error.message;
  return new GitFailedError('Failed', `the remote ${url} did not take branch ${branch}: ${meaning}`, { cause: error });
}
