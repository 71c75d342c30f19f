/**
 * Everyday tasks with a real model, graded by code: `npm run live`, and beside it the loop that anybody writes in an evening.
 *
 * Without a key, `--base-url` and `--local` it says what it would do. It exits 1 if Retainer accepted anything untrue, or if a record does
 * not replay; what a weak model leaves undone is no failure, if the end says so, and what the bare loop says is its own affair.
 */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openModel } from '@retainer/agent-pod/infer/open-model';
import { systemClock } from '@retainer/contract/std/system-clock';
import { liveDefinition, TASK_TOKENS_MAX, TASK_WALL_CLOCK, type LiveModels } from './live/agent.ts';
import { playBare } from './live/bare.ts';
import { chosenLocal, startLocalModel, type ChosenLocal } from './live/local.ts';
import { parseLiveArguments, usage } from './live/options.ts';
import { playLive, type LiveOptions } from './live/play.ts';
import { readRows, writeRows, type LiveRow, type Way } from './live/row.ts';
import { sumTable } from './live/sum.ts';
import { falselyAccepted, lastWordsOf, liveTable } from './live/table.ts';
import { chosenTasks, drawnTasks } from './live/tasks/tasks.ts';

const PARALLEL_MAX = 16;

/** A server of one's own often wants no key, and the client sends one. */
const NO_KEY = 'none';

function parallelOf(text: string): number {
  const parallel = Number(text);
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > PARALLEL_MAX)
    throw new Error(`--parallel must be 1 to ${PARALLEL_MAX}`);
  return parallel;
}

/** Who is asked. */
interface LiveServer {
  /** Empty: it wants none. */
  readonly key: string;
  /** Empty: the provider's own. */
  readonly baseURL: string;
  readonly models: LiveModels;
}

function namedServer(): LiveServer {
  const capable = values.model;
  const fast = values.fast ?? capable;
  return {
    key: process.env['ANTHROPIC_API_KEY']?.trim() ?? '',
    baseURL: values['base-url'] ?? process.env['ANTHROPIC_BASE_URL']?.trim() ?? '',
    models: { ...(capable === undefined ? {} : { capable }), ...(fast === undefined ? {} : { fast }) },
  };
}

const { values, files } = parseLiveArguments(process.argv.slice(2));
const chosen = chosenLocal(values);
const named = chosenTasks(values.only?.split(','));
const tasks = values.tasks === undefined ? named : drawnTasks(named, values.tasks, chosen.seed);
const ways: readonly Way[] = values.both ? ['Bare', 'Retainer'] : [values.bare ? 'Bare' : 'Retainer'];

function tellPlan({ models }: Pick<LiveServer, 'models'>): void {
  const { spec } = liveDefinition(models, 1).agent;
  console.log(`${tasks.length} tasks for ${spec.models.capable} and ${spec.models.fast}:`);
  for (const { name, kind, intent } of tasks) console.log(`  ${name.padEnd(17)} ${kind.padEnd(11)} ${intent}`);
  console.log(`Each may take ${TASK_TOKENS_MAX} tokens and ${TASK_WALL_CLOCK}.`);
}

/** New, with nothing in it that is played. */
async function openDataDirectory(): Promise<string> {
  const started = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const dataDirectory = resolve(values.data ?? join('.retainer', `live-${started}`));
  if (existsSync(join(dataDirectory, 'journal'))) throw new Error(`${dataDirectory} holds a record already`);
  if (values.json !== undefined && existsSync(values.json)) throw new Error(`--json ${values.json} is there already`);
  await mkdir(dataDirectory, { recursive: true });
  return dataDirectory;
}

/** The key of a provider is not shown to a server of one's own. */
async function playLocally({ size, seed }: ChosenLocal): Promise<void> {
  const dataDirectory = await openDataDirectory();
  const record = join(dataDirectory, 'calls.jsonl');
  const { baseURL, model, stop } = await startLocalModel({ size, seed, record, env: process.env });
  try {
    await play({ key: '', baseURL, models: { capable: model, fast: model } }, dataDirectory);
  } finally {
    await stop();
  }
}

async function play(server: LiveServer, dataDirectory: string): Promise<void> {
  const { key, baseURL, models } = server;
  const model = await openModel(
    { provider: 'Anthropic', apiKey: key === '' ? NO_KEY : key, ...(baseURL === '' ? {} : { baseURL }) },
    { clock: systemClock, random: Math.random },
  );
  if (!model.ok) throw new Error(model.error.join('\n'));
  tellPlan(server);
  const ended: LiveRow[] = [];
  const keep = (rows: readonly LiveRow[]): void => {
    if (values.json !== undefined) writeRows(values.json, rows);
  };
  const options: LiveOptions = {
    ...{ tasks, model: model.value, models, dataDirectory },
    parallel: parallelOf(values.parallel ?? '1'),
    secrets: key === '' ? [] : [{ name: 'ANTHROPIC_API_KEY', value: key }],
    onEnd: (row) => {
      console.log(`  ${row.task}: ${row.outcome}`);
      // A run of a slow model takes hours: what has ended is kept, whatever happens next.
      ended.push(row);
      keep(ended);
    },
  };
  const played = {
    Bare: () => playBare({ ...options, dataDirectory: join(dataDirectory, 'bare') }),
    Retainer: () => playLive(options),
  };
  const rows: LiveRow[] = [];
  for (const way of ways) rows.push(...(await played[way]()));
  keep(rows);
  tellEnd(rows, dataDirectory);
  if (falselyAccepted(rows).length > 0 || rows.some((it) => it.replays === false)) process.exitCode = 1;
}

function tellEnd(rows: readonly LiveRow[], dataDirectory: string): void {
  console.log(`\n${liveTable(rows).join('\n')}\n`);
  for (const line of lastWordsOf(rows)) console.log(line);
  for (const { task } of rows.filter((it) => it.replays === false)) console.log(`${task}: its record does not replay`);
  console.log(
    ways.includes('Retainer')
      ? `\nThe record is in ${dataDirectory}: npx retainer explain TASK --data DIR, npx retainer replay TASK --data DIR`
      : `\nWhat was said is in ${dataDirectory}.`,
  );
}

async function playNamed(server: LiveServer): Promise<void> {
  if (server.key !== '' || server.baseURL !== '') return play(server, await openDataDirectory());
  tellPlan(server);
  console.log(`\nNothing was asked: there is no ANTHROPIC_API_KEY and no server.\n\n${usage()}`);
}

if (values.help) {
  console.log(usage());
} else if (values.sum) {
  console.log(sumTable(files.flatMap(readRows)).join('\n'));
} else if (chosen.isLocal) {
  await playLocally(chosen);
} else {
  await playNamed(namedServer());
}
