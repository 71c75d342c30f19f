/** The server of `test/local-model`, fetched, started for one live run, and ended with it. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const LOCAL_SIZES = ['0.5b', '1.5b'] as const;
type LocalSize = (typeof LOCAL_SIZES)[number];

/** Ten digits: the night's nine, and one more of each of its parts. */
const SEED_MAX = 9_999_999_999;
/** The engine takes 32 bits. */
const ENGINE_SEEDS = 2 ** 32;

export interface ChosenLocal {
  readonly isLocal: boolean;
  readonly size: LocalSize;
  readonly seed: number;
}

/** What a line chooses of these options. @throws an error that names the option that means nothing */
export function chosenLocal(line: {
  readonly local?: boolean | undefined;
  readonly size?: string | undefined;
  readonly seed?: string | undefined;
  readonly 'base-url'?: string | undefined;
  readonly model?: string | undefined;
  readonly fast?: string | undefined;
}): ChosenLocal {
  const isLocal = line.local === true;
  const other = (['base-url', 'model', 'fast'] as const).find((name) => line[name] !== undefined);
  if (isLocal && other !== undefined)
    throw new Error(`--local has a server and a model of its own: leave out --${other}`);
  if (!isLocal && line.size !== undefined)
    throw new Error('--size is of the model of --local: leave it out, or add --local');
  const { seed = '1', size: text = LOCAL_SIZES[0] } = line;
  if (!/^\d+$/.test(seed) || Number(seed) > SEED_MAX)
    throw new Error(`--seed ${seed}: it is a whole number from 0 to ${SEED_MAX}`);
  const size = LOCAL_SIZES.find((it) => it === text);
  if (size === undefined) throw new Error(`--size ${text}: it is one of ${LOCAL_SIZES.join(', ')}`);
  return { isLocal, size, seed: Number(seed) };
}

export interface LocalModel {
  readonly baseURL: string;
  /** The name that the server answers to. */
  readonly model: string;
  /** Resolves when the server has ended. */
  readonly stop: () => Promise<void>;
}

export interface LocalOptions {
  readonly size: LocalSize;
  /** Of its first call; each call draws from it and from its own number. */
  readonly seed: number;
  /** File to which each call is appended; absent: none is recorded. */
  readonly record?: string;
  /** XDG_CACHE_HOME says where the weights are. */
  readonly env: NodeJS.ProcessEnv;
}

const COMMAND = fileURLToPath(new URL('../../test/local-model/main.mjs', import.meta.url));

/**
 * Fetches what is missing, which takes a minute for each gigabyte, and waits until the server answers.
 *
 * @throws an error if it cannot be fetched or started; the command has told why on standard error
 */
export async function startLocalModel({ size, seed, record, env }: LocalOptions): Promise<LocalModel> {
  const [code] = await once(run(['fetch', '--size', size], env), 'exit');
  if (code !== 0) throw new Error(`the local model of size ${size} could not be fetched`);
  const recorded = record === undefined ? [] : ['--record', record];
  const server = run(['serve', '--size', size, '--seed', String(seed % ENGINE_SEEDS), ...recorded], env);
  const [, model, baseURL] = /^(\S+) at (\S+)$/.exec((await firstLine(server)) ?? '') ?? [];
  if (model === undefined || baseURL === undefined) throw new Error(`the local model of size ${size} did not start`);
  return { baseURL, model, stop: () => stop(server) };
}

/** It is told by the closing channel if this process dies. The loaders of this process are none of its business. */
function run(argv: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  return fork(COMMAND, argv, { env, execArgv: [], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
}

/** Undefined where it ends without one. */
async function firstLine({ stdout }: ChildProcess): Promise<string | undefined> {
  if (stdout === null) return undefined;
  for await (const line of createInterface({ input: stdout })) return line;
  return undefined;
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGTERM');
  await exited;
}
