import type { Megram } from '@retainer/contract/wire/bus/payloads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import type { Label } from '../gate/provenance/label.ts';
import { recollect } from './megram-query.ts';
import { ANY_ENTITY, toolPair } from './megram-space.ts';
import { MegramIndex, megramKinds, type MegramEvent } from './megrams.ts';

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

const label: Label = { source: { kind: 'Task' }, trust: 'Trusted', readers: 'Principal' };

function indexOf(events: readonly (Megram | MegramEvent)[]): MegramIndex {
  const index = new MegramIndex();
  for (const each of events) index.take('kind' in each ? each : { kind: 'MegramWritten', megram: each, label });
  return index;
}

describe('recollect', () => {
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
    const ids = fc.constantFrom('a', 'b', 'c');
    const event: fc.Arbitrary<MegramEvent> = fc.oneof(
      ids.map((id) => ({ kind: 'MegramWritten' as const, megram: megram(id), label })),
      ids.map((id) => ({ kind: 'MegramWritten' as const, megram: rule(id), label })),
      ids.map((id) => ({ kind: 'MegramRecalled' as const, ids: [id], atMs: 7 })),
      ids.map((id) => ({ kind: 'MegramConsolidated' as const, ids: [id], into: 'r' })),
      ids.map((id) => ({ kind: 'MegramDemoted' as const, id, k: 0.05, atMs: 9 })),
      ids.map((id) => ({ kind: 'MegramForgotten' as const, ids: [id], reason: 'asked to' })),
    );
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

  verifies('megrams:neighbours', 'compares only so many spaces, those that were written to last', () => {
    const about = 'Sum the sales of March.';
    const space = (n: number): string => `intent:sum_sales_${n}`;
    const written = (n: number, id = `m${n}`): Megram => megram(id, { space: space(n), about });
    const many = Array.from({ length: 1000 }, (_, n) => written(n));
    const compared = (index: MegramIndex): readonly string[] =>
      index.neighboursOf('intent:x', about).map((it) => it.space);
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
    expect(index.neighboursOf('intent:x', 'Compare the July temperatures of two cities.')).toEqual([]);
    expect(index.neighboursOf('intent:x', 'Sum the sales of March.')).toHaveLength(1);
  });

  it('is made of records that their schemas take', () => {
    expect(megramKinds.MegramWritten.parse({ megram: megram('m') })).toEqual({ megram: megram('m') });
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
      const { answers } = recollect(indexOf([megram('own'), ...near, far]), { pairs: [task], intent }, 0);
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
    const [own, like] = recollect(indexOf([megram('own'), near[0] ?? far]), { pairs: [task], intent }, 0).answers;
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
});
