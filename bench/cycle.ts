/**
 * What the agent itself costs, beside the model's time: `npm run bench:cycle`.
 *
 * A cycle of 6 model calls and 5 tool calls, with the scripted model, the real gate and tools, and a durable journal. Beside
 * it stand the raw durable writes that such a cycle must make at least, on the same volume in the same run.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CycleSpec } from '@retainer/mind/cycle/event';
import type { JournalRecord } from '@retainer/journal/journal';
import { openAgent } from '@retainer/agent-pod/open-agent';
import { agentDefinition, scripted, task } from '../test/support/agents.ts';
import { oneStepRule } from '../test/support/runs.ts';
import { bySize } from './bench-size.ts';
import { fail, quantile, rawSyncMs, row, timed } from './figures.ts';
import { startIdleAgent } from './start-idle-agent.ts';

const cycles = bySize({ smoke: 20, full: 200 });
const warmUpCycles = bySize({ smoke: 5, full: 20 });
const journalMegabytes = bySize({ smoke: 5, full: 100 });

/** Five different looks, one a turn, then the reply: the same call twice would be stopped as a repetition. */
const looks = [1, 2, 3, 4, 5].map(
  (turn) => `
  - name: look ${turn}
    when: {role: executor, turn: ${turn}}
    answer: {calls: [{tool: memory_read, input: {prefix: 'a${turn}'}}]}`,
);

const script = `
version: 1
rules:${oneStepRule}${looks.join('')}
  - name: reply
    when: {role: executor}
    answer: {text: done}
`;

async function benchCycles(directory: string): Promise<void> {
  const { model, spentMs } = timed(await scripted(script));
  let appends = 0;
  const cycleTimes: number[] = [];
  let startedAt = 0;
  let modelAtStart = 0;
  let isExecutor = false;
  const onRecord = (record: JournalRecord): void => {
    appends += 1;
    if (record.kind === 'CycleStarted') {
      isExecutor = (record.payload as { readonly spec: CycleSpec }).spec.role === 'Executor';
      startedAt = performance.now();
      modelAtStart = spentMs();
    }
    if (record.kind === 'CycleEnded' && isExecutor)
      cycleTimes.push(performance.now() - startedAt - (spentMs() - modelAtStart));
  };
  const definition = agentDefinition({ limits: { turnsPerCycle: 20 } });
  const agent = await openAgent({ definition, dataDirectory: directory, model, secrets: [], onRecord, onFault: fail });
  if (!agent.ok) throw new Error(agent.error.join('\n'));
  for (let count = 0; count < cycles + warmUpCycles; count += 1) {
    const { runId } = await agent.value.submitTask(task(`work-${count}`, `Look ${count}.`), 'bench');
    await agent.value.runtime.closed(runId);
    // Memory of the run before is another figure.
    await agent.value.runtime.archived();
  }
  await agent.value.close();
  const own = cycleTimes.slice(warmUpCycles);
  const raw = await rawSyncMs(directory);
  row('cycle overhead p50 (5 tool calls)', `${quantile(own, 0.5).toFixed(1)} ms`, 'target ≤ 15 ms');
  row('cycle overhead p99', `${quantile(own, 0.99).toFixed(1)} ms`, '');
  row('raw 4 KiB append + fdatasync p50', `${quantile(raw, 0.5).toFixed(2)} ms`, 'same volume, same run');
  row(
    '12 raw durable appends, the least it needs',
    `${(quantile(raw, 0.5) * 12).toFixed(1)} ms`,
    'one per step of the cycle',
  );
  row('records per run', (appends / (cycles + warmUpCycles)).toFixed(1), '');
}

/** One run as it was recorded, again and again under other names, until the journal has about `sizeBytes`. */
async function growJournal(directory: string, sizeBytes: number): Promise<void> {
  const recorded: JournalRecord[] = [];
  const options = { definition: agentDefinition(), dataDirectory: directory, secrets: [], onFault: fail };
  const agent = await openAgent({
    ...options,
    model: await scripted(script),
    onRecord: (record) => recorded.push(record),
  });
  if (!agent.ok) throw new Error(agent.error.join('\n'));
  const { runId } = await agent.value.submitTask(task('grow', 'Look.'), 'bench');
  await agent.value.runtime.closed(runId);
  const { journal } = agent.value;
  const run = recorded.filter((record) => record.runId === runId);
  const runBytes = run.reduce((sum, record) => sum + JSON.stringify(record).length, 0);
  for (let copy = 0; copy * runBytes < sizeBytes; copy += 1) {
    for (const store of ['inbox', 'cycle', 'run', 'narrative']) {
      const records = run.filter((record) => record.store === store);
      const renamed = JSON.parse(JSON.stringify(records).replaceAll(runId, `${runId}-${copy}`)) as JournalRecord[];
      if (renamed.length > 0) await journal.append(renamed);
    }
  }
  await agent.value.close();
  // It was written past the projections, which do not know it.
  await rm(join(directory, 'cache'), { recursive: true });
}

/** Start to ready, and memory at rest, of the built program on such a journal. */
async function benchStart(directory: string): Promise<void> {
  await growJournal(directory, journalMegabytes * 1024 * 1024);
  for (const [name, path] of [
    ['empty journal', join(directory, 'none')],
    [`${journalMegabytes} MB journal, folded`, directory],
    [`${journalMegabytes} MB journal, from the cache`, directory],
  ] as const) {
    const { readyMs, rssBytes } = await startIdleAgent(path);
    row(`start to ready, ${name}`, `${readyMs.toFixed(0)} ms`, 'target ≤ 1000 ms, from the start of the process');
    row(`memory at rest, ${name}`, `${(rssBytes / 1024 / 1024).toFixed(0)} MiB`, 'target ≤ 100 MiB RSS');
  }
}

const directory = await mkdtemp(join(tmpdir(), 'retainer-bench-'));
try {
  await benchCycles(join(directory, 'cycles'));
  await benchStart(join(directory, 'start'));
} finally {
  await rm(directory, { recursive: true, force: true });
}
