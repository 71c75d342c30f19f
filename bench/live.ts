/**
 * Twelve everyday tasks with a real model, graded by code: `npm run live`.
 *
 * Without a key and without `--base-url` it says what it would do. It exits 1 if anything untrue was accepted, or if a record does
 * not replay; what a weak model leaves undone is no failure, if the end says so.
 */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openModel } from '@retainer/agent-pod/infer/open-model';
import { systemClock } from '@retainer/contract/std/system-clock';
import { liveDefinition, TASK_TOKENS_MAX, TASK_WALL_CLOCK, type LiveModels } from './live/agent.ts';
import { playLive } from './live/play.ts';
import { falselyAccepted, lastWordsOf, liveTable } from './live/table.ts';
import { liveTasks } from './live/tasks.ts';

const USAGE = `npm run live -- [--base-url URL] [--model ID] [--fast ID] [--data DIR] [--parallel N]

  --base-url URL  any server that speaks the Messages API; Anthropic's when absent (or ANTHROPIC_BASE_URL)
  --model ID      the model of the tier Capable, and of Fast unless --fast names one; the Agent's defaults when absent
  --fast ID       the model of the tier Fast
  --data DIR      where the record goes; must not hold one
  --parallel N    tasks at the same time, 1 to 16; 1 when absent`;

const PARALLEL_MAX = 16;

/** A server of one's own often wants no key, and the client sends one. */
const NO_KEY = 'none';

function parallelOf(text: string): number {
  const parallel = Number(text);
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > PARALLEL_MAX)
    throw new Error(`--parallel must be 1 to ${PARALLEL_MAX}`);
  return parallel;
}

const { values } = parseArgs({
  options: {
    'base-url': { type: 'string' },
    model: { type: 'string' },
    fast: { type: 'string' },
    data: { type: 'string' },
    parallel: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
const key = process.env['ANTHROPIC_API_KEY']?.trim() ?? '';
const baseURL = values['base-url'] ?? process.env['ANTHROPIC_BASE_URL']?.trim() ?? '';
const capable = values.model;
const fast = values.fast ?? capable;
const models: LiveModels = { ...(capable === undefined ? {} : { capable }), ...(fast === undefined ? {} : { fast }) };

function tellPlan(): void {
  const { spec } = liveDefinition(models, 1).agent;
  console.log(`${liveTasks.length} tasks for ${spec.models.capable} and ${spec.models.fast}:`);
  for (const { name, kind, intent } of liveTasks) console.log(`  ${name.padEnd(17)} ${kind.padEnd(11)} ${intent}`);
  console.log(`Each may take ${TASK_TOKENS_MAX} tokens and ${TASK_WALL_CLOCK}.`);
}

async function play(): Promise<void> {
  const started = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const dataDirectory = resolve(values.data ?? join('.retainer', `live-${started}`));
  if (existsSync(join(dataDirectory, 'journal'))) throw new Error(`${dataDirectory} holds a record already`);
  await mkdir(dataDirectory, { recursive: true });
  const model = await openModel(
    { provider: 'Anthropic', apiKey: key === '' ? NO_KEY : key, ...(baseURL === '' ? {} : { baseURL }) },
    { clock: systemClock, random: Math.random },
  );
  if (!model.ok) throw new Error(model.error.join('\n'));
  tellPlan();
  const rows = await playLive({
    model: model.value,
    models,
    dataDirectory,
    parallel: parallelOf(values.parallel),
    secrets: key === '' ? [] : [{ name: 'ANTHROPIC_API_KEY', value: key }],
    onEnd: (task, outcome) => console.log(`  ${task}: ${outcome}`),
  });
  console.log(`\n${liveTable(rows).join('\n')}\n`);
  for (const line of lastWordsOf(rows)) console.log(line);
  console.log(
    `\nThe record is in ${dataDirectory}: npx retainer explain TASK --data DIR, npx retainer replay TASK --data DIR`,
  );
  if (falselyAccepted(rows).length > 0 || rows.some((it) => !it.replays)) process.exitCode = 1;
}

if (values.help) {
  console.log(USAGE);
} else if (key === '' && baseURL === '') {
  tellPlan();
  console.log(`\nNothing was asked: there is no ANTHROPIC_API_KEY and no server.\n\n${USAGE}`);
} else {
  await play();
}
