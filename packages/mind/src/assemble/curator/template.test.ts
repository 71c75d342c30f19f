import { describe, expect } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { fillTemplate, parseTemplate } from './template.ts';

const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  fillTemplate(parseTemplate(text, ['a', 'b']), values);

describe('a template', () => {
  const rows: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    ['{{a}} and {{b}}', { a: '1', b: '2' }, '1 and 2'],
    ['{{a}}\nend', {}, '\nend'],
    ['<a>{{a}}</a> [OMIT IF EMPTY]\nend', {}, 'end'],
    ['<a>{{a}}</a> [OMIT IF EMPTY]\nend', { a: ' ' }, 'end'],
    ['<a>{{a}}</a> [OMIT IF EMPTY]', { a: 'x' }, '<a>x</a>'],
    ['Active threads: {{a}} [OMIT IF ZERO]\nend', { a: '0' }, 'end'],
    ['{{a}} [OMIT IF ZERO]\nend', { a: '0 facts, 0 cases' }, 'end'],
    ['{{a}} [OMIT IF ZERO]', { a: '0 facts, 10 cases' }, '0 facts, 10 cases'],
    ['{{a}}', { a: '{{b}} [OMIT IF EMPTY]', b: '2' }, '{{b}} [OMIT IF EMPTY]'],
  ];
  for (const [text, values, expected] of rows)
    verifies('curator:template', `${JSON.stringify(text)} with ${JSON.stringify(values)}`, () => {
      expect(filled(text, values)).toBe(expected);
    });

  verifies('curator:template', 'refuses an unknown slot and an unknown condition', () => {
    expect(() => filled('{{c}}', {})).toThrow(/slots a, b, not c/);
    expect(() => filled('x [OMIT IF THREADS EXIST]', {})).toThrow(/EMPTY or ZERO/);
  });
});
