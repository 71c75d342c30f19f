/** Reads the environment; no other module does. */
import { homedir, userInfo } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { ENV } from '@retainer/contract/api/names';
import { proxySecrets, readProxies, type ProxySettings } from '@retainer/contract/std/proxies';
import { gitSecretsIn, type GitCredentialsSource } from './git-credentials.ts';
import { mailSecretIn, type MailCredentialsSource } from './mail-credentials.ts';

export interface Environment extends GitCredentialsSource, MailCredentialsSource {
  readonly apiKey: string | undefined;
  readonly baseURL: string | undefined;
  /** Of the server that turns texts into vectors for memory. */
  readonly embeddingKey: string | undefined;
  /** File with authorities that are trusted beside the usual ones, PEM; Node reads it, too. */
  readonly authoritiesFile: string | undefined;
  /** The bus for the agent's roles; without it their messages stay in this process. May contain a password. */
  readonly redisUrl: string | undefined;
  /** Values that must not reach the record, by the name of their variable or file. */
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
  /** undefined: a terminal decides. Source: no-color.org; FORCE_COLOR as in Node. */
  readonly colour: boolean | undefined;
  /** The operating system's name of the user, recorded with each decision and cancellation. */
  readonly userName: string;
  /** Of the process; undefined where the system has none. */
  readonly uid: number | undefined;
  /** Somebody can read what is asked, and type an answer. */
  readonly hasTerminal: boolean;
  /** The way to the model, to pages and to the API server. */
  readonly proxies: ProxySettings;
  /** Address of the cluster, from the same variables as for kubectl. */
  readonly cluster: ClusterEnvironment;
  readonly caller: Caller;
}

/** What the person typed, for the commands that an output tells to type. */
export interface Caller {
  /** `retainer`, or `kubectl retainer`. */
  readonly program: string;
  /** kubectl called it: then a cluster is meant. */
  readonly isPlugin: boolean;
  /** Options of the place from which a command of another machine was sent here. */
  readonly options?: string;
  /** The user name at the API server of whoever sent it, as they say. */
  readonly user?: string;
}

/** Variables that tell the command line in an agent's container who called it. */
export const CALLER = {
  program: 'RETAINER_CALLED_AS',
  options: 'RETAINER_CALLED_WITH',
  user: 'RETAINER_CALLED_BY',
} as const;

export interface ClusterEnvironment {
  /** The files in `KUBECONFIG`, by precedence; by default the file in the home directory. */
  readonly kubeconfigs: readonly string[];
  readonly proxies: ProxySettings;
  /** Set in every pod. */
  readonly service: { readonly host: string; readonly port: string } | undefined;
}

const secretName = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

const credentialPaths: readonly string[] = [ENV.gitCredentials, ENV.mailCredentials];

/** The URL of a Redis may hold a password. The path of credentials is none of them. */
function isSecret(name: string): boolean {
  return (secretName.test(name) || name === ENV.redisUrl) && !credentialPaths.includes(name);
}

export function readEnvironment(): Environment {
  const { env } = process;
  const proxies = readProxies(env);
  const gitCredentialsDirectory = nonEmpty(env[ENV.gitCredentials]);
  const mailCredentialsDirectory = nonEmpty(env[ENV.mailCredentials]);
  return {
    proxies,
    apiKey: nonEmpty(env['ANTHROPIC_API_KEY']),
    baseURL: nonEmpty(env['ANTHROPIC_BASE_URL']),
    embeddingKey: nonEmpty(env[ENV.embeddingApiKey]),
    gitCredentials: gitCredentialsOf(env),
    gitCredentialsDirectory,
    mailCredentials: mailCredentialsOf(env),
    mailCredentialsDirectory,
    authoritiesFile: nonEmpty(env['NODE_EXTRA_CA_CERTS']),
    redisUrl: nonEmpty(env[ENV.redisUrl]),
    secrets: [
      ...Object.entries(env).flatMap(([name, value = '']) => (isSecret(name) ? [{ name, value }] : [])),
      ...proxySecrets(proxies),
      ...(gitCredentialsDirectory === undefined ? [] : gitSecretsIn(gitCredentialsDirectory)),
      ...(mailCredentialsDirectory === undefined ? [] : mailSecretIn(mailCredentialsDirectory)),
    ],
    colour: colourOf(env['NO_COLOR'], env['FORCE_COLOR']),
    userName: userName(),
    uid: process.getuid?.(),
    hasTerminal: process.stdin.isTTY && process.stderr.isTTY,
    cluster: clusterOf(env),
    caller: callerOf(process),
  };
}

/** Servers that take a token as the password want a name, too, and care little for it. */
function gitCredentialsOf(env: NodeJS.ProcessEnv): Environment['gitCredentials'] {
  const password = nonEmpty(env[ENV.gitPassword]);
  return password === undefined ? undefined : { username: nonEmpty(env[ENV.gitUsername]) ?? 'git', password };
}

function mailCredentialsOf(env: NodeJS.ProcessEnv): Environment['mailCredentials'] {
  const password = nonEmpty(env[ENV.mailPassword]);
  return password === undefined ? undefined : { username: nonEmpty(env[ENV.mailUsername]), password };
}

/** kubectl runs the file `kubectl-retainer` of the PATH. */
function callerOf({ env, argv }: Pick<NodeJS.Process, 'env' | 'argv'>): Caller {
  const isPlugin = basename(argv[1] ?? '').startsWith('kubectl-retainer');
  const options = nonEmpty(env[CALLER.options]);
  const user = nonEmpty(env[CALLER.user]);
  return {
    program: nonEmpty(env[CALLER.program]) ?? (isPlugin ? 'kubectl retainer' : 'retainer'),
    isPlugin,
    ...(options === undefined ? {} : { options }),
    ...(user === undefined ? {} : { user }),
  };
}

function clusterOf(env: NodeJS.ProcessEnv): ClusterEnvironment {
  const named = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  const host = nonEmpty(env['KUBERNETES_SERVICE_HOST']);
  return {
    proxies: readProxies(env),
    kubeconfigs: named.length > 0 ? named : [join(homeDirectory(), '.kube', 'config')],
    service: host === undefined ? undefined : { host, port: nonEmpty(env['KUBERNETES_SERVICE_PORT']) ?? '443' },
  };
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

function colourOf(noColour: string | undefined, forced: string | undefined): boolean | undefined {
  if (noColour !== undefined && noColour !== '') return false;
  return forced === undefined ? undefined : forced !== '0';
}

/** As for a name: a uid may have no home. */
function homeDirectory(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}

/** A container may run under a uid that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
