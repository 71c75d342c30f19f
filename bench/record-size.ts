/**
 * How large the record of the six examples is, and how much of it stands there twice: `npm run bench:record-size`,
 * `-- --data DIR` for a record that is there, `-- --character FILE` for the examples under another character.
 *
 * Counted are the lines as they are written, and blobs. A copy is a text, list or object of more than 64 characters of canonical JSON
 * that stands whole in an earlier record of the same run; what it contains is not counted again.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seedWorkspace } from '@retainer/agent-pod/boot/seed-workspace';
import { openAgent } from '@retainer/agent-pod/open-agent';
import { listRuns, openRecords } from '@retainer/agent-pod/review/run-records';
import { manifestSeeds } from '../cli/src/manifest-seeds.ts';
import { exampleModel, exampleSelection } from './examples.ts';
import { fail } from './figures.ts';
import { addTo, CopyCount } from './record-size/copy-count.ts';
import { writtenRecords } from './record-size/written-records.ts';

const OWN = 'of no run';
const PLACES_SHOWN = 25;

const { values } = parseArgs({ options: { data: { type: 'string' }, character: { type: 'string' } } });

async function playExamples(dataDirectory: string): Promise<void> {
  const selection = await exampleSelection(values.character);
  const seeds = manifestSeeds(selection);
  await seedWorkspace(join(dataDirectory, 'workspace'), seeds);
  const agent = await openAgent({
    definition: selection.definition,
    dataDirectory,
    seeds,
    model: await exampleModel(selection),
    secrets: [],
    onFault: fail,
  });
  if (!agent.ok) return fail(agent.error);
  for (const task of selection.tasks) {
    const { runId } = await agent.value.submitTask(task, 'bench');
    await agent.value.runtime.closed(runId);
    await agent.value.runtime.archived();
  }
  return agent.value.close();
}

async function measure(dataDirectory: string): Promise<void> {
  const tasks = new Map((await listRuns(await openRecords(dataDirectory))).map(({ runId, task }) => [runId, task]));
  const bytes = new Map([...tasks.values(), OWN].map((name) => [name, 0]));
  const copies = new CopyCount();
  for (const record of await writtenRecords(join(dataDirectory, 'journal'), [...tasks.keys()])) {
    addTo(bytes, tasks.get(record.runId) ?? OWN, record.sizeBytes);
    if (tasks.has(record.runId)) copies.take(record);
  }
  const total = [...bytes.values()].reduce((sum, it) => sum + it, 0);
  for (const [name, sizeBytes] of bytes) print(name, sizeBytes, total);
  print('all', total, total);
  console.log(`\n${'copies, by kind and place'.padEnd(64)} ${'bytes'.padStart(10)}   of all`);
  for (const [place, sizeBytes] of copies.places().slice(0, PLACES_SHOWN)) print(place, sizeBytes, total);
  print('all copies', copies.total, total);
}

function print(name: string, sizeBytes: number, ofBytes: number): void {
  const share = ((100 * sizeBytes) / ofBytes).toFixed(1);
  console.log(`${name.padEnd(64)} ${sizeBytes.toLocaleString('en').padStart(10)}  ${share.padStart(5)} %`);
}

const directory = await mkdtemp(join(tmpdir(), 'retainer-bench-'));
try {
  if (values.data === undefined) await playExamples(directory);
  await measure(values.data ?? directory);
} finally {
  await rm(directory, { recursive: true, force: true });
}
