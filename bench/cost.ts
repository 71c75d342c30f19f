/**
 * What the six examples cost in model calls and tokens: `npm run bench:cost`, `-- --character FILE` for another character,
 * `-- --apart` for Tasks so far apart that no cache holds anything of the one before.
 *
 * Scripted, with the real gate, tools and sandbox. The scripted model counts a prompt cache as the Messages API does. Calls of the
 * gates are told apart from those of the work, and those of the Archivist, which come after the reply, from both. A call counts as in
 * sequence if it began after the call before it had ended.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openAgent } from '@retainer/agent-pod/open-agent';
import { seedWorkspace } from '@retainer/agent-pod/boot/seed-workspace';
import { manifestSeeds } from '../cli/src/manifest-seeds.ts';
import type { Selection } from '../cli/src/select-agent.ts';
import { CallLog, type CallRow } from './cost/call-log.ts';
import { exampleModel, exampleSelection } from './examples.ts';
import { fail } from './figures.ts';

const GUARDED = 'manifests/characters/guarded.yaml';

const { values } = parseArgs({
  options: { character: { type: 'string', default: GUARDED }, apart: { type: 'boolean', default: false } },
});

async function play(selection: Selection, dataDirectory: string): Promise<readonly CallRow[]> {
  const seeds = manifestSeeds(selection);
  await seedWorkspace(join(dataDirectory, 'workspace'), seeds);
  const log = new CallLog();
  let model = await exampleModel(selection);
  const { definition } = selection;
  const agent = await openAgent({
    definition,
    dataDirectory,
    seeds,
    model: log.watching({ name: model.name, infer: (request, options) => model.infer(request, options) }),
    secrets: [],
    onFault: fail,
  });
  if (!agent.ok) return fail(agent.error);
  for (const task of selection.tasks) {
    log.task = task.metadata.name;
    if (values.apart) model = await exampleModel(selection);
    const { runId } = await agent.value.submitTask(task, 'bench');
    await agent.value.runtime.closed(runId);
    await agent.value.runtime.archived();
  }
  await agent.value.close();
  return log.rows();
}

const columns = ['work', 'gate', 'new', 'cached', 'out', 'in sequence'] as const;
type Figures = Readonly<Record<(typeof columns)[number], number>>;

function figuresOf(rows: readonly CallRow[], sequence: number): Figures {
  const sum = (of: (row: CallRow) => number): number => rows.reduce((total, it) => total + of(it), 0);
  return {
    work: sum((it) => (it.isGate ? 0 : 1)),
    gate: sum((it) => (it.isGate ? 1 : 0)),
    new: sum(({ usage }) => usage.inputTokens + usage.cacheWriteTokens),
    cached: sum(({ usage }) => usage.cacheReadTokens),
    out: sum(({ usage }) => usage.outputTokens),
    'in sequence': sequence,
  };
}

function print(title: string, figures: Figures): void {
  console.log(`${title.padEnd(24)} ${columns.map((it) => `${figures[it]}`.padStart(11)).join(' ')}`);
}

function printAll(title: string, groups: ReadonlyMap<string, readonly CallRow[]>): void {
  console.log(`${title.padEnd(24)} ${columns.map((it) => it.padStart(11)).join(' ')}`);
  for (const [name, rows] of groups) print(name, figuresOf(rows, CallLog.inSequence(rows)));
}

function by(rows: readonly CallRow[], nameOf: (row: CallRow) => string): ReadonlyMap<string, readonly CallRow[]> {
  const names = [...new Set(rows.map(nameOf))];
  return new Map(names.map((name) => [name, rows.filter((it) => nameOf(it) === name)]));
}

const directory = await mkdtemp(join(tmpdir(), 'retainer-bench-'));
try {
  const selection = await exampleSelection(values.character);
  const all = await play(selection, directory);
  const rows = all.filter(({ isMemory }) => !isMemory);
  printAll(
    'task',
    by(rows, ({ task }) => task),
  );
  console.log();
  printAll(
    'role',
    by(rows, ({ role }) => role),
  );
  console.log();
  printAll('all', new Map([['all', rows]]));
  console.log();
  printAll('after the reply', new Map([['archivist', all.filter(({ isMemory }) => isMemory)]]));
} finally {
  await rm(directory, { recursive: true, force: true });
}
