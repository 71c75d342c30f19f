/** The command `local-model`: see README.md beside this file. */
import { appendFileSync, existsSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { cacheDirectory, engineDirectory, serversDirectory, weightsFile } from './cache.mjs';
import { fetchEngine } from './fetch-engine.mjs';
import { fetchWeights } from './fetch-weights.mjs';
import { openEngine } from './engine.mjs';
import { noteServer, runningServers } from './servers.mjs';
import { startServer } from './server.mjs';
import { WEIGHTS } from './weights.mjs';

const HELP = `usage: local-model COMMAND [--size 0.5b|1.5b] [OPTION...]

  fetch    engine and weights into the cache; what is there is not fetched again
  serve    loads the model and speaks the Messages API on loopback until it is told to end
  status   what is fetched, and which servers run
  stop     ends all servers of this cache
  where    the path of the cache; with --size, of the weights

  --size SIZE     0.5b (491 MB; the default) or 1.5b (1,117 MB)
  --port N        of serve; 0, the default: any that is free. The first line that it prints is its address
  --seed N        of serve, 0 to 4294967295; 1 when absent. Each call draws from it and from its own number
  --record FILE   of serve: a line of JSON is appended for each call: request, answer, tokens, milliseconds
  --tools WAY     of serve: grammar (the default): a call is held to its form; native: as the model was trained to call
  --context N     of serve: tokens of a prompt and its answer, 2048 to 32768; 16384 when absent
  --answer N      of serve: tokens of an answer at most, whatever is asked, 16 to 8192; 1024 when absent
  --threads N     of serve; the cores of this machine when absent
`;

const OPTIONS = {
  size: { type: 'string' },
  port: { type: 'string', default: '0' },
  seed: { type: 'string', default: '1' },
  record: { type: 'string' },
  tools: { type: 'string', default: 'grammar' },
  context: { type: 'string', default: '16384' },
  answer: { type: 'string', default: '1024' },
  threads: { type: 'string', default: String(availableParallelism()) },
  help: { type: 'boolean', default: false },
};

const DEFAULT_SIZE = '0.5b';
const THREADS_MAX = 256;
const MB = 1_000_000;

const cache = cacheDirectory(process.env);
const print = (line) => process.stdout.write(`${line}\n`);
/** The first line on standard output is the address. */
const tell = (line) => process.stderr.write(`${line}\n`);

/** @throws an error that names the option */
function wholeNumber(option, text, least, most) {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new Error(`--${option} ${text}: it is a whole number from ${least} to ${most}`);
}

function oneOf(option, text, words) {
  if (words.includes(text)) return text;
  throw new Error(`--${option} ${text}: it is one of ${words.join(', ')}`);
}

const weightsOf = ({ size = DEFAULT_SIZE }) => WEIGHTS[oneOf('size', size, Object.keys(WEIGHTS))];

async function fetchAll(values) {
  const weights = weightsOf(values);
  const platform = `${process.platform}-${process.arch}`;
  await fetchEngine({ directory: engineDirectory(cache), env: process.env, platform, say: tell });
  await fetchWeights(weights, { file: weightsFile(cache, weights), env: process.env, say: tell });
}

async function serve(values) {
  const weights = weightsOf(values);
  const { record, port, seed, context, answer, threads, tools } = values;
  const options = {
    ...{ model: weights.model, dialect: oneOf('tools', tools, ['grammar', 'native']) },
    ...{ port: wholeNumber('port', port, 0, 65_535), seed: wholeNumber('seed', seed, 0, 2 ** 32 - 1) },
    answerTokensMax: wholeNumber('answer', answer, 16, 8192),
    record: (call) => (record === undefined ? undefined : appendFileSync(record, `${JSON.stringify(call)}\n`)),
  };
  const contextTokens = wholeNumber('context', context, 2048, 32_768);
  const threadCount = wholeNumber('threads', threads, 1, THREADS_MAX);
  // A file that cannot be written is told now, not after the first call.
  if (record !== undefined) appendFileSync(record, '');
  const modelPath = weightsFile(cache, weights);
  if (!existsSync(modelPath) || !existsSync(engineDirectory(cache)))
    throw new Error(`${weights.model} is not here yet: local-model fetch --size ${values.size ?? DEFAULT_SIZE}`);
  const engine = await openEngine({
    ...{ engineDirectory: engineDirectory(cache), modelPath, contextTokens, threads: threadCount },
  });
  const server = await startServer({ engine, ...options });
  const forget = await noteServer(serversDirectory(cache), { pid: process.pid, url: server.url, model: weights.model });
  print(`${weights.model} at ${server.url}`);
  // A program that started it as its child may end without a word.
  const ends = ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'];
  await new Promise((resolve) => ends.forEach((end) => process.once(end, resolve)));
  await forget();
  await server.close();
  await engine.close();
  // The channel of a parent would keep this process.
  if (process.connected) process.disconnect();
}

async function status() {
  for (const [size, weights] of Object.entries(WEIGHTS)) {
    const file = weightsFile(cache, weights);
    const state = existsSync(file) ? `here, ${Math.round(statSync(file).size / MB)} MB` : 'not fetched';
    print(`${size}  ${state}  (${weights.from})`);
  }
  print(`engine  ${existsSync(engineDirectory(cache)) ? 'here' : 'not fetched'}  (node-llama-cpp and llama.cpp, MIT)`);
  const servers = await runningServers(serversDirectory(cache));
  for (const { model, url, pid, calls } of servers) print(`${model} at ${url}, process ${pid}, ${calls} calls`);
  if (servers.length === 0) print('no server runs');
}

async function stop() {
  const servers = await runningServers(serversDirectory(cache));
  for (const { pid, model, url } of servers) {
    process.kill(pid, 'SIGTERM');
    print(`${model} at ${url} was told to end`);
  }
  if (servers.length === 0) print('no server runs');
}

const COMMANDS = {
  fetch: fetchAll,
  serve,
  status,
  stop,
  where: async (values) => print(values.size === undefined ? cache : weightsFile(cache, weightsOf(values))),
};

async function main() {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  if (values.help) return process.stdout.write(HELP);
  const [name = '', ...others] = positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined || others.length > 0)
    throw new Error(`"${positionals.join(' ')}" is none of ${Object.keys(COMMANDS).join(', ')}: local-model --help`);
  return command(values);
}

try {
  await main();
} catch (error) {
  // Node goes on about words that begin with dashes.
  tell(`local-model: ${error instanceof Error ? error.message.split(/\n/)[0] : String(error)}`);
  process.exitCode = 1;
}
