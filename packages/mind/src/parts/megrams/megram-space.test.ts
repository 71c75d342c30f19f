import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { ANY_ENTITY, intentSpace, planningPairs, taskPair, toolPair, writtenEntity } from './megram-space.ts';

describe('intentSpace', () => {
  it.each([
    ['Sum the sales of March', 'intent:sum_sales_march'],
    ['Please sum up all the SALES, of march!', 'intent:sum_up_sales'],
    ['What is the lunar date today?', 'intent:lunar_date_today'],
    ['今天的农历日期是什么?', 'intent:今天的农历日期是什么'],
    ['Найди отчёт за март', 'intent:найди_отчёт_за'],
    ['आज की तारीख बताओ', 'intent:आज_की_तारीख'],
    ['ＦＵＬＬ　ｗｉｄｔｈ １２３', 'intent:full_width_123'],
    ['a|b c', 'intent:b_c'],
    ['to be or not to be', 'intent:to_be_or'],
  ])('%s', (intent, space) => {
    expect(intentSpace(intent)).toBe(space);
  });

  it('tells apart what has no words', () => {
    expect(intentSpace('😀')).toMatch(/^intent:[0-9a-f]{16}$/);
    expect(intentSpace('😀')).not.toBe(intentSpace('😡'));
    expect(intentSpace('')).toMatch(/^intent:[0-9a-f]{16}$/);
  });

  verifies(
    'megrams:slug-any-script',
    'is bounded and never empty, and does not depend on form, case or spacing',
    () => {
      fc.assert(
        fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (intent) => {
          const slug = intentSpace(intent).slice('intent:'.length);
          expect(Array.from(slug).length).toBeGreaterThan(0);
          expect(Array.from(slug).length).toBeLessThanOrEqual(48);
          expect(slug).toMatch(/^[\p{L}\p{M}\p{N}_]+$/u);
          expect(intentSpace(intent.normalize('NFKC'))).toBe(`intent:${slug}`);
        }),
      );
      fc.assert(
        fc.property(fc.array(fc.constantFrom('Sales', 'März', '销售', 'отчёт', '42'), { minLength: 1 }), (words) => {
          expect(intentSpace(words.join(' '))).toBe(intentSpace(`  ${words.join(' \n the ').normalize('NFD')}?`));
        }),
      );
    },
  );
});

describe('pairs', () => {
  it('name a task by its space and its environment', () => {
    expect(taskPair('Sum the sales', 'local')).toEqual({ space: 'intent:sum_sales', entity: 'env:local' });
  });

  it('name a tool and its target, a long one by its hash', () => {
    expect(toolPair('fetch_url', 'https://a.example/')).toEqual({
      space: 'tool:fetch_url',
      entity: 'path:https://a.example/',
    });
    const long = toolPair('bash', 'x'.repeat(10_000)).entity;
    expect(long).toMatch(/^path:[0-9a-f]{16}$/);
    expect(long).not.toBe(toolPair('bash', 'x'.repeat(10_001)).entity);
    expect(toolPair('bash', '').entity).toBe('path:');
  });

  it('take another word for the target', () => {
    expect(writtenEntity('target:a')).toBe('path:a');
    expect(writtenEntity('path:a')).toBe('path:a');
    expect(writtenEntity(`target:${'x'.repeat(10_000)}`)).toBe(toolPair('t', 'x'.repeat(10_000)).entity);
  });

  it('of a plan are its task and all its tools', () => {
    expect(planningPairs('Sum the sales', 'local', ['bash', 'read_file'])).toEqual([
      { space: 'intent:sum_sales', entity: 'env:local' },
      { space: 'tool:bash', entity: ANY_ENTITY },
      { space: 'tool:read_file', entity: ANY_ENTITY },
    ]);
  });
});
