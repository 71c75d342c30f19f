/**
 * Everyday tasks with a real model, graded by code: `npm run live`, and beside it the loop that anybody writes in an evening.
 *
 * Without a key, `--base-url` and `--local` it says what it would do. It exits 1 if Retainer accepted anything untrue, or if a record does
 * not replay; what a weak model leaves undone is no failure, if the end says so, and what the bare loop says is its own affair.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openModel } from '@retainer/agent-pod/infer/open-model';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
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

/** A server of one's own often wants no key, and the client sends one. */
const NO_KEY = 'none';

/** The exit code of a command that cannot be carried out as it was typed. */
const WRONG_USE = 2;

/** What was typed wrong gets one sentence, and no stack. */
function orExit<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(WRONG_USE);
  }
}

/** Who is asked. */
interface LiveServer {
  /** Empty: it wants none. */
  readonly key: string;
  /** Empty: the provider's own. */
  readonly baseURL: string;
  readonly models: LiveModels;
}

const { values, files, parallel } = orExit(() => parseLiveArguments(process.argv.slice(2)));
const local = orExit(() => chosenLocal(values));
const tasks = orExit(() => {
  const named = chosenTasks(values.only?.split(','));
  return values.tasks === undefined ? named : drawnTasks(named, values.tasks, local.seed);
});

function namedServer(): LiveServer {
  const capable = values.model;
  const fast = values.fast ?? capable;
  return {
    key: process.env['ANTHROPIC_API_KEY']?.trim() ?? '',
    baseURL: values['base-url'] ?? process.env['ANTHROPIC_BASE_URL']?.trim() ?? '',
    models: { ...(capable === undefined ? {} : { capable }), ...(fast === undefined ? {} : { fast }) },
  };
}

function waysPlayed(): readonly Way[] {
  if (values.both === true) return ['Bare', 'Retainer'];
  return [values.bare === true ? 'Bare' : 'Retainer'];
}

function tellPlan({ models }: Pick<LiveServer, 'models'>): void {
  const { spec } = liveDefinition(models, 1).agent;
  console.log(`${tasks.length} tasks for ${spec.models.capable} and ${spec.models.fast}:`);
  for (const { name, kind, intent } of tasks) console.log(`  ${name.padEnd(17)} ${kind.padEnd(11)} ${intent}`);
  console.log(`Each may take ${TASK_TOKENS_MAX} tokens and ${TASK_WALL_CLOCK}.`);
}

/** Where it goes. */
interface Places {
  readonly dataDirectory: string;
  readonly keep: (rows: readonly LiveRow[]) => void;
}

/** Nothing that was recorded before is written over. */
function newPlaces(): Places {
  const started = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const dataDirectory = resolve(values.data ?? join('.retainer', `live-${started}`));
  const { json } = values;
  if (['journal', 'bare'].some((it) => existsSync(join(dataDirectory, it))))
    throw new Error(`--data ${dataDirectory} holds a record already; name another directory`);
  if (json !== undefined && existsSync(json)) throw new Error(`--json ${json} is there already; name another file`);
  mkdirSync(dataDirectory, { recursive: true });
  return { dataDirectory, keep: (rows) => (json === undefined ? undefined : writeRows(json, rows)) };
}

async function openedModel({ key, baseURL }: LiveServer): Promise<ModelPort> {
  const model = await openModel(
    { provider: 'Anthropic', apiKey: key === '' ? NO_KEY : key, ...(baseURL === '' ? {} : { baseURL }) },
    { clock: systemClock, random: Math.random },
  );
  if (!model.ok) throw new Error(model.error.join('\n'));
  return model.value;
}

const PLAYS: Readonly<Record<Way, (options: LiveOptions) => Promise<readonly LiveRow[]>>> = {
  Bare: (options) => playBare({ ...options, dataDirectory: join(options.dataDirectory, 'bare') }),
  Retainer: playLive,
};

/** The key of a provider is not shown to a server of one's own. */
async function playLocally({ size, seed }: ChosenLocal, places: Places): Promise<void> {
  const record = join(places.dataDirectory, 'calls.jsonl');
  const { baseURL, model, stop } = await startLocalModel({ size, seed, record, env: process.env });
  try {
    await play({ key: '', baseURL, models: { capable: model, fast: model } }, places);
  } finally {
    await stop();
  }
}

async function play(server: LiveServer, { dataDirectory, keep }: Places): Promise<void> {
  const { key, models } = server;
  const model = await openedModel(server);
  tellPlan(server);
  const rows: LiveRow[] = [];
  for (const way of waysPlayed()) {
    const ended = [...rows];
    const onEnd = (row: LiveRow): void => {
      console.log(`  ${row.task}: ${row.outcome}`);
      // A run of a slow model takes hours: what has ended is kept, whatever happens next.
      ended.push(row);
      keep(ended);
    };
    const secrets = key === '' ? [] : [{ name: 'ANTHROPIC_API_KEY', value: key }];
    rows.push(...(await PLAYS[way]({ tasks, model, models, dataDirectory, parallel, secrets, onEnd })));
  }
  keep(rows);
  tellEnd(rows, dataDirectory);
}

function tellEnd(rows: readonly LiveRow[], dataDirectory: string): void {
  console.log(`\n${liveTable(rows).join('\n')}\n`);
  for (const line of lastWordsOf(rows)) console.log(line);
  const differing = rows.filter(({ replays }) => replays === false);
  for (const { task } of differing) console.log(`${task}: its record does not replay`);
  console.log(
    `\nThe record is in ${dataDirectory}: npx retainer explain TASK --data DIR, npx retainer replay TASK --data DIR`,
  );
  if (falselyAccepted(rows).length + differing.length > 0) process.exitCode = 1;
}

async function playNamed(server: LiveServer): Promise<void> {
  if (server.key !== '' || server.baseURL !== '') return play(server, orExit(newPlaces));
  tellPlan(server);
  console.log(`\nNothing was asked: there is no ANTHROPIC_API_KEY and no server.\n\n${usage()}`);
}

if (values.help === true) console.log(usage());
else if (values.sum === true) console.log(sumTable(orExit(() => files.flatMap(readRows))).join('\n'));
else if (local.isLocal) await playLocally(local, orExit(newPlaces));
else await playNamed(namedServer());
