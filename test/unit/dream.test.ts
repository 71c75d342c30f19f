/** Dreams: what memory is after them, through the runtime and its record. The model reads its requests. */
import type { Clock } from '@retainer/contract/std/clock';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { foldRecord } from '@retainer/agent-pod/loop/fold-record';
import type { DreamEventOf } from '@retainer/mind/archive/dream-event';
import { Projections } from '@retainer/mind/projections/projections';
import { beforeAll, describe, expect } from 'vitest';
import { scripted } from '../support/agents.ts';
import { archivist } from '../support/archivist.ts';
import { crashPoints, unlimited } from '../support/crash-world.ts';
import { DraftsLife, draftsRules, sheets } from '../support/drafts-life.ts';
import { dreamOn, DREAM_MS, memoryIn, remembered, StrictJournal } from '../support/dreamt-memory.ts';
import { manualClock } from '../support/manual-clock.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { plainCase } from '../support/tended-memory.ts';
import { verifies } from '../verifies.ts';

const LIFE_MS = 120_000;

async function filled(): Promise<MemoryJournal> {
  const journal = new MemoryJournal();
  await journal.append(remembered);
  return new StrictJournal(journal.records);
}

function told<K extends 'DreamAnswered' | 'DreamAsked' | 'PassEnded'>(journal: MemoryJournal, kind: K) {
  return journal.records.filter((it) => it.kind === kind).map(({ payload }) => payload as unknown as DreamEventOf<K>);
}

const kinds = ({ records }: MemoryJournal): readonly string[] => records.map(({ kind }) => kind);

verifies(
  'dream:learns',
  'after ten runs with one recurring mistake a lesson stands that no run had, the next plan cites it, and the mistake is gone',
  async () => {
    const [last = ['', ''], ...first] = sheets.toReversed();
    const [dreaming, sleepless] = [new DraftsLife({ archivist }), new DraftsLife({ archivist })];
    for (const [sheet, intent] of first) {
      const mistaken = [`drafts/${sheet}.csv`, `final/${sheet}.csv`];
      expect(await dreaming.run(sheet, intent)).toEqual(mistaken);
      expect(dreaming.planner(sheet)).not.toContain('drafts/: ');
    }
    sleepless.journal.records.push(...dreaming.journal.records);
    await dreaming.dream();
    const [sheet, intent] = last;
    expect(await sleepless.run(sheet, intent)).toEqual([`drafts/${sheet}.csv`, `final/${sheet}.csv`]);
    expect(await dreaming.run(sheet, intent)).toEqual([`final/${sheet}.csv`]);
    expect(dreaming.planner(sheet)).toMatch(
      /^MUST NOT: "Do not use change on drafts\/: no sum is there\. Take the sheet from final\/ instead\." \[m\d+\]$/m,
    );
    expect(dreaming.cited(sheet)).toEqual([expect.stringMatching(/^dream-[0-9a-f]{12}$/)]);
  },
  LIFE_MS,
);

describe('a dream over a memory with something for each pass', () => {
  let model: ModelPort;
  const whole = new StrictJournal();
  let after: unknown;

  beforeAll(async () => {
    model = await scripted(
      draftsRules.replace(String.raw`, but (?P<better>\S+/) has`, '').replace('{{text.better}}', 'final/'),
    );
    whole.records.push(...(await filled()).records);
    await dreamOn(whole, { model, archivist });
    after = await memoryIn(whole);
  });

  verifies('dream:told', 'tells of each pass what it changed, and why', () => {
    expect(told(whole, 'PassEnded').map(({ pass, changed }) => [pass, changed])).toEqual([
      ['Forget', { MegramForgotten: 1 }],
      ['Bankruptcy', { MegramDemoted: 1 }],
      ['Knowledge', { MegramPromoted: 7 }],
      ['Rules', { MegramWritten: 1, MegramConsolidated: 6 }],
      ['Lessons', { MegramWritten: 1, MegramConsolidated: 4 }],
      ['MergeCases', { CaseMerged: 1 }],
      ['NameThreads', { ThreadNamed: 1 }],
    ]);
    for (const { reasons } of told(whole, 'PassEnded')) expect(Object.values(reasons)).toEqual([expect.any(Number)]);
    expect(kinds(whole).slice(remembered.length)[0]).toBe('DreamBegun');
    expect(kinds(whole).at(-1)).toBe('DreamEnded');
    expect(whole.records.slice(remembered.length).every(({ principal }) => principal === 'dreamer')).toBe(true);
  });

  verifies('dream:told', 'changes nothing again, and leaves no record of that', async () => {
    const journal = new StrictJournal(whole.records);
    await dreamOn(journal, { model, archivist });
    expect(journal.records).toHaveLength(whole.records.length);
    await dreamOn(journal, { model, archivist, cause: 'Person' });
    expect(kinds(journal).slice(whole.records.length)).toEqual(['DreamBegun', 'DreamEnded']);
  });

  verifies('dream:crash', 'comes to the same wherever a process dies in it', async () => {
    for (const length of crashPoints(whole.records, remembered.length)) {
      const journal = new StrictJournal(whole.records.slice(0, length));
      await dreamOn(journal, { model, archivist, cause: 'Run' });
      expect(await memoryIn(journal), `after ${length} records`).toEqual(after);
      // Three rules, lessons and names, and one of them again where its answer was lost.
      expect(told(journal, 'DreamAsked').length).toBeLessThanOrEqual(4);
      const finished = journal.records.length;
      await dreamOn(journal, { model, archivist });
      expect(journal.records).toHaveLength(finished);
    }
  });

  verifies('dream:crash', 'pays for no answer twice: the words that it has are on record', async () => {
    const answered = whole.records.findLastIndex(({ kind }) => kind === 'DreamAnswered');
    const journal = new StrictJournal(whole.records.slice(0, answered + 1));
    await dreamOn(journal, { model, archivist, cause: 'Run' });
    expect(told(journal, 'DreamAsked')).toHaveLength(told(whole, 'DreamAsked').length);
  });
});

describe('the words of a dream', () => {
  /** Memory but for rules, lessons and names, which want words. */
  const unworded = async (): Promise<unknown> => {
    const journal = await filled();
    const model = await scripted(draftsRules);
    await dreamOn(journal, {
      model,
      archivist: { ...archivist, wait: { firstMs: 1, mostMs: 1 } },
      played: { oversight: broke },
    });
    return memoryIn(journal);
  };
  const broke = { budgets: { ...unlimited, tokensPerHour: 1 } };
  const answering = (text: string): Promise<ModelPort> =>
    scripted(`version: 1\nrules:\n  - name: all\n    when: {role: dreamer}\n    answer: {text: '${text}'}`);
  const useless: readonly (readonly [string, string])[] = [
    ['no element', 'You should take it from final.'],
    ['more than the element', 'Well: <words>Do not use change on drafts/ for sums.</words>'],
    ['too many words', `<words>change on drafts/ ${'is bad '.repeat(100)}</words>`],
    ['words about something else', '<words>Wash your hands before each meal.</words>'],
    ['nothing', ' '],
  ];
  for (const [name, text] of useless)
    verifies('dream:words', `${name}: memory is as it was, and after three tries nobody asks again`, async () => {
      const journal = await filled();
      const model = await answering(text);
      await dreamOn(journal, { model, archivist });
      const lesson = told(journal, 'DreamAsked').find(({ request }) => JSON.stringify(request).includes('drafts/'));
      const { megrams } = (await memoryIn(journal)) as { megrams: { space: string; level: string }[] };
      expect(megrams.filter((it) => it.space === 'tool:change' && it.level === 'C')).toEqual([]);
      for (let dreams = 0; dreams < 4; dreams += 1) await dreamOn(journal, { model, archivist });
      const asked = told(journal, 'DreamAsked').filter(({ subject }) => subject === lesson?.subject);
      expect(asked).toHaveLength(3);
    });

  verifies('dream:words', 'a stalled model leaves memory as it was', async () => {
    const stalled: ModelPort = {
      name: 'stalled',
      infer: (_request, { callId }) =>
        Promise.resolve({ ok: false, error: { kind: 'Timeout', message: `no answer to ${callId}` } }) as never,
    };
    const journal = await filled();
    await dreamOn(journal, { model: stalled, archivist });
    expect(await memoryIn(journal)).toEqual(await unworded());
    expect(told(journal, 'DreamAnswered')).toMatchObject([{ reason: expect.stringContaining('Timeout') }, {}, {}]);
  });

  verifies(
    'dream:words',
    'a model beyond the budget is not asked, and what it would have cost is not spent',
    async () => {
      const journal = await filled();
      let calls = 0;
      const inner = await scripted(draftsRules);
      const model: ModelPort = { ...inner, infer: (...given) => ((calls += 1), inner.infer(...given)) };
      await dreamOn(journal, { model, archivist, played: { oversight: broke } });
      expect(calls).toBe(0);
      expect(told(journal, 'DreamAnswered').every(({ refusal }) => refusal !== undefined)).toBe(true);
      await dreamOn(journal, { model, archivist });
      expect(calls).toBeGreaterThan(0);
    },
  );

  verifies(
    'dream:words',
    'a stop ends the call under way; the next process takes the dream up with its moment',
    async () => {
      const journal = await filled();
      const silent: ModelPort = { name: 'silent', infer: () => new Promise(() => undefined) };
      await dreamOn(journal, { model: silent, archivist }, async (runtime) => {
        void runtime.dream('Interval');
        while (!kinds(journal).includes('DreamAsked')) await new Promise((resolve) => setImmediate(resolve));
      });
      const projections = new Projections();
      await foldRecord(journal, projections, 0);
      expect(projections.states.dreams.open).toMatchObject({ atMs: DREAM_MS, asked: 1 });
      await dreamOn(journal, { model: await scripted(draftsRules), archivist, cause: 'Run' });
      expect(told(journal, 'DreamAnswered')[0]).toMatchObject({ isLost: true });
      expect(kinds(journal).at(-1)).toBe('DreamEnded');
    },
  );

  verifies('dream:words', 'without a model code finds them, and threads keep their names', async () => {
    const journal = await filled();
    await dreamOn(journal, { model: await scripted(draftsRules) });
    expect(told(journal, 'DreamAsked')).toEqual([]);
    expect(told(journal, 'PassEnded').map(({ pass }) => pass)).toEqual([
      ...['Forget', 'Bankruptcy', 'Knowledge', 'Rules', 'Lessons', 'MergeCases'],
    ]);
  });

  verifies('dream:words', 'four calls are the most of one dream; the others come in the next', async () => {
    const journal = await filled();
    const more = remembered.filter(({ runId = '' }) => runId.startsWith('accept'));
    for (const space of ['a', 'b', 'c', 'd'])
      await journal.append(
        more.map((it) => {
          const { megram, ...payload } = it.payload as { megram: { id: string } };
          const id = megram.id.replace('accept', space);
          return { ...it, payload: { ...payload, megram: { ...megram, id, space: `intent:${space}` } } } as never;
        }),
      );
    const model = await scripted(draftsRules);
    await dreamOn(journal, { model, archivist });
    expect(told(journal, 'DreamAsked')).toHaveLength(4);
    await dreamOn(journal, { model, archivist });
    expect(told(journal, 'DreamAsked').length).toBeGreaterThan(5);
  });
});

describe('a person’s wish for a dream', () => {
  const wish = { type: 'TendMemory', by: 'ada', reason: 'before the audit' } as const;

  verifies('dream:wish', 'is on record with who and why, counts once, and is fulfilled by one dream', async () => {
    const journal = await filled();
    const model = await scripted(draftsRules);
    await dreamOn(journal, { model }, async (runtime) => {
      await runtime.dreamBell.rung(AbortSignal.timeout(1));
      await runtime.accept('wish', 'test', wish);
      await runtime.accept('wish', 'test', wish);
      expect(runtime.dreamCause()).toBe('Person');
      await runtime.dreamBell.rung(new AbortController().signal);
      await runtime.dream('Person');
      expect(runtime.dreamCause()).toBe('Run');
    });
    const wanted = journal.records.filter(({ kind }) => kind === 'DreamWanted');
    expect(wanted).toMatchObject([{ principal: 'human:ada', payload: { by: 'ada', reason: 'before the audit' } }]);
    expect(kinds(journal).filter((kind) => kind === 'DreamBegun')).toHaveLength(1);
  });

  verifies('dream:wish', 'survives the process that took it, wherever that died', async () => {
    const whole = await filled();
    const model = await scripted(draftsRules);
    await dreamOn(whole, { model }, async (runtime) => void (await runtime.accept('wish', 'test', wish)));
    for (const length of crashPoints(whole.records, remembered.length + 1)) {
      const journal = new StrictJournal(whole.records.slice(0, length));
      await dreamOn(journal, { model }, async (runtime) => {
        await runtime.dreamBell.rung(new AbortController().signal);
        await runtime.dream(runtime.dreamCause() ?? 'Run');
      });
      expect(kinds(journal).filter((kind) => kind === 'DreamWanted' || kind === 'DreamEnded')).toHaveLength(2);
    }
  });
});

verifies('dream:slices', 'a pass over thousands of cases lets other work go on between its steps', async () => {
  const journal = new MemoryJournal();
  const many = Array.from({ length: 2_000 }, (_, n) => {
    const { problem, ...made } = plainCase(`c${n}`);
    const payload = { ...made, problem: { ...problem, keywords: [`k${n % 50}`, `l${n}`] } };
    return { store: 'case', kind: 'CaseWritten', principal: 'archivist', runId: `c${n}`, payload };
  });
  await journal.append(many);
  let turns = 0;
  let isOver = false;
  const model = await scripted(draftsRules);
  // Each look at the clock takes a millisecond: what counts is that the driver looks, and not how fast a machine is.
  const clock = manualClock(DREAM_MS);
  const slow: Clock = {
    nowMs: () => DREAM_MS,
    monotonicMs: () => (clock.advance(1), clock.monotonicMs()),
    sleep: (durationMs, signal) => clock.sleep(durationMs, signal),
  };
  await dreamOn(journal, { model, played: { clock: slow } }, async (runtime) => {
    const dreaming = runtime.dream('Interval').then(() => (isOver = true));
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    await dreaming;
  });
  expect(turns).toBeGreaterThan(100);
});
