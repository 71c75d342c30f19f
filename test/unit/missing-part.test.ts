/** A run whose record names a part that damage took must not stop the agent, nor hinder the runs beside it. */
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { Journal, JournalRecord } from '@retainer/journal/journal';
import { openJournal } from '@retainer/journal/open-journal';
import { applyRepair } from '@retainer/journal/repair';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { checkVerdicts } from '@retainer/agent-pod/review/verdict-check';
import { listRuns, openRecords, pendingApprovals, recordsOfRun } from '@retainer/agent-pod/review/run-records';
import { tellRun } from '@retainer/agent-pod/review/tell-records';
import { scripted } from '../support/agents.ts';
import { makeRuntime, World } from '../support/crash-world.ts';
import { noLock } from '../support/journal/no-lock.ts';
import { oneChangeRun, oneChangeScript } from '../support/runs.ts';
import { readSegments, writeSegment } from '../support/sample-journal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

type Runtime = ReturnType<typeof makeRuntime>;

const LONG = 'Count the rows that tell of rain, and say how. '.repeat(10);
const root = temporaryDirectory();
afterEach(() => root.remove());

class Life {
  readonly data = join(root.path, 'data');
  readonly directory = join(this.data, 'journal');
  readonly notices: string[] = [];
  readonly faults: unknown[] = [];
  journal: Journal | undefined;

  async open(hold = ''): Promise<Runtime> {
    this.journal = await openJournal({
      directory: this.directory,
      stores: agentStores,
      agentUid: 'one',
      clock: systemClock,
      lock: noLock,
      limits: { ballastBytes: 0 },
    });
    const runtime = makeRuntime({
      journal: this.journal,
      world: new World(),
      model: holding(await scripted(oneChangeScript), hold),
      onFault: (error) => this.faults.push(error),
      onNotice: (notice) => this.notices.push(notice),
    });
    await runtime.start();
    return runtime;
  }

  async close(runtime: Runtime): Promise<void> {
    await runtime.stop();
    await this.journal?.close();
  }

  async records(store: string): Promise<readonly JournalRecord[]> {
    const records: JournalRecord[] = [];
    for await (const record of this.journal?.read(store) ?? []) records.push(record);
    return records;
  }
}

/** Answers no question of a run before somebody stops asking. */
function holding(model: ModelPort, runId: string): ModelPort {
  return {
    name: model.name,
    infer: async (request, options) => {
      if (runId !== '' && options.callId.startsWith(runId))
        await new Promise((resolve) => options.signal.addEventListener('abort', resolve, { once: true }));
      return model.infer(request, options);
    },
  };
}

function submit(runtime: Runtime, runId: string): Promise<boolean> {
  const spec = { ...oneChangeRun(runId), input: `${runId}: ${LONG}`, background: LONG };
  return runtime.accept(`task:${runId}`, 'test', { type: 'StartRun', spec });
}

/** In the middle of `bad` the agent was killed, and then the command that `bad` came from was damaged and given up. */
async function damaged(): Promise<Life> {
  const life = new Life();
  const runtime = await life.open('bad');
  await submit(runtime, 'done');
  await runtime.closed('done');
  await submit(runtime, 'bad');
  while (!(await life.records('cycle')).some(({ kind, runId }) => kind === 'ModelRequested' && runId === 'bad'));
  await life.close(runtime);
  for (const { file, lines } of readSegments(life.directory, 'inbox'))
    writeSegment(
      life.directory,
      'inbox',
      file,
      lines.map((it) => it.replace('bad: Count', 'bad: count')),
    );
  await applyRepair({ directory: life.directory, principal: 'human:ada', nowMs: Date.now(), lock: noLock });
  return life;
}

const PLACE = /store run, sequence \d+: its \/spec stands at inbox\/\d+\/command\/spec, and a repair gave that up/;

describe('a run of which a part is missing', () => {
  verifies('loop:unread-record', 'is set aside at each start, and the agent works on', async () => {
    const life = await damaged();
    for (let start = 0; start < 2; start += 1) {
      const runtime = await life.open();
      expect(runtime.isReady).toBe(true);
      expect(runtime.asideRuns()).toMatchObject([{ runId: 'bad', task: { name: 'bad' } }]);
      await submit(runtime, `good-${start}`);
      expect((await runtime.closed(`good-${start}`)).concluded?.outcome).toBe('Succeeded');
      await life.close(runtime);
    }
    expect(life.faults).toEqual([]);
    expect(life.notices).toContainEqual(expect.stringMatching(/^record run\/\d+ \(runs\) cannot be taken into memory/));
  });

  verifies(
    'loop:unread-record',
    'stays aside when a person tries it again, and ends when a person gives it up',
    async () => {
      const life = await damaged();
      const runtime = await life.open();
      const person = { runId: 'bad', by: 'ann', reason: 'enough' };
      await runtime.accept('retry', 'test', { type: 'RetryRun', ...person });
      expect(runtime.asideRuns()).toMatchObject([{ runId: 'bad' }]);
      await runtime.accept('cancel', 'test', { type: 'CancelRun', ...person });
      expect(runtime.asideRuns()).toEqual([]);
      expect((await life.records('agent')).map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(['RunSetAside', 'RunTriedAgain', 'RunGivenUp']),
      );
      await life.close(runtime);
      expect(life.faults).toEqual([]);
    },
  );

  verifies(
    'journal:missing-part',
    'is told by name, store, sequence and place, and the others are told as ever',
    async () => {
      const life = await damaged();
      const reader = await openRecords(life.data);
      expect((await listRuns(reader)).map(({ task, outcome }) => [task, outcome])).toEqual([
        ['done', 'Succeeded'],
        ['bad', undefined],
      ]);
      expect(await pendingApprovals(reader)).toEqual([]);
      expect(tellRun(await recordsOfRun(reader, 'done'))?.steps.length).toBeGreaterThan(5);
      const bad = await recordsOfRun(reader, 'bad');
      expect(() => tellRun(bad)).toThrow(PLACE);
      const { findings } = await checkVerdicts(reader);
      expect(findings.filter(({ store }) => store === 'cycle').length).toBeGreaterThan(0);
    },
  );
});
