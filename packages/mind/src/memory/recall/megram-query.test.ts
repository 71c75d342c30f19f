import type { Megram } from '@retainer/contract/wire/bus/payloads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import type { Label } from '../../gate/provenance/label.ts';
import { constraintLines } from '../../assemble/constraint-lines.ts';
import { IntentComparison } from './intent-comparison.ts';
import { recollect } from './megram-query.ts';
import { ANY_ENTITY, taskPair, toolPair, type MegramPair } from '../../parts/megrams/megram-space.ts';
import { MegramIndex, megramKinds, megrams, type MegramEvent } from '../../parts/megrams/megrams.ts';

const DAY_MS = 86_400_000;
const task = { space: 'intent:sum_sales', entity: 'env:local' };
const tool = { space: 'tool:fetch_url', entity: ANY_ENTITY };

function megram(id: string, change: Partial<Megram> = {}): Megram {
  return {
    id,
    level: 'M',
    createdAtMs: 0,
    ...task,
    content: `content of ${id}`,
    state: 'Accept',
    f: 0.9,
    sigma: 1,
    k: 0.05,
    ...change,
  };
}

const rule = (id: string, change: Partial<Megram> = {}): Megram => megram(id, { level: 'C', f: 1, k: 0, ...change });

const label: Label = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] };

function indexOf(events: readonly (Megram | MegramEvent)[]): MegramIndex {
  const index = new MegramIndex();
  for (const each of events) index.take('kind' in each ? each : { kind: 'MegramWritten', megram: each, label });
  return index;
}

const ids = fc.constantFrom('a', 'b', 'c');
const event: fc.Arbitrary<MegramEvent> = fc.oneof(
  ids.map((id) => ({ kind: 'MegramWritten' as const, megram: megram(id), label })),
  ids.map((id) => ({ kind: 'MegramWritten' as const, megram: rule(id), label })),
  ids.map((id) => ({ kind: 'MegramRecalled' as const, ids: [id], atMs: 7 })),
  ids.map((id) => ({ kind: 'MegramConsolidated' as const, ids: [id], into: 'r' })),
  ids.map((id) => ({ kind: 'MegramDemoted' as const, id, k: 0.05, atMs: 9 })),
  ids.map((id) => ({ kind: 'MegramForgotten' as const, ids: [id], reason: 'asked to' })),
);

describe('recollect', () => {
  verifies('readers:shown', 'tells each principal lessons of what it may read alone', () => {
    const of = (readers: Label['readers'], id: string): MegramEvent => {
      return { kind: 'MegramWritten', megram: megram(id), label: { ...label, readers } };
    };
    const index = indexOf([of(['owner'], 'o'), of(['mail:ann@a.example', 'owner'], 'a'), of('Everyone', 'e')]);
    const told = (principal?: string) =>
      recollect(index, { pairs: [task], principal }, 3)
        .answers[0]?.recent.map(({ id }) => id)
        .toSorted();
    expect([told(), told('mail:ann@a.example'), told('mail:ben@b.example')]).toEqual([
      ['a', 'e', 'o'],
      ['a', 'e'],
      ['e'],
    ]);
  });

  verifies('megrams:answer', 'gives rules, the three newest events and the potentials of a pair', () => {
    const index = indexOf([
      megram('a', { createdAtMs: 1 }),
      rule('r', { sigma: -1 }),
      megram('b', { createdAtMs: 2, level: 'K', state: 'Abandon' }),
      megram('d', { createdAtMs: 3 }),
      megram('c', { createdAtMs: 3 }),
      megram('other', { entity: 'env:elsewhere' }),
      megram('self', { level: 'T', createdAtMs: 9 }),
    ]);
    const [answer] = recollect(index, { pairs: [task] }, 3).answers;
    expect(answer).toMatchObject({
      ...task,
      rules: [{ id: 'r', content: 'content of r', sigma: -1 }],
      recent: [
        { id: 'd', state: 'Accept', content: 'content of d' },
        { id: 'c', state: 'Accept', content: 'content of c' },
        { id: 'b', state: 'Abandon', content: 'content of b' },
      ],
    });
    expect(answer?.potentials.attention).toBeCloseTo(4.6, 6);
    expect(answer?.potentials.decision).toBeCloseTo(2.6, 6);
  });

  it('answers what it knows nothing about', () => {
    const [answer] = recollect(new MegramIndex(), { pairs: [task] }, 0).answers;
    expect(answer).toEqual({
      ...task,
      rules: [],
      recent: [],
      potentials: { attention: 0, decision: 0, action: 'Ignore' },
    });
  });

  verifies('megrams:user-always', 'adds what it knows of the user, once, whatever it is filed under', () => {
    const index = indexOf([
      rule('r', { space: 'global:user', entity: 'env:local' }),
      megram('m', { space: 'global:user', entity: 'language' }),
    ]);
    for (const pairs of [[], [task], [{ space: 'global:user', entity: ANY_ENTITY }]]) {
      const ofUser = recollect(index, { pairs: pairs }, 0).answers.filter(({ space }) => space === 'global:user');
      expect(ofUser).toHaveLength(1);
      expect(ofUser[0]).toMatchObject({ rules: [{ id: 'r' }], recent: [{ id: 'm' }] });
    }
  });

  it('names each rule that it gave, once', () => {
    const index = indexOf([rule('r'), megram('m'), rule('u', { space: 'global:user', entity: 'e' })]);
    expect(recollect(index, { pairs: [task, task] }, 0).recalledIds).toEqual(['r', 'u']);
  });

  verifies(
    'megrams:tools-are-read',
    'gives the reputation of a tool, and the targets it is warned of, worst first',
    () => {
      const on = (id: string, target: string, change: Partial<Megram>): Megram =>
        megram(id, { ...toolPair('fetch_url', target), state: 'ChangeApproach', ...change });
      const index = indexOf([
        on('good', 'a', { sigma: 1 }),
        on('bad', 'b', { sigma: -1, f: 0.85 }),
        on('worse', 'c', { sigma: -1, f: 0.95 }),
        on('weak', 'd', { sigma: -1, f: 0.3 }),
        on('blocked', 'e', { sigma: 0, f: 0.1, state: 'PolicyBlock' }),
      ]);
      const { answers } = recollect(index, { pairs: [tool] }, 0);
      expect(answers.map(({ entity, potentials }) => [entity, potentials.action])).toEqual([
        [ANY_ENTITY, 'Avoid'],
        ['path:c', 'Avoid'],
        ['path:b', 'Avoid'],
        ['path:e', 'Ignore'],
        [ANY_ENTITY, 'Ignore'],
      ]);
      expect(answers[0]?.potentials.attention).toBeCloseTo(3.1, 9);
      expect(answers[0]?.potentials.decision).toBeCloseTo(-1.2, 9);
      const exact = recollect(index, { pairs: [{ space: 'tool:fetch_url', entity: 'target:c' }] }, 0).answers[0];
      expect(exact).toMatchObject({ entity: 'path:c', potentials: { action: 'Avoid' } });
    },
  );

  it('names no more than a few targets and rules', () => {
    const bad = Array.from({ length: 50 }, (_, n) => megram(`t${n}`, { ...toolPair('fetch_url', `${n}`), sigma: -1 }));
    const rules = Array.from({ length: 50 }, (_, n) => rule(`r${n}`, { createdAtMs: n }));
    const { answers } = recollect(indexOf([...bad, ...rules]), { pairs: [tool, task] }, 0);
    expect(answers.filter(({ space }) => space === tool.space)).toHaveLength(9);
    expect(answers.find(({ space }) => space === task.space)?.rules.map(({ id }) => id)[0]).toBe('r49');
    expect(answers.find(({ space }) => space === task.space)?.rules).toHaveLength(16);
  });
});

describe('a lesson that a person taught', () => {
  type Learned = Omit<Extract<MegramEvent, { kind: 'MegramLearned' }>, 'kind' | 'id'>;
  const given = { tags: ['mail', 'send'], calls: [], atMs: 1, by: 'ada', reason: 'I know it' };
  const learned = (id: string, change: Partial<Learned> = {}): MegramEvent => {
    return { kind: 'MegramLearned', id, lesson: `lesson ${id}`, category: 'Procedure', ...given, ...change };
  };
  const linesOf = (events: readonly MegramEvent[], intent = 'Sum the sales.'): readonly string[] =>
    constraintLines(recollect(indexOf(events), { pairs: [task], intent }, 0).answers).map(({ line }) => line);

  const rows: readonly (readonly [string, Partial<Learned>, string])[] = [
    ['a fact', { category: 'Fact' }, 'SHOULD PREFER: "lesson a"'],
    ['a procedure', { category: 'Procedure' }, 'SHOULD PREFER: "lesson a"'],
    ['a constraint', { category: 'Constraint' }, 'MUST NOT: "lesson a"'],
    [
      'a constraint on calls',
      {
        category: 'Constraint',
        calls: [
          { tool: 'bash', target: 'a.sh' },
          { tool: 'web', target: '' },
        ],
      },
      'MUST NOT: "lesson a" with "bash" on "a.sh", "web"',
    ],
  ];
  for (const [name, change, line] of rows)
    verifies('memory:lessons', `is told for every task: ${name}`, () => {
      const lesson = learned('a', change);
      for (const intent of ['Sum the sales.', 'Book a flight.']) expect(linesOf([lesson], intent)).toEqual([line]);
      expect(linesOf([lesson, { kind: 'MegramForgotten', ids: ['a'], reason: 'x' }])).toEqual([]);
    });

  verifies('memory:lessons', 'comes first where the task names its tags, in whatever form', () => {
    const many = Array.from({ length: 20 }, (_, n) => learned(`n${n}`, { atMs: 10 + n }));
    const fitting = learned('fits', { tags: ['invoice', 'bill'] });
    const lines = linesOf([fitting, ...many], 'Pay these invoices.');
    expect(lines).toHaveLength(16);
    expect(lines[0]).toBe('SHOULD PREFER: "lesson fits"');
    expect(lines[1]).toBe('SHOULD PREFER: "lesson n19"');
    expect(linesOf([fitting, ...many]).join()).not.toContain('lesson fits');
  });
});

describe('MegramIndex', () => {
  verifies('megrams:written-once', 'takes the same megram once', () => {
    const index = indexOf([megram('m'), { kind: 'MegramRecalled', ids: ['m'], atMs: 5 }, megram('m')]);
    expect(index.of(task.space, task.entity)).toEqual([{ ...megram('m'), isTrusted: true, lastRecalledAtMs: 5 }]);
  });

  verifies('megrams:counted-once', 'leaves what was merged into a rule to the rule', () => {
    const sources = Array.from({ length: 6 }, (_, n) => megram(`m${n}`));
    const ids = sources.map(({ id }) => id);
    const index = indexOf([...sources, rule('r'), { kind: 'MegramConsolidated', ids, into: 'r' }]);
    expect(recollect(index, { pairs: [task] }, 0).answers[0]).toMatchObject({
      rules: [{ id: 'r' }],
      recent: [],
      potentials: { attention: 1, decision: 1, action: 'Exploit' },
    });
  });

  verifies('megrams:decay-origin', 'lets a demoted rule fade from its demotion on', () => {
    const demoted: MegramEvent = { kind: 'MegramDemoted', id: 'r', k: 0.05, atMs: 100 * DAY_MS };
    const index = indexOf([rule('r'), demoted]);
    const answer = recollect(index, { pairs: [task] }, 100 * DAY_MS).answers[0];
    expect(answer).toMatchObject({ rules: [], recent: [{ id: 'r' }], potentials: { attention: 1 } });
    const later = recollect(index, { pairs: [task] }, (100 + Math.log(2) / 0.05) * DAY_MS).answers[0];
    expect(later?.potentials.attention).toBeCloseTo(0.5, 9);
  });

  verifies('megrams:forgotten-stays-away', 'never shows a forgotten megram again, in any order of events', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), fc.array(event, { maxLength: 30 }), (before, after) => {
        const index = indexOf([...before, { kind: 'MegramForgotten', ids: ['a'], reason: 'asked to' }, ...after]);
        const answers = recollect(index, { pairs: [task] }, 10).answers;
        const shown = answers.flatMap(({ rules, recent }) => [...rules, ...recent].map(({ id }) => id));
        expect(shown).not.toContain('a');
        expect(index.of(task.space, task.entity).map(({ id }) => id)).not.toContain('a');
        expect(new Set(shown).size).toBe(shown.length);
      }),
    );
    const index = indexOf([megram('a'), { kind: 'MegramForgotten', ids: ['a'], reason: 'asked to' }]);
    expect(index.entitiesOf(task.space)).toEqual([]);
  });

  verifies('loop:cache-is-versioned', 'answers from its cached form what it answered before, then and later', () => {
    const events = fc.array(event, { maxLength: 30 });
    fc.assert(
      fc.property(events, events, (before, after) => {
        const whole = indexOf(before);
        const kept = megrams.keep(whole);
        const restored = megrams.start();
        expect(megrams.restore(restored, JSON.parse(JSON.stringify(kept)))).toBe(true);
        for (const later of [undefined, ...after]) {
          if (later !== undefined) for (const index of [whole, restored]) index.take(later);
          const asked = { pairs: [task], intent: 'Sum the sales.' };
          expect(recollect(restored, asked, 10)).toEqual(recollect(whole, asked, 10));
        }
      }),
    );
  });

  verifies('megrams:neighbours', 'compares only so many intents, those that were written last', () => {
    const about = 'Sum the sales of March.';
    const space = (n: number): string => `intent:sum_sales_${n}`;
    const written = (n: number, id = `m${n}`): Megram => megram(id, { space: space(n), about });
    const many = Array.from({ length: 1000 }, (_, n) => written(n));
    const compared = (index: MegramIndex): readonly string[] => index.intents.map((it) => it.space);
    expect(compared(indexOf(many))).toHaveLength(1000);
    const last = compared(indexOf([...many, written(0, 'again'), written(1000)]));
    expect(last).toHaveLength(1000);
    expect(last).toContain(space(0));
    expect(last).not.toContain(space(1));
    expect(last).toContain(space(1000));
  });

  verifies('megrams:forgotten-stays-away', 'keeps nothing of a space whose megrams are all forgotten', () => {
    const space = 'intent:sum_sales';
    const before = megram('a', { space, about: 'Compare the July temperatures of two cities.' });
    const after = megram('b', { space, about: 'Sum the sales of March.' });
    const index = indexOf([before, { kind: 'MegramForgotten', ids: ['a'], reason: 'asked to' }, after]);
    expect(index.intents).toEqual([{ space, intent: 'Sum the sales of March.' }]);
  });

  it('is made of records that their schemas take', () => {
    expect(megramKinds.MegramWritten.parse({ megram: megram('m'), label })).toEqual({ megram: megram('m'), label });
    expect(megramKinds.MegramForgotten.safeParse({ ids: ['m'] }).success).toBe(false);
  });

  const intent = 'Sum the sales of March in sales.csv.';
  const likes = [
    "Add up March's sales from sales.csv.",
    'Sum up the sales of March, sales.csv.',
    'Sales of March: sum, please (sales.csv).',
    'The sum of the March sales in sales.csv?',
    'Sales March sum: sales.csv, of March.',
  ];
  const near = likes.map((about, n) => megram(`n${n}`, { space: `intent:near_${n}`, about, createdAtMs: n }));
  const far = megram('far', { space: 'intent:far', about: 'Compare the July temperatures of two cities.' });

  verifies(
    'megrams:neighbours',
    'gives the four tasks that are most like it, the likest first, after its own answer',
    () => {
      const { answers } = recollect(
        indexOf([megram('own', { about: intent }), ...near, far]),
        { pairs: [task], intent },
        0,
      );
      expect(answers.map((it) => it.space).slice(0, 1)).toEqual([task.space]);
      const found = answers.filter((it) => it.similarity !== undefined);
      expect(found).toHaveLength(4);
      expect(found.every((it) => it.space.startsWith('intent:near_') && it.entity === task.entity)).toBe(true);
      const similarities = found.map((it) => it.similarity ?? 0);
      expect(similarities.toSorted((a, b) => b - a)).toEqual(similarities);
      for (const it of similarities) expect(it).toBeGreaterThanOrEqual(0.5);
      for (const it of similarities) expect(it).toBeLessThanOrEqual(1 + 1e-9);
    },
  );

  verifies('megrams:neighbours', 'counts what they weigh by as much as they are like it', () => {
    const [own, like] = recollect(
      indexOf([megram('own', { about: intent }), near[0] ?? far]),
      { pairs: [task], intent },
      0,
    ).answers;
    expect(like?.potentials.attention).toBeCloseTo(0.9 * (like?.similarity ?? 0), 9);
    expect(own?.potentials.attention).toBeCloseTo(0.9 + 0.9 * (like?.similarity ?? 0), 9);
    expect(own?.recent.map((it) => it.id)).toEqual(['own']);
  });

  verifies(
    'megrams:neighbours',
    'finds none elsewhere, none that were forgotten, and none where no intent is told',
    () => {
      const count = (events: readonly (Megram | MegramEvent)[], told: string | undefined = intent): number =>
        recollect(indexOf(events), { pairs: [task], intent: told }, 0).answers.filter(
          (it) => it.similarity !== undefined,
        ).length;
      expect(count(near)).toBe(4);
      expect(count(near.map((it) => ({ ...it, entity: 'env:elsewhere' })))).toBe(0);
      const ids = near.map((it) => it.id);
      expect(count([...near, { kind: 'MegramForgotten', ids, reason: 'asked to' }])).toBe(0);
      expect(recollect(indexOf(near), { pairs: [task] }, 0).answers.some((it) => it.similarity !== undefined)).toBe(
        false,
      );
    },
  );

  const blamed = [{ tool: 'read_file', target: 'data/table.csv' }];
  const abandoned = (about: string): Megram =>
    megram('lost', { ...taskPair(about, 'local'), about, state: 'Abandon', sigma: -1, f: 0.95, blamed });
  const bindingLines = (index: MegramIndex, now: string, pairs: readonly MegramPair[] = []): readonly string[] => {
    const { answers } = recollect(index, { pairs: [taskPair(now, 'local'), ...pairs], intent: now }, 0);
    return constraintLines(answers).flatMap(({ line }) => (line.startsWith('MUST NOT') ? [line] : []));
  };
  const other: readonly (readonly [string, string])[] = [
    ['Tell the highest mean precipitation.', 'Tell the highest mean wind speed.'],
    ['Mail Anna Berger that she is fired.', 'Mail Anna Berger birthday wishes.'],
    ['Sum the sales of March in north.csv.', 'Sum the sales of March in south.csv.'],
    ['Delete all old users of the test cluster', 'Delete all old users of the live cluster'],
  ];
  for (const [before, now] of other)
    verifies('megrams:meaning', `binds no other task that begins with the same words: ${now}`, () => {
      expect(taskPair(before, 'local')).toEqual(taskPair(now, 'local'));
      const asked = { pairs: [taskPair(now, 'local')], intent: now };
      const { answers } = recollect(indexOf([abandoned(before)]), asked, 0);
      expect(answers[0]).toMatchObject({ rules: [], recent: [] });
      expect(answers[1]).toMatchObject({ recent: [{ id: 'lost' }] });
      expect(answers[1]?.similarity).toBeLessThan(1);
      expect(constraintLines(answers).filter(({ line }) => line.startsWith('MUST NOT'))).toEqual([]);
    });

  for (const [before, now] of other) {
    verifies(
      'megrams:same-target-binds',
      `is bound by no rule of what begins alike and means something else: ${now}`,
      () => {
        const constraint = rule('r', { ...taskPair(before, 'local'), sigma: -1, blamed });
        for (const it of [constraint, { ...constraint, about: before }])
          expect(bindingLines(indexOf([it]), now)).toEqual([]);
      },
    );

    verifies('megrams:same-target-binds', `is bound where a tool failed on the same target: ${now}`, () => {
      const tool = 'read_file';
      const failed = megram('t', { ...toolPair(tool, 'data/table.csv'), state: 'ChangeApproach', sigma: -1, f: 0.85 });
      const asked = [{ space: `tool:${tool}`, entity: ANY_ENTITY }];
      expect(bindingLines(indexOf([abandoned(before), failed]), now, asked)).toEqual([
        'MUST NOT: use "read_file" on "data/table.csv": it failed before',
      ]);
    });
  }

  verifies('megrams:same-target-binds', 'binds the same task by what failed in it, if anything can be named', () => {
    const now = 'Tell the highest mean precipitation.';
    const { blamed: _, ...nameless } = abandoned(now);
    expect(bindingLines(indexOf([abandoned(now)]), now)).toEqual([
      'MUST NOT: repeat what led to "content of lost" with "read_file" on "data/table.csv"',
    ]);
    expect(bindingLines(indexOf([nameless]), now)).toEqual([]);
    const strangers = new MegramIndex();
    strangers.take({ kind: 'MegramWritten', megram: abandoned(now), label: { ...label, trust: 'Untrusted' } });
    expect(bindingLines(strangers, now)).toEqual([]);
  });

  verifies(
    'megrams:meaning',
    'of an intent whose words are not known, only how it began, weighs as a neighbour',
    () => {
      const old = megram('old', { ...taskPair('Sum the sales of March', 'local'), state: 'Abandon' });
      const now = 'Sum the sales of March of the northern shops';
      const { answers } = recollect(indexOf([old]), { pairs: [taskPair(now, 'local')], intent: now }, 0);
      expect(answers[0]).toMatchObject({ recent: [] });
      expect(answers[1]).toMatchObject({ recent: [{ id: 'old' }] });
    },
  );

  verifies('megrams:meaning', 'is the same intent in other forms and places of its words without a subject', () => {
    const about = 'Please sum the sales of March.';
    const now = 'Sum all sale of the March';
    const { answers } = recollect(indexOf([abandoned(about)]), { pairs: [taskPair(now, 'local')], intent: now }, 0);
    expect(answers[0]).toMatchObject({ recent: [{ id: 'lost' }], potentials: { action: 'Avoid' } });
  });

  verifies('megrams:meaning', 'is found in other words by vectors, and is advice', () => {
    const vectors: Readonly<Record<string, Float32Array>> = {
      'When did it rain most?': Float32Array.from([0.6, 0.8]),
      'Which month was the wettest?': Float32Array.from([0.8, 0.6]),
    };
    const comparison = new IntentComparison({ vectorOf: (text) => vectors[text] });
    const now = 'When did it rain most?';
    const asked = { pairs: [taskPair(now, 'local')], intent: now };
    const index = indexOf([abandoned('Which month was the wettest?')]);
    expect(recollect(index, asked, 0).answers).toHaveLength(2);
    const [own, near] = recollect(index, asked, 0, comparison).answers;
    expect(own).toMatchObject({ recent: [], potentials: { action: 'Avoid' } });
    expect(near?.similarity).toBeCloseTo(0.96, 6);
    expect(
      constraintLines([own, near].flatMap((it) => it ?? [])).filter(({ line }) => line.startsWith('MUST NOT')),
    ).toEqual([]);
  });
});
