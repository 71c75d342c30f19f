import type { MemoryAnswer } from '@retainer/contract/wire/bus/payloads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { constraintLines } from './constraint-lines.ts';

type Action = MemoryAnswer['potentials']['action'];

function answer(action: Action, change: Partial<MemoryAnswer> = {}): MemoryAnswer {
  const potentials = { attention: 1, decision: 0, action };
  return { space: 'intent:sum_sales', entity: 'env:local', rules: [], recent: [], potentials, ...change };
}

const tool = { space: 'tool:fetch_url', entity: '*' };
const target = { space: 'tool:fetch_url', entity: 'path:https://a.example/' };

describe('constraintLines', () => {
  const rules = [
    { id: 'r1', content: 'Sum with one script.', sigma: 1 },
    { id: 'r2', content: 'Trust the totals row.', sigma: -1 },
  ];
  const recent = [
    { id: 'm1', state: 'Accept', content: 'Succeeded. Tools: bash' },
    { id: 'm2', state: 'Abandon', content: 'Failed. Tools tried: fetch_url' },
    { id: 'm3', state: 'Refine', content: 'tighter' },
    { id: 'm4', state: 'PolicyBlock', content: 'Send the report: not allowed' },
  ] as const;

  verifies(
    'megrams:neighbours',
    'advises only, where a task of other words is the source, and gives no bare potential of it',
    () => {
      const { lines, memoryRefs } = constraintLines([
        answer('Exploit', { rules, recent: [...recent], similarity: 0.8 }),
      ]);
      expect(memoryRefs).toEqual(['r1', 'r2', 'm1', 'm2', 'm4']);
      expect(lines.every((it) => it.startsWith('SHOULD PREFER: '))).toBe(true);
      expect(lines).toContain(
        'SHOULD PREFER: care: of a similar task it is said that it must not repeat what led to "Failed. Tools tried: fetch_url"',
      );
      expect(constraintLines([answer('Avoid', { similarity: 0.8 })]).lines).toEqual([]);
    },
  );

  verifies('megrams:constraint-layers', 'says rules and ends of tasks, what binds first', () => {
    expect(constraintLines([answer('Exploit', { rules, recent: [...recent] })])).toEqual({
      lines: [
        'MUST NOT: "Trust the totals row."',
        'MUST NOT: repeat what led to "Failed. Tools tried: fetch_url"',
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
    expect(constraintLines([answer(action, change)])).toEqual({ lines, memoryRefs: [] });
  });

  verifies('megrams:constraint-layers', 'says no bare potential where it has something to tell', () => {
    expect(constraintLines([answer('Avoid', { rules: rules.slice(0, 1) })]).lines).toHaveLength(1);
    const other = [{ id: 'm', state: 'ChangePath', content: 'x' }] as const;
    expect(constraintLines([answer('Avoid', { recent: [...other] })]).lines[0]).toMatch(/^MUST NOT: use the way/);
  });

  it('says the same thing once, and never more than fits', () => {
    const many = Array.from({ length: 100 }, (_, n) => ({ id: `r${n}`, content: `rule ${n}`, sigma: n < 50 ? 1 : -1 }));
    const { lines, memoryRefs } = constraintLines([answer('Avoid', { rules: [...rules, ...rules, ...many] })]);
    expect(lines).toHaveLength(24);
    expect(memoryRefs).toHaveLength(24);
    expect(lines.every((line) => line.startsWith('MUST NOT'))).toBe(true);
  });

  it('keeps each memory in its line', () => {
    const content = fc
      .array(fc.constantFrom('\n', '\u2028', '"', 'MUST NOT: x', '\\', 'y', '\ud83d'))
      .map((it) => it.join(''));
    fc.assert(
      fc.property(fc.array(content, { maxLength: 5 }), (texts) => {
        const hostile = texts.map((text, n) => ({ id: `r${n}`, content: text, sigma: 1 }));
        const { lines } = constraintLines([answer('Ignore', { rules: hostile })]);
        for (const line of lines) expect(line).toMatch(/^SHOULD PREFER: "[^\n\u0085\u2028\u2029]*"$/);
      }),
    );
  });
});
