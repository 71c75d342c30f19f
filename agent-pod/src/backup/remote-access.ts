/**
 * What a git needs to reach a remote, for a push and for a fetch: which kind of address is allowed, and who asks.
 *
 * I1  A password is never in arguments, in an environment or in a file. Git asks a helper for it, a line of shell that copies
 *     descriptor 3, and the only thing there is a pipe from this process. The helper answers the server of the remote and nobody
 *     else: no proxy, no other host. A server that refuses the password is not answered again, for the pipe is empty then.
 * I2  A key is in a file of mode 600 in a directory of mode 700, for the time of this access: ssh reads keys from files only, and
 *     its agent would be one more process that holds them. The file is gone when the access ends, or the process. Where there is a
 *     file system in memory it is there, so that a process that is killed leaves it on no disk.
 */
import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GitCredentials } from '../boot/read-git-credentials.ts';
import { authoritySettings } from './authorities.ts';
import { GitFailedError, SECRET_DESCRIPTOR, type GitOptions } from './git.ts';

export type { GitCredentials } from '../boot/read-git-credentials.ts';

export interface RemoteAddress {
  /** Without credentials. */
  readonly url: string;
  readonly credentials?: GitCredentials;
  /** Of an HTTP proxy; may hold a grant. */
  readonly proxyUrl?: string;
  /** PEM, beside the usual ones. */
  readonly authorities?: string;
}

/** For {@link runGit}. */
export type RemoteAccess = Required<Pick<GitOptions, 'settings' | 'environment'>> & Pick<GitOptions, 'secretInput'>;

/**
 * @param repository  beside it are the keys of servers by ssh (the first one seen is believed, as on a new machine) and the authorities
 * @param use  its end takes the access away
 * @throws GitFailedError  where credentials do not fit, and what `use` throws
 */
export async function withAccessTo<T>(
  remote: RemoteAddress,
  repository: string,
  use: (access: RemoteAccess) => Promise<T>,
): Promise<T> {
  const { url, credentials, proxyUrl, authorities } = remote;
  const scheme = schemeOf(url);
  const lacking = lackingCredentials(url, credentials);
  if (lacking !== undefined) throw new GitFailedError('Failed', `the remote ${url}: ${NEEDS[lacking]}`);
  const settings = [
    `protocol.${scheme}.allow=always`,
    // The empty one forgets all others.
    'credential.helper=',
    `http.lowSpeedLimit=${SILENT_BYTES_PER_SECOND}`,
    `http.lowSpeedTime=${SILENT_SECONDS}`,
    ...(await authoritySettings(authorities, `${repository}.authorities`)),
  ];
  const environment = proxyUrl === undefined ? {} : { https_proxy: proxyUrl };
  if (credentials === undefined) return await use({ settings, environment });
  if (credentials.kind === 'Password')
    return await use({
      settings: [...settings, `credential.${new URL(url).origin}.helper=${HELPER}`],
      environment,
      secretInput: answerOf(remote, credentials),
    });
  return await withKeyFile(credentials.key, async (file) =>
    use({ settings, environment: { ...environment, GIT_SSH_COMMAND: sshCommand(file, `${repository}.known-hosts`) } }),
  );
}

/** @returns which kind of credentials the remote needs in place of these; undefined: they fit */
export function lackingCredentials(
  url: string,
  credentials: GitCredentials | undefined,
): GitCredentials['kind'] | undefined {
  const isSsh = schemeOf(url) === 'ssh';
  if (isSsh === (credentials?.kind === 'Key') || (!isSsh && credentials === undefined)) return undefined;
  return isSsh ? 'Key' : 'Password';
}

const NEEDS = {
  Key: 'it is reached by ssh, which needs a Secret with ssh-privatekey; or give its https address',
  Password: 'it is reached over HTTP, which needs a Secret with username and password',
} as const;

/** A line that carries less than this for so long carries nothing: a server may think for half a minute about what it got. */
const SILENT_BYTES_PER_SECOND = 1;
const SILENT_SECONDS = 60;

/** Git calls it with `get`, and with `store` or `erase` afterwards. */
const HELPER = `!f() { test "$1" != get || cat <&${SECRET_DESCRIPTOR}; }; f`;

/** In the words of git's credential protocol, in which each value ends with its line. */
function answerOf({ url }: RemoteAddress, { username, password }: { username: string; password: string }): string {
  if (/[\n\0]/.test(username + password))
    throw new GitFailedError('Failed', `the remote ${url}: a name or a password has more than one line`);
  return `username=${username}\npassword=${password}\n`;
}

/** Each Linux has it, a pod as well. */
const IN_MEMORY = '/dev/shm';
/** Begins the name, which nothing else has. */
const KEY_DIRECTORY = 'retainer-push-';

async function withKeyFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(IN_MEMORY, KEY_DIRECTORY)).catch(() => mkdtemp(join(tmpdir(), KEY_DIRECTORY)));
  // Of an end that leaves no time for the line below.
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const file = join(directory, 'key');
    await writeFile(file, `${key.trim()}\n`, { mode: 0o600 });
    return await use(file);
  } finally {
    process.off('exit', remove);
    await rm(directory, { recursive: true, force: true });
  }
}

function sshCommand(keyFile: string, knownHosts: string): string {
  const options = [
    `UserKnownHostsFile=${shellQuoted(knownHosts)}`,
    'StrictHostKeyChecking=accept-new',
    `ConnectTimeout=${SILENT_SECONDS}`,
    `ServerAliveInterval=${SILENT_SECONDS / 2}`,
    'ServerAliveCountMax=2',
    'IdentitiesOnly=yes',
    'BatchMode=yes',
  ];
  return ['ssh', '-F', devNull, '-i', shellQuoted(keyFile), ...options.flatMap((it) => ['-o', it])].join(' ');
}

function shellQuoted(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

const SCHEME = /^[a-z][a-z0-9+.-]*(?=:\/\/)/i;

/** In small letters; `git@host:path` is one of ssh. */
function schemeOf(url: string): string {
  return SCHEME.exec(url)?.[0].toLowerCase() ?? 'ssh';
}

/** The address as git understands it: to git, `HTTPS:` is another kind than `https:`. */
export function forGit(url: string): string {
  return url.replace(SCHEME, (scheme) => scheme.toLowerCase());
}

/** What git says of a remote, and what it means. First match. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [
    /Host key verification failed/,
    'its server shows another key than at the first push: if that is meant, remove its line from DATA/git.known-hosts',
  ],
  [
    /Authentication failed|could not read (?:Username|Password)|Permission denied|\b403\b/,
    'it refuses the credentials',
  ],
  [
    /certificate verification failed|SSL certificate problem/,
    'its certificate is of an authority that nobody here knows: name it in spec.memory.gitRemote.caBundleRef, or in NODE_EXTRA_CA_CERTS on your machine',
  ],
  [
    /Could not resolve host|Failed to connect|Connection (?:refused|timed out)|unable to access/,
    'it cannot be reached',
  ],
];

/** Why a remote did not serve: a part of a sentence for people. @param error  of a git that had its access */
export function whyRefused(error: GitFailedError): string {
  return meanings.find(([words]) => words.test(error.said))?.[1] ?? error.message;
}
