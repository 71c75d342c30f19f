import { describe, expect, it } from 'vitest';
import {
  alignedRows,
  firstLine,
  renderCost,
  renderCount,
  renderDuration,
  renderElapsed,
  renderPlural,
  renderSize,
  renderUsd,
  shortDigest,
} from './figures.ts';

describe('figures', () => {
  it.each([
    [renderCount(0), '0'],
    [renderCount(999), '999'],
    [renderCount(1_234_567), '1,234,567'],
    [renderPlural(1, 'record'), '1 record'],
    [renderPlural(2, 'record'), '2 records'],
    [renderPlural(1, 'query'), '1 query'],
    [renderPlural(2, 'query'), '2 queries'],
    [renderPlural(2, 'day'), '2 days'],
    [renderDuration(41.4), '41 ms'],
    [renderDuration(1234), '1.2 s'],
    [renderDuration(125_000), '2 min 05 s'],
    [renderDuration(11_220_000), '3 h 07 min'],
    [renderElapsed(-5), '00:00.0'],
    [renderElapsed(3250), '00:03.2'],
    [renderElapsed(3_723_400), '1:02:03.4'],
    [renderSize(812), '812 B'],
    [renderSize(4200), '4.1 KiB'],
    [renderSize(2 * 1024 * 1024), '2.0 MiB'],
    [renderUsd(0.0021), '$0.0021'],
    [renderUsd(1.25), '$1.25'],
    [renderCost(0, true), 'no cost'],
    [renderCost(0, false), 'cost unknown'],
    [renderCost(0.5, true), '$0.5000'],
    [renderCost(0.5, false), 'at least $0.5000 (some prices are unknown)'],
    [shortDigest(`sha256:${'ab'.repeat(32)}`), 'abababababab'],
    [firstLine('one\ntwo', 20), 'one …'],
    [firstLine('one', 20), 'one'],
    [firstLine('one two three', 7), 'one two …'],
  ])('renders %s', (rendered, expected) => {
    expect(rendered).toBe(expected);
  });

  it('gives each column one width, and no line blanks at its end', () => {
    const rows = [
      ['who', 'what'],
      ['Ada', 'a note'],
      ['Somebody', ''],
    ];
    expect(alignedRows(rows, '  ')).toEqual(['who       what', 'Ada       a note', 'Somebody']);
    expect(alignedRows([], '  ')).toEqual([]);
  });
});
