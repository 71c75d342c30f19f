import { describe, expect } from 'vitest';
import {
  abandon,
  accept,
  changeApproach,
  DAY_MS,
  stranger,
  success,
  TendedMemory,
  trusted,
} from '../../../../../test/support/tended-memory.ts';
import { verifies } from '../../../../../test/verifies.ts';
import type { Megram } from '@retainer/contract/wire/bus/payloads';

const many = (count: number, numbers: Partial<Megram>, from = 0): TendedMemory => {
  const memory = new TendedMemory();
  more(memory, count, numbers, from);
  return memory;
};

function more(memory: TendedMemory, count: number, numbers: Partial<Megram>, from: number): void {
  for (let n = 0; n < count; n += 1) memory.learn(`r${from + n}-g7-1`, { createdAtMs: from + n, ...numbers });
}

const rulesOf = ({ megrams }: TendedMemory) => megrams.kept.megrams.filter(({ level }) => level === 'C');
const levels = ({ megrams }: TendedMemory): string => megrams.kept.megrams.map(({ level }) => level).join('');

describe('what has faded', () => {
  const rows: readonly (readonly [string, Partial<Megram>, days: number])[] = [
    ['abandon', abandon, 45],
    ['accept', accept, 43.9],
    ['change approach', changeApproach, 42.8],
    ['success', success, 41.6],
    ['break symmetry', { state: 'BreakSymmetry', f: 0.75, sigma: 1 }, 40.3],
    ['change path', { state: 'ChangePath', f: 0.3, sigma: 0, k: 0.2 }, 5.5],
  ];
  for (const [name, numbers, days] of rows)
    verifies('dream:forget', `an entry of ${name} stays for ${days} days`, () => {
      const memory = many(1, numbers);
      expect(memory.after('Forget', (days - 0.1) * DAY_MS)).toEqual([]);
      expect(memory.after('Forget', (days + 0.1) * DAY_MS)).toMatchObject([
        { commands: [{ kind: 'MegramForgotten' }] },
      ]);
      expect(memory.megrams.size).toBe(0);
    });

  verifies('dream:forget', 'a memory of refining goes with the very next pass', () => {
    const memory = many(1, { state: 'Refine', f: 0.1, sigma: 0.5, k: 0.5 });
    expect(memory.after('Forget', 0)).toEqual([]);
    memory.after('Forget', 1);
    expect(memory.megrams.size).toBe(0);
  });

  verifies('dream:forget', 'a rule stays, and so does what a person taught and what was recalled since', () => {
    const memory = many(1, { ...abandon, level: 'C', k: 0 });
    memory.tell({
      kind: 'MegramLearned',
      id: 'lesson',
      lesson: 'Send nothing on Sundays.',
      tags: ['mail', 'send'],
      category: 'Constraint',
      calls: [],
      atMs: 0,
      by: 'ada',
      reason: 'their wish',
    });
    memory.learn('recalled', accept);
    memory.tell({ kind: 'MegramRecalled', ids: ['recalled'], atMs: 100 * DAY_MS });
    expect(memory.after('Forget', 140 * DAY_MS)).toEqual([]);
    expect(memory.after('Forget', 10_000 * DAY_MS)).toHaveLength(1);
    expect(memory.megrams.kept.megrams.map(({ id }) => id)).toEqual(['r0-g7-1', 'lesson']);
  });

  verifies('dream:forget', 'it never comes back', () => {
    const memory = many(1, accept);
    memory.after('Forget', 50 * DAY_MS);
    memory.learn('r0-g7-1', { createdAtMs: 50 * DAY_MS });
    expect(memory.megrams.size).toBe(0);
  });
});

describe('a rule', () => {
  for (const sigma of [1, -1])
    verifies('dream:bankruptcy', `of sign ${sigma} without new evidence stays for 1,000 passes`, () => {
      const memory = many(1, { level: 'C', f: 1, sigma, k: 0, createdAtMs: 1 });
      // Older than the rule: it was made in spite of it.
      memory.learn('older-g7-1', { ...(sigma > 0 ? abandon : accept), createdAtMs: 0 });
      for (let day = 0; day < 1000; day += 1) memory.dream(day * DAY_MS);
      expect(memory.megram('r0-g7-1')?.level).toBe('C');
    });

  for (const [sigma, contrary, agreeing] of [
    [1, abandon, accept],
    [-1, accept, abandon],
  ] as const)
    verifies('dream:bankruptcy', `of sign ${sigma} falls to contrary evidence, and only as that still counts`, () => {
      const rule = { level: 'C', f: 1, sigma, k: 0, createdAtMs: 0 } as const;
      const memory = many(1, rule);
      memory.learn('n-g7-1', { ...contrary, createdAtMs: DAY_MS });
      // 0.9 and 0.95 fall below an attention of 0.5 within 13 days.
      expect(memory.after('Bankruptcy', 15 * DAY_MS)).toEqual([]);
      expect(memory.after('Bankruptcy', 2 * DAY_MS)).toMatchObject([
        { commands: [{ kind: 'MegramDemoted', payload: { id: 'r0-g7-1', k: 0.05, atMs: 2 * DAY_MS } }] },
      ]);
      expect(memory.megram('r0-g7-1')).toMatchObject({ level: 'K', demotedAtMs: 2 * DAY_MS });
      const balanced = many(1, rule);
      balanced.learn('a-g7-1', { ...contrary, createdAtMs: DAY_MS });
      balanced.learn('b-g7-1', { ...agreeing, createdAtMs: DAY_MS });
      expect(balanced.after('Bankruptcy', 2 * DAY_MS)).toEqual([]);
    });

  verifies('dream:bankruptcy', 'over a place falls to a success on one of its targets, not on another', () => {
    const memory = new TendedMemory();
    const lesson = { level: 'C', ...abandon, k: 0, space: 'tool:change', entity: 'under:data/drafts/' } as const;
    memory.learn('lesson', lesson);
    const worked = { ...accept, state: 'BreakSymmetry', space: 'tool:change', createdAtMs: 1 } as const;
    memory.learn('a-g7-1', { ...worked, entity: 'path:data/final/a.csv' });
    expect(memory.after('Bankruptcy', 2)).toEqual([]);
    memory.learn('b-g7-1', { ...worked, entity: 'path:data/drafts/b.csv' });
    expect(memory.after('Bankruptcy', 2)).toHaveLength(1);
  });

  verifies(
    'dream:bankruptcy',
    'falls to the memory of a run that followed it in vain, which has no words of a Task',
    () => {
      const memory = new TendedMemory();
      memory.learn('rule', { level: 'C', ...accept, k: 0, about: 'Sum the sales of March.' });
      memory.learn('a-g7-1', { ...abandon, createdAtMs: 1, about: 'Sum the rain of March.' });
      expect(memory.after('Bankruptcy', 2)).toEqual([]);
      memory.learn('a-g7-2', { ...abandon, createdAtMs: 1 });
      expect(memory.after('Bankruptcy', 2)).toHaveLength(1);
    },
  );
});

describe('knowledge', () => {
  verifies('dream:knowledge', 'is one success, and the second failure on a pair', () => {
    const memory = many(1, accept);
    memory.after('Knowledge', 1);
    expect(levels(memory)).toBe('K');
    const failed = many(1, abandon);
    expect(failed.after('Knowledge', 1)).toEqual([]);
    more(failed, 1, abandon, 1);
    failed.after('Knowledge', 2);
    expect(levels(failed)).toBe('KK');
  });

  verifies('dream:knowledge', 'is none any more once newer experience contradicts it', () => {
    const memory = many(1, accept);
    memory.dream(1);
    more(memory, 1, abandon, 2);
    memory.dream(3);
    expect(levels(memory)).toBe('MM');
    expect(memory.dream(3)).toEqual([]);
    more(memory, 1, accept, 4);
    memory.dream(5);
    expect(levels(memory)).toBe('MMK');
  });

  verifies('dream:knowledge', 'is of one intent: what another one taught neither makes nor takes it', () => {
    const memory = new TendedMemory();
    memory.learn('a-g7-1', { ...abandon, about: 'Sum the sales of March.' });
    memory.learn('b-g7-1', { ...abandon, about: 'Sum the rain of March.', createdAtMs: 1 });
    expect(memory.after('Knowledge', 2)).toEqual([]);
  });
});

describe('rules from experience', () => {
  const rows: readonly (readonly [string, number, Partial<Megram>, sigma: number | undefined])[] = [
    ['5 accepted runs', 5, accept, undefined],
    ['6 accepted runs', 6, accept, 1],
    ['6 abandoned runs', 6, abandon, -1],
    ['6 successes', 6, success, undefined],
    ['7 successes', 7, success, 1],
  ];
  for (const [name, count, numbers, sigma] of rows)
    verifies('dream:rules', `${name} make ${sigma === undefined ? 'none' : `one of sign ${sigma}`}`, () => {
      const memory = many(count, numbers, -count);
      memory.after('Rules', 0);
      expect(rulesOf(memory).map(({ f, k, sigma: sign }) => [f, k, sign])).toEqual(
        sigma === undefined ? [] : [[1, 0, sigma]],
      );
      const [rule] = rulesOf(memory);
      if (rule === undefined) return;
      const sources = memory.megrams.kept.megrams.filter(({ id }) => id !== rule.id);
      expect(sources.every(({ consolidatedInto }) => consolidatedInto === rule.id)).toBe(true);
    });

  verifies('dream:rules', 'experience of two minds makes none, however much it is', () => {
    const memory = many(6, accept, -20);
    more(memory, 6, abandon, -10);
    expect(memory.after('Rules', 0)).toEqual([]);
  });

  verifies('dream:rules', 'more of the same goes into the rule that stands', () => {
    const memory = many(6, abandon, 0);
    memory.dream(10);
    more(memory, 6, abandon, 11);
    memory.dream(20);
    expect(rulesOf(memory)).toHaveLength(1);
    expect(memory.dream(20)).toEqual([]);
  });

  verifies('dream:rules', 'a warning keeps what at least half of its sources blame', () => {
    const blamed = { tool: 'change', target: 'a.csv' };
    const memory = many(4, { ...abandon, blamed: [blamed] }, 0);
    more(memory, 2, { ...abandon, blamed: [{ tool: 'change', target: 'b.csv' }] }, 4);
    memory.after('Rules', 6);
    expect(rulesOf(memory)).toMatchObject([{ blamed: [blamed], state: 'Abandon' }]);
  });

  verifies(
    'dream:label',
    'one stranger among the sources makes the rule a stranger’s, and no model is shown it',
    () => {
      const memory = many(5, accept, 0);
      expect(memory.megram('r0-g7-1')?.isTrusted).toBe(true);
      memory.learn('s-g7-1', { ...accept, createdAtMs: 6 }, { ...stranger, readers: [] });
      const [change] = memory.after('Rules', 7);
      expect(change?.wording).toBeUndefined();
      expect(rulesOf(memory)).toMatchObject([{ isTrusted: false, readers: [] }]);
      const believed = many(6, accept, 0);
      expect(believed.after('Rules', 7)[0]?.wording?.texts).toHaveLength(6);
      expect(rulesOf(believed)).toMatchObject([{ isTrusted: true }]);
    },
  );
});

describe('a lesson', () => {
  const targets = ['drafts/a.csv', 'drafts/b.csv', 'drafts/c.csv', 'drafts/d.csv'];
  const failing = (all: readonly string[], change: Parameters<TendedMemory['fail']>[2] = {}): TendedMemory => {
    const memory = new TendedMemory();
    for (const [n, target] of all.entries()) memory.fail(`r${n}`, target, change);
    return memory;
  };

  verifies('dream:lessons', 'comes of several runs that failed on several targets of one place', () => {
    const memory = failing(targets);
    const changes = memory.dream(1);
    const [lesson] = rulesOf(memory);
    expect(lesson).toMatchObject({ space: 'tool:change', entity: 'under:drafts/', sigma: -1, isTrusted: true });
    expect(lesson?.content).toBe(
      'use change on drafts/: it failed in 4 runs on 4 targets there; the newest: Work on drafts/d.csv: no sum there',
    );
    expect(changes.find(({ wording }) => wording !== undefined)?.wording).toMatchObject({
      form: 'Warning',
      names: 'drafts/',
    });
    expect(memory.dream(1)).toEqual([]);
  });

  const none: readonly (readonly [string, TendedMemory])[] = [
    ['three failures', failing(targets.slice(0, 3))],
    [
      'one run',
      (() => {
        const memory = new TendedMemory();
        for (const [n, target] of targets.entries())
          memory.learn(`r-g3-${n}`, { space: 'tool:change', entity: `path:${target}`, ...changeApproach });
        return memory;
      })(),
    ],
    ['one and the same target', failing(targets.map(() => 'drafts/a.csv'))],
    ['targets of many places', failing(targets.map((_, n) => `d${n}/a.csv`))],
    ['targets without a place', failing(['a', 'b', 'c', 'd'])],
    ['scripts', failing(targets.map((it) => `cat ${it}`))],
    [
      'reasons that have no word in common',
      (() => {
        const memory = new TendedMemory();
        for (const [n, content] of ['too slow', 'wrong month', 'not found', 'empty'].entries())
          memory.fail(`r${n}`, targets[n] ?? '', { content });
        return memory;
      })(),
    ],
  ];
  for (const [name, memory] of none)
    verifies('dream:lessons', `does not come of ${name}`, () => {
      expect(memory.after('Lessons', 1)).toEqual([]);
    });

  verifies('dream:lessons', 'is of the narrowest place that explains it, or of a host', () => {
    const memory = failing(['data/x/1/a', 'data/x/2/b', 'data/x/3/c', 'data/x/4/d']);
    memory.after('Lessons', 1);
    expect(rulesOf(memory).map(({ entity }) => entity)).toEqual(['under:data/x/']);
    const web = failing(['a', 'b', 'c', 'd'].map((it) => `https://old.example.org/${it}`));
    web.after('Lessons', 1);
    expect(rulesOf(web).map(({ entity }) => entity)).toEqual(['under:https://old.example.org/']);
  });

  verifies('dream:lessons', 'takes what comes later into itself', () => {
    const memory = failing(targets);
    memory.dream(1);
    for (const [n, target] of targets.entries()) memory.fail(`later${n}`, target, { atMs: 2 });
    memory.dream(3);
    expect(rulesOf(memory)).toHaveLength(1);
    expect(memory.megrams.kept.megrams.filter(({ consolidatedInto }) => consolidatedInto !== undefined)).toHaveLength(
      8,
    );
  });

  verifies('dream:label', 'of strangers is believed by nobody, and hides no believed one', () => {
    const memory = failing(targets, { label: stranger });
    for (const [n, target] of targets.entries()) memory.fail(`own${n}`, `${target}.old`, { label: trusted });
    const changes = memory.after('Lessons', 1);
    expect(new Set(rulesOf(memory).map(({ isTrusted }) => isTrusted))).toEqual(new Set([false, true]));
    expect(rulesOf(memory)).toHaveLength(2);
    expect(changes.filter(({ wording }) => wording !== undefined)).toHaveLength(1);
  });
});
