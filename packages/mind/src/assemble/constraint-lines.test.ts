import type { MemoryAnswer } from '@retainer/contract/wire/bus/payloads';
import type { RecalledCase } from '@retainer/contract/wire/bus/recalled-case';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { constraintLines, memoriesBehind } from './constraint-lines.ts';

type Action = MemoryAnswer['potentials']['action'];

function answer(action: Action, change: Partial<MemoryAnswer> = {}): MemoryAnswer {
  const potentials = { attention: 1, decision: 0, action };
  return { space: 'intent:sum_sales', entity: 'env:local', rules: [], recent: [], potentials, ...change };
}

const tool = { space: 'tool:fetch_url', entity: '*' };
const target = { space: 'tool:fetch_url', entity: 'path:https://a.example/' };

function told(answers: readonly MemoryAnswer[]): { readonly lines: readonly string[]; readonly memoryRefs: string[] } {
  const shown = constraintLines(answers);
  return { lines: shown.map(({ line }) => line), memoryRefs: memoriesBehind(shown) };
}

describe('constraintLines', () => {
  const rules = [
    { id: 'r1', content: 'Sum with one script.', sigma: 1 },
    { id: 'r2', content: 'Trust the totals row.', sigma: -1, blamed: [{ tool: 'read_file', target: 'totals.csv' }] },
  ];
  const recent: MemoryAnswer['recent'] = [
    { id: 'm1', state: 'Accept', content: 'Succeeded. Tools: bash' },
    {
      id: 'm2',
      state: 'Abandon',
      content: 'Failed. Tools tried: fetch_url',
      blamed: [{ tool: 'fetch_url', target: 'https://a.example/' }],
    },
    { id: 'm3', state: 'Refine', content: 'tighter' },
    { id: 'm4', state: 'PolicyBlock', content: 'Send the report: not allowed' },
  ];

  verifies(
    'megrams:neighbours',
    'advises only, where a task of other words is the source, and gives no bare potential of it',
    () => {
      const { lines, memoryRefs } = told([answer('Exploit', { rules, recent, similarity: 0.8 })]);
      expect(memoryRefs).toEqual(['r1', 'r2', 'm1', 'm2', 'm4']);
      expect(lines.every((it) => it.startsWith('SHOULD PREFER: '))).toBe(true);
      expect(lines).toContain(
        'SHOULD PREFER: care: of a similar task it is said that it must not repeat what led to "Failed. Tools tried: fetch_url" with "fetch_url" on "https://a.example/"',
      );
      expect(told([answer('Avoid', { similarity: 0.8 })]).lines).toEqual([]);
    },
  );

  verifies('megrams:constraint-layers', 'says rules and ends of tasks, what binds first', () => {
    expect(told([answer('Exploit', { rules, recent })])).toEqual({
      lines: [
        'MUST NOT: "Trust the totals row." with "read_file" on "totals.csv"',
        'MUST NOT: repeat what led to "Failed. Tools tried: fetch_url" with "fetch_url" on "https://a.example/"',
        'SHOULD PREFER: "Sum with one script."',
        'SHOULD PREFER: what led to "Succeeded. Tools: bash"',
        'SHOULD PREFER: to ask a person first, since policy blocked "Send the report: not allowed"',
      ],
      memoryRefs: ['r2', 'm2', 'r1', 'm1', 'm4'],
    });
  });

  it.each([
    ['a task', 'Ignore', {}, []],
    ['a task', 'Exploit', {}, ['SHOULD PREFER: the way such tasks were done: it went well']],
    [
      'a task',
      'Caution',
      {},
      ['SHOULD PREFER: a check of the result after the way such tasks were done: experience is mixed'],
    ],
    ['a task', 'Avoid', {}, ['SHOULD PREFER: another way than such tasks were done: it failed']],
    ['a tool', 'Exploit', tool, ['SHOULD PREFER: "fetch_url": it went well']],
    ['a tool', 'Avoid', tool, ['SHOULD PREFER: another tool than "fetch_url": it failed on several targets']],
    ['a target', 'Avoid', target, ['MUST NOT: use "fetch_url" on "https://a.example/": it failed before']],
  ] as const)('says the bare potential of %s: %s', (_name, action, change, lines) => {
    expect(told([answer(action, change)])).toEqual({ lines, memoryRefs: [] });
  });

  verifies('megrams:constraint-layers', 'says no bare potential where it has something to tell', () => {
    expect(told([answer('Avoid', { rules: rules.slice(0, 1) })]).lines).toHaveLength(1);
    const other = [{ id: 'm', state: 'ChangePath', content: 'x' }] as const;
    expect(told([answer('Avoid', { recent: [...other] })]).lines[0]).toMatch(/^SHOULD PREFER: another way/);
  });

  it('says the same thing once, and never more than fits', () => {
    const many = Array.from({ length: 100 }, (_, n) => ({ id: `r${n}`, content: `rule ${n}`, sigma: n < 50 ? 1 : -1 }));
    const { lines, memoryRefs } = told([answer('Avoid', { ...tool, rules: [...rules, ...rules, ...many] })]);
    expect(lines).toHaveLength(24);
    expect(memoryRefs).toHaveLength(24);
    expect(lines.every((line) => line.startsWith('MUST NOT'))).toBe(true);
  });

  const pair = { blamed: [{ tool: 'fetch_url', target: 'https://a.example/' }] };
  type Event = Partial<MemoryAnswer['recent'][number]> & Pick<MemoryAnswer['recent'][number], 'state'>;
  const binding: readonly (readonly [string, Partial<MemoryAnswer>, Event, boolean])[] = [
    ['an abandoned run of this task, with what failed in it', {}, { state: 'Abandon', ...pair }, true],
    ['an abandoned run of this task in which nothing can be named', {}, { state: 'Abandon' }, false],
    ['an abandoned run of a similar task', { similarity: 0.9 }, { state: 'Abandon', ...pair }, false],
    ["a run whose words are a stranger's", {}, { state: 'Abandon', isWordless: true }, false],
    ['a bad end with this tool', tool, { state: 'Abandon' }, true],
    ['a bad end with this tool on this target', target, { state: 'Abandon' }, true],
    ['what the user does not want', { space: 'global:user', entity: '*' }, { state: 'Abandon' }, true],
  ];
  for (const [name, of, event, binds] of binding)
    verifies('megrams:same-target-binds', `${binds ? 'binds' : 'advises'} after ${name}`, () => {
      const { lines } = told([answer('Avoid', { ...of, recent: [{ id: 'm', content: 'Failed.', ...event }] })]);
      expect(lines.some((line) => line.startsWith('MUST NOT'))).toBe(binds);
      expect(lines).toHaveLength(1);
    });

  const ruled: readonly (readonly [string, Partial<MemoryAnswer>, Partial<typeof pair>, boolean])[] = [
    ['of this task, with what it is about', {}, pair, true],
    ['of this task', {}, {}, false],
    ['of a tool', tool, {}, true],
    ['of the user', { space: 'global:user', entity: '*' }, {}, true],
  ];
  for (const [name, of, about, binds] of ruled)
    verifies('megrams:same-target-binds', `a rule ${name} ${binds ? 'binds' : 'advises'}`, () => {
      const { lines } = told([answer('Avoid', { ...of, rules: [{ id: 'r', content: 'x', sigma: -1, ...about }] })]);
      expect(lines.map((line) => line.startsWith('MUST NOT'))).toEqual([binds]);
    });

  it('names each line, by its place', () => {
    const shown = constraintLines([answer('Exploit', { rules }), answer('Avoid', target)]);
    expect(shown.map(({ name, id }) => [name, id])).toEqual([
      ['m1', 'r2'],
      ['m2', undefined],
      ['m3', 'r1'],
    ]);
  });

  it('keeps each memory in its line', () => {
    const content = fc
      .array(fc.constantFrom('\n', '\u2028', '"', 'MUST NOT: x', '\\', 'y', '\ud83d'))
      .map((it) => it.join(''));
    fc.assert(
      fc.property(fc.array(content, { maxLength: 5 }), (texts) => {
        const hostile = texts.map((text, n) => ({ id: `r${n}`, content: text, sigma: 1 }));
        const { lines } = told([answer('Ignore', { rules: hostile })]);
        for (const line of lines) expect(line).toMatch(/^SHOULD PREFER: "[^\n\u0085\u2028\u2029]*"$/);
      }),
    );
  });
});

function recalledCase(id: string, change: Partial<RecalledCase> = {}): RecalledCase {
  const found = { score: 0.6, signals: { adaptive: 0.6 }, matched: [], avoid: false };
  return {
    id,
    problem: 'Sum "it".',
    lesson: `lesson ${id}`,
    category: 'Strategy',
    outcome: 'Success',
    ...found,
    ...change,
  };
}

describe('constraintLines of cases', () => {
  const rules = [
    { id: 'r1', content: 'Sum with one script.', sigma: 1 },
    { id: 'r2', content: 'Trust the totals row.', sigma: -1, blamed: [{ tool: 'read_file', target: 'totals.csv' }] },
  ];
  const cases = [
    recalledCase('c1', { category: 'DomainKnowledge' }),
    recalledCase('c2'),
    recalledCase('c3', { category: 'Pitfall', outcome: 'Failure' }),
    recalledCase('c4', { category: 'CodePattern', avoid: true }),
  ];

  verifies('recall:case-lines', 'puts pitfalls after what binds, and other cases last, by category', () => {
    const lines = constraintLines([answer('Exploit', { rules })], cases);
    expect(lines.map(({ line }) => line)).toEqual([
      'MUST NOT: "Trust the totals row." with "read_file" on "totals.csv"',
      'PITFALL: of a similar task, "Sum \\"it\\".": "lesson c3"',
      'PITFALL: of a similar task, "Sum \\"it\\".": "lesson c4"',
      'SHOULD PREFER: "Sum with one script."',
      'CASE: of a similar task, "Sum \\"it\\".": "lesson c2"',
      'CASE: of a similar task, "Sum \\"it\\".": "lesson c1"',
    ]);
    expect(lines.map(({ name }) => name)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5', 'm6']);
    expect(memoriesBehind(lines)).toEqual(['r2', 'c3', 'c4', 'r1', 'c2', 'c1']);
  });

  verifies('recall:case-lines', 'leaves out constraints before cases', () => {
    const many = Array.from({ length: 40 }, (_, n) => ({ id: `n${n}`, content: `rule ${n}`, sigma: -1 }));
    const lines = constraintLines([answer('Avoid', { rules: many })], cases);
    expect(lines).toHaveLength(24);
    expect(memoriesBehind(lines)).toEqual(expect.arrayContaining(['c1', 'c2', 'c3', 'c4']));
  });
});
