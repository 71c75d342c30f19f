/**
 * What the control loop itself costs, beside the models' time: `npm run bench:run`.
 *
 * A plain Task (perceiver, executor with one tool call, validator) with the scripted model, the real gate and tools, and a
 * durable journal: a file is read, and a figure in it told. Beside it stand as many raw durable appends, on the same volume in the same run. Then four
 * independent subtasks whose models stall equally, one after the other and side by side.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JournalRecord } from '@retainer/journal/journal';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { openAgent, type OpenAgentOptions } from '@retainer/agent-pod/open-agent';
import type { RunEvent } from '@retainer/mind/run/event';
import { agentDefinition, scripted, task } from '../test/support/agents.ts';
import { citingRule, oneStepRule } from '../test/support/runs.ts';
import { bySize } from './bench-size.ts';
import { fail, quantile, rawSyncMs, row, timed } from './figures.ts';
import { callsInSequence, subtaskTimeMs } from './run/calls-in-sequence.ts';

const tasks = bySize({ smoke: 20, full: 200 });
const warmUpTasks = bySize({ smoke: 5, full: 20 });

/** Named and read, so that the verdict has evidence: nothing else would be accepted. */
const FILE = 'rain.txt';
const successCriteria = [{ text: `The rain of ${FILE} is told` }];

const executorRules = `
  - name: look
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: read_file, input: {path: ${FILE}}}]}
  - name: reply
    when: {role: executor}
    answer: {text: It rained 214 mm.}
`;

const plainScript = `
version: 1
rules:${oneStepRule}${citingRule}${executorRules}`;

/** How often the four subtasks are played one after the other, and how often side by side. */
const plays = bySize({ smoke: 1, full: 5 });

/** Of each call of an executor; there are two in a subtask. As short as a fast model, so that our own time shows. */
const stallMs = 200;

const names = ['north', 'east', 'south', 'west'];

const planScript = String.raw`
version: 1
rules:${citingRule}${executorRules}
  - name: four things
    when: {role: perceiver}
    answer: {text: '<perception><task slug="work" shape="Plan"><intent>Look four times.</intent></task></perception>'}
  - name: plan
    when: {role: planner}
    answer:
      text: '<plan>${names.map((it) => `<subtask><intent>Look ${it}.</intent><criterion>The rain of ${FILE} is told.</criterion></subtask>`).join('')}</plan>'
  - name: whole
    when: {role: meta-validator, text: '(?s).*\ntool-call (?P<id>\S+) tool=\S+ status=ok'}
    answer:
      text: '<merge><output>It rained 214 mm.</output><verdict criterion="1" met="true"><evidence>{{text.id}}</evidence><reason>shown</reason></verdict><summary>done</summary></merge>'
`;

/** Plays Tasks one after the other; each must be accepted. */
async function play(
  options: Pick<OpenAgentOptions, 'dataDirectory' | 'model' | 'onAppend'> & { readonly control?: object },
  count: number,
  measure: (submit: () => Promise<readonly RunEvent[]>) => Promise<void>,
): Promise<void> {
  const { control = {}, ...rest } = options;
  const workspace = join(rest.dataDirectory, 'workspace');
  await mkdir(workspace, { recursive: true });
  await writeFile(join(workspace, FILE), 'March: 214 mm\n');
  const events: RunEvent[] = [];
  const onRecord = ({ store, kind, payload }: JournalRecord): void => {
    if (store === 'run') events.push({ kind, ...(payload as object) } as RunEvent);
  };
  // Hundreds of Tasks in a minute, each with what the Archivist asks, are more than an hour's budget.
  const definition = agentDefinition({ control, budgets: { tokensPerHour: 0, tokensPerDay: 0 } });
  const agent = await openAgent({ ...rest, definition, secrets: [], onRecord, onFault: fail });
  if (!agent.ok) throw new Error(agent.error.join('\n'));
  for (let number = 0; number < count; number += 1) {
    await measure(async () => {
      events.length = 0;
      const { runId } = await agent.value.submitTask(
        task(`work-${number}`, `Look ${number}.`, { successCriteria }),
        'bench',
      );
      await agent.value.runtime.closed(runId);
      const closed = events.find((it) => it.kind === 'RunClosed');
      if (closed?.outcome !== 'Accepted') throw new Error(`the run ended ${closed?.outcome ?? 'nowhere'}`);
      return events;
    });
    // Memory of the run before is another figure.
    await agent.value.runtime.archived();
  }
  await agent.value.close();
}

async function benchPlainTask(directory: string): Promise<void> {
  const { model, spentMs } = timed(await scripted(plainScript));
  const own: number[] = [];
  const sequences: number[] = [];
  const appendCounts: number[] = [];
  let appends = 0;
  const onAppend = (): void => {
    appends += 1;
  };
  await play({ dataDirectory: directory, model, onAppend }, tasks + warmUpTasks, async (submit) => {
    const [startMs, modelMs, appended] = [performance.now(), spentMs(), appends];
    const events = await submit();
    own.push(performance.now() - startMs - (spentMs() - modelMs));
    sequences.push(callsInSequence(events));
    appendCounts.push(appends - appended);
  });
  const measured = own.slice(warmUpTasks);
  const raw = quantile(await rawSyncMs(directory), 0.5);
  const count = quantile(appendCounts, 0.5);
  row('model calls in sequence, most of all tasks', `${Math.max(...sequences)}`, 'target ≤ 6; asserted by a test');
  row('overhead of a plain task p50 (1 tool call)', `${quantile(measured, 0.5).toFixed(1)} ms`, 'target ≤ 40 ms');
  row('overhead of a plain task p99', `${quantile(measured, 0.99).toFixed(1)} ms`, '');
  row('raw 4 KiB append + fdatasync p50', `${raw.toFixed(2)} ms`, 'same volume, same run');
  row(`${count} raw durable appends`, `${(raw * count).toFixed(1)} ms`, 'as many as a plain task makes');
}

/** Only executors stall, so that what can overlap is all there is. */
function stalling(model: ModelPort): ModelPort {
  return {
    name: model.name,
    infer: async (request, options) => {
      if (request.role === 'executor') await sleep(stallMs);
      return model.infer(request, options);
    },
  };
}

async function subtasksMs(directory: string, maxParallelSubtasks: number): Promise<number> {
  const model = stalling(await scripted(planScript));
  const times: number[] = [];
  await play({ dataDirectory: directory, model, control: { maxParallelSubtasks } }, plays, async (submit) => {
    times.push(subtaskTimeMs(await submit()));
  });
  return quantile(times, 0.5);
}

async function benchParallelSubtasks(directory: string): Promise<void> {
  const oneByOneMs = await subtasksMs(join(directory, 'one-by-one'), 1);
  const sideBySideMs = await subtasksMs(join(directory, 'side-by-side'), names.length);
  row('4 equal subtasks one by one', `${oneByOneMs.toFixed(0)} ms`, `${stallMs} ms of model in each of 8 calls`);
  row('4 equal subtasks side by side', `${sideBySideMs.toFixed(0)} ms`, '');
  row('speed-up', `${(oneByOneMs / sideBySideMs).toFixed(2)} ×`, 'target ≥ 3; asserted by a test in virtual time');
}

const directory = await mkdtemp(join(tmpdir(), 'retainer-bench-'));
try {
  await benchPlainTask(join(directory, 'plain'));
  await benchParallelSubtasks(join(directory, 'parallel'));
} finally {
  await rm(directory, { recursive: true, force: true });
}
