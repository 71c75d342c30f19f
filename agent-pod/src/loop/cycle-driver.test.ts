import { manualClock } from '../../../test/support/manual-clock.ts';
import { scripted } from '../../../test/support/agents.ts';
import { unlimited, unobserved, World } from '../../../test/support/crash-world.ts';
import { config, cycleSpec } from '../../../test/support/cycles.ts';
import { MemoryJournal } from '../../../test/support/memory-journal.ts';
import { verifies } from '../../../test/verifies.ts';
import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '@retainer/journal/journal';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import type { BudgetCaps } from '@retainer/mind/gate/budget/budget';
import type { CycleState } from '@retainer/mind/cycle/state';
import { eventOf } from '@retainer/mind/part/projection';
import { parseStructured } from '../infer/structured.ts';
import { concluded } from './concluded-cycle.ts';
import type { Contribution } from './cycle-start.ts';
import type { ToolFacts } from '@retainer/mind/gate/tool-facts';
import { CycleDriver } from './cycle-driver.ts';
import { Oversight } from './oversight.ts';
import type { ModelPort } from '../ports/ports.ts';

const script = String.raw`
version: 1
rules:
  - name: look, twice
    when: {role: executor, turn: {max: 2}}
    answer: {calls: [{tool: look, input: 1}, {tool: look, input: 2}]}
  - name: done
    when: {role: executor}
    answer: {text: done}
`;

/** Moments at which a cycle is cancelled: more than it has. */
const MOMENTS = 120;

type Parts = ConstructorParameters<typeof CycleDriver>[0];

function driverOf(
  journal: MemoryJournal,
  model: ModelPort,
  executor: Partial<Parts['executor']>,
  parts: Partial<Parts> = {},
): CycleDriver {
  const world = new World();
  const driver = new CycleDriver({
    journal,
    model,
    executor: {
      execute: (permit) => world.execute(permit),
      lookup: (permit) => world.lookup(permit),
      replaces: () => world.replaces(),
      standing: () => world.standing(),
      asks: () => world.asks(),
      deniedBefore: () => world.deniedBefore(),
      ...executor,
    },
    config,
    oversight: new Oversight(
      unobserved,
      () => 0,
      () => undefined,
    ),
    contributors: [],
    onEvents: () => undefined,
    clock: manualClock(),
    redact: (text) => text,
    holdsSecret: () => false,
    drawNonce: () => 'a1'.repeat(16),
    costUsd: () => 0,
    parseStructured,
    onAsked: () => undefined,
    onWaiting: () => undefined,
    onParked: () => undefined,
    onEnded: () => undefined,
    onFault: (_runId, error) => {
      throw new Error('a fault', { cause: error });
    },
    ...parts,
  });
  driver.arm();
  return driver;
}

/** What began although the cancellation was on the disk. */
async function begunAfterCancel(model: ModelPort, turnsBefore: number): Promise<readonly string[]> {
  const journal = new MemoryJournal();
  const begun: string[] = [];
  const note = (callId: string): void => {
    if (journal.records.some((it) => it.kind === 'CycleCancelled')) begun.push(callId);
  };
  const world = new World();
  const noted: ModelPort = {
    ...model,
    infer: (request, options) => {
      note(options.callId);
      return model.infer(request, options);
    },
  };
  const driver = driverOf(journal, noted, {
    execute: (permit) => {
      note(permit.callId);
      return world.execute(permit);
    },
  });
  const { cycleId } = cycleSpec();
  const started = driver.start(cycleSpec());
  for (let turn = 0; turn < turnsBefore; turn += 1) await Promise.resolve();
  await Promise.all([started, driver.cancel(cycleId, 'ann', 'enough')]);
  await new Promise(setImmediate);
  await driver.stop();
  return begun;
}

/** A contribution that comes when the test says so. */
function held(): { readonly promise: Promise<Contribution>; readonly resolve: (contribution: Contribution) => void } {
  let resolve = (_contribution: Contribution): void => undefined;
  const promise = new Promise<Contribution>((done) => (resolve = done));
  return { promise, resolve: (contribution) => resolve(contribution) };
}

const neverAsked =
  (asked: string[]): ModelPort['infer'] =>
  (_request, { callId }) => {
    asked.push(callId);
    return new Promise(() => undefined);
  };

interface Moment {
  readonly passed: Promise<void>;
  readonly pass: () => void;
}

function moment(): Moment {
  let pass = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
  });
  return { passed, pass: () => pass() };
}

/** A cycle whose program runs while its process is killed. */
async function killedInProgram(model: ModelPort): Promise<readonly JournalRecord[]> {
  const journal = new MemoryJournal();
  const begun = moment();
  const driver = driverOf(journal, model, {
    execute: () => {
      begun.pass();
      return new Promise(() => undefined);
    },
  });
  await driver.start(cycleSpec());
  await begun.passed;
  await driver.stop();
  return journal.records;
}

describe('CycleDriver', () => {
  it('is recorded as begun and cancelled at once where that happens while memory is asked for it', async () => {
    const journal = new MemoryJournal();
    const asked: string[] = [];
    const { promise, resolve } = held();
    const driver = driverOf(
      journal,
      { ...(await scripted(script)), infer: neverAsked(asked) },
      {},
      {
        contributors: [{ atStart: () => promise }],
      },
    );
    const { cycleId } = cycleSpec();
    const started = driver.start(cycleSpec());
    await driver.start(cycleSpec());
    await driver.cancel(cycleId, 'ann', 'enough');
    expect(journal.records).toEqual([]);
    resolve({});
    await started;
    await driver.stop();
    expect(journal.records.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['CycleStarted', 'CycleCancelled', 'CycleEnded']),
    );
    expect(journal.records.filter(({ kind }) => kind === 'CycleStarted')).toHaveLength(1);
    expect(asked).toEqual([]);
  });

  it('does not begin any more where the driver is stopped meanwhile', async () => {
    const journal = new MemoryJournal();
    const { promise, resolve } = held();
    const driver = driverOf(journal, await scripted(script), {}, { contributors: [{ atStart: () => promise }] });
    const started = driver.start(cycleSpec());
    await driver.stop();
    resolve({});
    await started;
    expect(journal.records).toEqual([]);
  });

  it('tells its run how fast its model answered', async () => {
    const model = await scripted(script);
    const slow: ModelPort = {
      ...model,
      infer: async (request, options) => {
        const result = await model.infer(request, options);
        const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 900, cacheWriteTokens: 0 };
        return result.ok ? { ok: true, value: { ...result.value, usage, latencyMs: 2200 } } : result;
      },
    };
    const over = moment();
    const states: CycleState[] = [];
    const onEnded = (state: CycleState): void => {
      states.push(state);
      over.pass();
    };
    const driver = driverOf(new MemoryJournal(), slow, {}, { onEnded });
    await driver.start(cycleSpec());
    await over.passed;
    await driver.stop();
    const [ended] = states;
    if (ended === undefined) throw new Error('the cycle has ended');
    const { paces, modelCalls } = concluded(ended, 0, config.catalog.known);
    expect(modelCalls).toBe(3);
    expect(paces).toEqual([{ model: cycleSpec().model, work: 3 * 220, ms: 3 * 2200 }]);
  });

  it('begins nothing once the cancellation is on the disk, whenever it comes', async () => {
    const model = await scripted(script);
    for (let turns = 0; turns < MOMENTS; turns += 1)
      expect(await begunAfterCancel(model, turns), `${turns} turns`).toEqual([]);
  });

  verifies(
    'loop:restart-waits-for-none',
    'a program that still runs is followed in its turn, beside the rest',
    async () => {
      const model = await scripted(script.replaceAll('look', 'change'));
      const records = await killedInProgram(model);
      const [journal, world, notes] = [new MemoryJournal(records), new World(), new Array<string>()];
      const program = moment();
      const other = moment();
      const driver = driverOf(journal, model, {
        execute: (permit) => {
          notes.push(`makes ${permit.runId}`);
          if (permit.runId === 'other') other.pass();
          return world.execute(permit);
        },
        lookup: async (permit, _signal, turn) => {
          notes.push(`follows ${permit.runId} ${turn === undefined ? 'without' : 'in'} its turn`);
          await program.passed;
          notes.push(`has followed ${permit.runId}`);
          return undefined;
        },
      });
      const { runId, cycleId } = cycleSpec();
      await driver.resume(runId, cycleId, records.map(eventOf<CycleEvent>), manualClock().nowMs());
      await driver.start(cycleSpec({ runId: 'other', cycleId: 'other-c1' }));
      while (!journal.records.some((it) => it.kind === 'ToolRequested' && it.runId === 'other'))
        await new Promise(setImmediate);
      await new Promise(setImmediate);
      program.pass();
      await other.passed;
      await driver.stop();
      expect(notes.slice(0, 2)).toEqual(['follows r in its turn', 'has followed r']);
      expect(notes).toContain('makes other');
    },
  );

  verifies('loop:lanes', 'a server that does not answer holds up no work in the workspace', async () => {
    const begun = moment();
    const notes: string[] = [];
    const { known } = config.catalog;
    const outside = { reachesOutside: true, runsCode: false, writes: 'Nothing' } as const;
    const factsOf = (tool: string): ToolFacts => ({ ...known.factsOf(tool), ...outside });
    const driver = driverOf(
      new MemoryJournal(),
      await scripted(script.replaceAll('look', 'change')),
      {
        execute: () => {
          begun.pass();
          return new Promise(() => undefined);
        },
      },
      { config: { ...config, catalog: { ...config.catalog, known: { ...known, factsOf } } } },
    );
    await driver.start(cycleSpec());
    await begun.passed;
    void driver.inWorkspace('other', async () => void notes.push('worked'));
    await new Promise(setImmediate);
    await driver.stop();
    expect(notes).toEqual(['worked']);
  });

  verifies('loop:restart-waits-for-none', 'a cycle can be cancelled while its program is followed', async () => {
    const model = await scripted(script.replaceAll('look', 'change'));
    const records = await killedInProgram(model);
    const journal = new MemoryJournal(records);
    const stopped = moment();
    const driver = driverOf(journal, model, {
      lookup: async (_permit, signal) => {
        signal.addEventListener('abort', () => stopped.pass());
        await stopped.passed;
        return undefined;
      },
    });
    const { runId, cycleId } = cycleSpec();
    await driver.resume(runId, cycleId, records.map(eventOf<CycleEvent>), manualClock().nowMs());
    await driver.cancel(cycleId, 'ann', 'enough');
    await stopped.passed;
    await driver.stop();
    const after = journal.records.slice(records.length).map(({ kind }) => kind);
    expect(after).toContain('CycleEnded');
    expect(after).not.toContain('EffectLost');
  });

  /** Two cycles that ask one site at the same time, each call with so many bits. */
  async function askTogether(bits: number, budgets: Partial<BudgetCaps> = {}): Promise<readonly JournalRecord[]> {
    const journal = new MemoryJournal();
    const over = moment();
    let ended = 0;
    const oversight = new Oversight(
      { ...unobserved, budgets: { ...unlimited, ...budgets } },
      () => 0,
      () => undefined,
    );
    const choice = { site: 'docs.example', bits, isNext: false };
    const driver = driverOf(
      journal,
      await scripted(askOnce),
      {},
      {
        oversight,
        config: { ...config, gate: { ...config.gate, choice: () => choice } },
        onEnded: () => ((ended += 1) === 2 ? over.pass() : undefined),
      },
    );
    await Promise.all(['a', 'b'].map((runId) => driver.start(cycleSpec({ runId, cycleId: `${runId}-c1` }))));
    await over.passed;
    await driver.stop();
    const told = journal.records.filter(({ kind }) => kind === 'ChoiceSpent');
    expect(oversight.choicesSpent(manualClock().nowMs())['docs.example']).toBe(told.length * bits);
    return journal.records;
  }

  const askOnce = script.replace(', {tool: look, input: 2}', '').replace('{max: 2}', '{max: 1}');
  const results = (records: readonly JournalRecord[]): readonly string[] =>
    records.filter(({ kind }) => kind === 'ToolFinished').map(({ payload }) => JSON.stringify(payload));

  verifies(
    'provenance:choice-budget',
    'cycles beside each other tell a site no more than one of them may',
    async () => {
      const said = results(await askTogether(40));
      expect(said.filter((it) => it.includes('"Ok"'))).toHaveLength(1);
      const refused = /The call was not made: other work of the agent .* docs\.example/;
      expect(said.filter((it) => refused.test(it))).toHaveLength(1);
    },
  );

  verifies('provenance:choice-budget', 'cycles beside each other have all of it', async () => {
    for (const result of results(await askTogether(32))) expect(result).toContain('"Ok"');
  });

  verifies('provenance:choice-budget', 'a call that another budget refuses counts nothing', async () => {
    const records = await askTogether(8, { toolCallsPerDay: 1 });
    expect(records.filter(({ kind }) => kind === 'ChoiceSpent')).toHaveLength(1);
  });
});

describe('a structured answer', () => {
  it('that repeats the duties of its role is asked for again', async () => {
    const duties = 'State the request in one sentence, with the same meaning.';
    const journal = new MemoryJournal();
    const model = await scripted(String.raw`
version: 1
rules:
  - name: copies its duties
    when: {turn: 1}
    answer: {text: '<perception><task slug="work" shape="Plan"><intent>${duties}</intent></task></perception>'}
  - name: states the request
    answer: {text: '<perception><task slug="work" shape="Plan"><intent>Change it.</intent></task></perception>'}
`);
    const over = moment();
    const driver = driverOf(journal, model, {}, { onEnded: () => over.pass() });
    await driver.start(cycleSpec({ structured: 'TaskSpec', system: [{ text: duties, cache: true }], tools: [] }));
    await over.passed;
    await driver.stop();
    const nudged = journal.records.find(({ kind }) => kind === 'Nudged');
    expect(JSON.stringify(nudged?.payload)).toContain('repeats what you were told');
    const ended = journal.records.find(({ kind }) => kind === 'CycleEnded');
    expect(ended?.payload).toMatchObject({ outcome: 'Replied', value: { intent: 'Change it.' } });
  });
});
