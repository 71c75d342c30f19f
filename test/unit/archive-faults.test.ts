/** A model of the Archivist that is silent, broken or too dear: deliveries, new runs and memory do not suffer from it. */
import { describe, expect } from 'vitest';
import type { JournalRecord } from '@retainer/journal/journal';
import { scripted } from '../support/agents.ts';
import { archivist, archivistRules } from '../support/archivist.ts';
import { makeRuntime, unobserved, World, type Played } from '../support/crash-world.ts';
import { manualClock } from '../support/manual-clock.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { oneChangeRun, oneChangeScript } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const withRules = (rules: string): string => oneChangeScript.replace(/\nrules:/, () => `\nrules:${rules}`);

const silent = withRules(`
  - name: silence
    when: {role: archivist}
    fault: {kind: Stall}`);

const babbling = withRules(`
  - name: no form
    when: {role: archivist}
    answer: {text: 'That was nice work.'}`);

const broken = withRules(`
  - name: down
    when: {role: archivist}
    fault: {kind: Fail, failure: Authentication}`);

interface Used {
  readonly usage: Readonly<Record<string, number>>;
}

interface Living {
  readonly journal: MemoryJournal;
  readonly world: World;
  readonly clock: ReturnType<typeof manualClock>;
  readonly runtime: ReturnType<typeof makeRuntime>;
}

async function living(script: string, more: Partial<Played> = {}): Promise<Living> {
  const journal = new MemoryJournal();
  const world = new World();
  const clock = manualClock(Date.UTC(2030, 0, 1));
  const model = await scripted(script, clock);
  const runtime = makeRuntime({ journal, world, model, clock, archivist, ...more });
  await runtime.start();
  return { journal, world, clock, runtime };
}

async function run({ runtime }: Living, runId: string): Promise<void> {
  await runtime.accept(`task:${runId}`, 'test', { type: 'StartRun', spec: oneChangeRun(runId) });
  await runtime.closed(runId);
}

const of = ({ journal }: Living, kind: string): readonly JournalRecord[] =>
  journal.records.filter((it) => it.kind === kind);

const reflected = (all: Living): readonly unknown[] =>
  of(all, 'RunReflected').map(({ runId, payload }) => {
    const { status, reason } = payload as { readonly status: string; readonly reason?: string };
    return [runId, status, reason];
  });

describe('an Archivist whose model', () => {
  verifies('memory:archive-holds-up-nothing', 'is silent holds up neither a delivery nor a new run', async () => {
    const all = await living(silent);
    await run(all, 'a');
    await run(all, 'b');
    expect(all.world.deliveries.map(({ runId }) => runId)).toEqual(['a', 'b']);
    expect(reflected(all)).toEqual([]);
    // What the next run is told does not wait for it either.
    expect(all.runtime.session('tasks').turns.map(({ summary }) => summary)).toHaveLength(2);
    while (of(all, 'ArchiveClosed').length < 2) {
      all.clock.advance(archivist.wait.firstMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(reflected(all)).toEqual([
      ['a', 'Fallback', expect.stringContaining('Timeout')],
      ['b', 'Fallback', expect.stringContaining('Timeout')],
    ]);
    await all.runtime.stop();
  });

  const falls: readonly (readonly [string, string, RegExp, number])[] = [
    ['gives no form', babbling, /had not the form/, 3],
    ['is refused', broken, /Authentication/, 1],
  ];
  for (const [name, script, reason, calls] of falls)
    verifies('memory:archive-falls-back', `${name} leaves what code has`, async () => {
      const all = await living(script);
      await run(all, 'a');
      await all.runtime.archived();
      expect(reflected(all)).toEqual([['a', 'Fallback', expect.stringMatching(reason)]]);
      expect([of(all, 'ArchiveAsked').length, of(all, 'CaseWritten').length]).toEqual([calls, 1]);
      expect(all.world.deliveries).toHaveLength(1);
      await all.runtime.stop();
    });

  verifies('memory:archive-falls-back', 'may not be paid any more is not asked', async () => {
    const dear = (model: string): number => (model === archivist.model.model ? 1 : 0);
    const budgets = { ...unobserved.budgets, costUsdPerDay: 0.5 };
    const all = await living(withRules(archivistRules({ prose: 'Well.' })), { costUsd: dear, oversight: { budgets } });
    await run(all, 'a');
    await all.runtime.archived();
    expect(reflected(all)).toEqual([['a', 'Fallback', expect.stringContaining('costUsdPerDay')]]);
    expect(of(all, 'ArchiveAnswered')).toMatchObject([{ payload: { refusal: { field: 'costUsdPerDay', asked: 1 } } }]);
    await all.runtime.stop();
  });

  verifies('budget:counts-archivist', 'answers counts in the budgets of the agent, after a restart too', async () => {
    const answering = withRules(archivistRules({ prose: 'Well.' }));
    const oversight = { budgets: { ...unobserved.budgets, tokensPerDay: 1_000_000 } };
    const all = await living(answering, { oversight });
    await run(all, 'a');
    await all.runtime.archived();
    const used = all.runtime.budgets();
    const spent = of(all, 'ArchiveAnswered').reduce((sum, { payload }) => {
      const { usage } = payload as unknown as Used;
      return sum + Object.values(usage).reduce((total, it) => total + it, 0);
    }, 0);
    const { usage: ofRun } = of(all, 'RunConcluded').map(({ payload }) => payload as unknown as Used)[0] ?? {
      usage: {},
    };
    expect(spent).toBeGreaterThan(0);
    expect(used.filter(({ field }) => field === 'tokensPerDay')).toMatchObject([
      { used: spent + Object.values(ofRun).reduce((total, it) => total + it, 0) },
    ]);
    await all.runtime.stop();
    const { journal, clock } = all;
    const model = await scripted(answering, clock);
    const next = makeRuntime({ journal, world: new World(), model, clock, archivist, oversight });
    await next.start();
    expect(next.budgets()).toEqual(used);
    await next.stop();
  });
});
