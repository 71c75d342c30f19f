/**
 * A real Redis for tests, which can be killed, frozen and started again with or without its data: in a container where an
 * engine answers and has the image or can fetch it, else Debian's `redis-server`.
 *
 * `RETAINER_TEST_REDIS`: `container` or `local` insists on one. `RETAINER_TEST_REDIS_IMAGE`: another image.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GenericContainer, getContainerRuntimeClient, Wait, type StartedTestContainer } from 'testcontainers';
import { freePort } from './free-port.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const IMAGE = 'redis:7.4-alpine';
const STARTS_WITHIN_MS = 60_000;
const LOOKS_EVERY_MS = 20;

export interface RedisServer {
  /** What it is, for the report of the tests. */
  readonly description: string;
  readonly port: number;
  readonly url: string;
  /** At once, as a power cut would. */
  kill(): Promise<void>;
  /** After `kill`, on the same port. */
  start(data: 'Kept' | 'Lost'): Promise<void>;
  /** Connections stay open, and nothing answers. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** For good. */
  remove(): Promise<void>;
}

/** What is the same for both: every write is in the file before it is answered, so a killed process loses none. */
function serverOptions(password: string | undefined): readonly string[] {
  const durable = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec'];
  return password === undefined ? durable : [...durable, '--requirepass', password];
}

/** @throws  where neither is there, with what to install */
export async function startRedisServer(options: { readonly password?: string } = {}): Promise<RedisServer> {
  const wanted = process.env['RETAINER_TEST_REDIS'];
  const failures: string[] = [];
  for (const [kind, open] of [
    ['container', containerRedis],
    ['local', localRedis],
  ] as const) {
    if (wanted !== undefined && wanted !== kind) continue;
    try {
      const server = await open(options.password);
      process.stdout.write(`redis for tests: ${server.description}\n`);
      return server;
    } catch (error) {
      failures.push(`${kind}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(
    `no Redis to test with (${failures.join('; ')}): install it with apt-get install redis-server, or start a container engine`,
  );
}

async function localRedis(password: string | undefined): Promise<RedisServer> {
  const version = /v=(\S+)/.exec(execFileSync('redis-server', ['--version'], { encoding: 'utf8' }))?.[1] ?? 'unknown';
  const directory = temporaryDirectory();
  const data = join(directory.path, 'data');
  const port = await freePort();
  let child: ChildProcess | undefined;
  const signal = (name: NodeJS.Signals): Promise<void> => {
    child?.kill(name);
    return Promise.resolve();
  };
  const kill = async (): Promise<void> => {
    const dying = child;
    child = undefined;
    if (dying === undefined || dying.exitCode !== null || dying.signalCode !== null) return;
    const exited = once(dying, 'exit');
    dying.kill('SIGKILL');
    await exited;
  };
  // Also where a test run is broken off.
  process.once('exit', () => child?.kill('SIGKILL'));
  const start = async (kept: 'Kept' | 'Lost'): Promise<void> => {
    if (kept === 'Lost') rmSync(data, { recursive: true, force: true });
    mkdirSync(data, { recursive: true });
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', data, ...serverOptions(password)];
    child = spawn('redis-server', args, { stdio: 'ignore' });
    await untilAnswers(port, () => child?.exitCode === null);
  };
  await start('Lost');
  return {
    description: `redis-server ${version} of this machine, port ${String(port)}`,
    port,
    url: `redis://127.0.0.1:${String(port)}`,
    kill,
    start,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    remove: async () => {
      await kill();
      await directory.remove();
    },
  };
}

async function containerRedis(password: string | undefined): Promise<RedisServer> {
  const { container: engine } = await getContainerRuntimeClient();
  const image = process.env['RETAINER_TEST_REDIS_IMAGE'] ?? IMAGE;
  const port = await freePort();
  const create = (): Promise<StartedTestContainer> =>
    new GenericContainer(image)
      .withCommand(['redis-server', ...serverOptions(password)])
      .withExposedPorts({ container: 6379, host: port })
      .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
      .withStartupTimeout(STARTS_WITHIN_MS)
      .start();
  let running = await create();
  const host = running.getHost();
  const handle = (): ReturnType<typeof engine.getById> => engine.getById(running.getId());
  return {
    description: `${image} in a container, port ${String(port)}`,
    port,
    url: `redis://${host}:${String(port)}`,
    kill: async () => void (await handle().kill()),
    start: async (kept) => {
      if (kept === 'Kept') {
        await handle().start();
      } else {
        await handle().remove({ force: true, v: true });
        running = await create();
      }
      await untilAnswers(port, () => true, host);
    },
    freeze: async () => void (await handle().pause()),
    thaw: async () => void (await handle().unpause()),
    remove: async () => void (await handle().remove({ force: true, v: true })),
  };
}

/** Until it answers in its protocol, be it with a demand for a password; loading its data is no answer. */
async function untilAnswers(port: number, isAlive: () => boolean, host = '127.0.0.1'): Promise<void> {
  for (let leftMs = STARTS_WITHIN_MS; leftMs > 0; leftMs -= LOOKS_EVERY_MS) {
    if (!isAlive()) throw new Error('redis-server ended at its start');
    const answer = await ping(host, port).catch(() => '');
    if (answer.startsWith('+PONG') || answer.startsWith('-NOAUTH')) return;
    await sleep(LOOKS_EVERY_MS);
  }
  throw new Error(`Redis does not answer on port ${String(port)}`);
}

async function ping(host: string, port: number): Promise<string> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    socket.write('PING\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString();
  } finally {
    socket.destroy();
  }
}
