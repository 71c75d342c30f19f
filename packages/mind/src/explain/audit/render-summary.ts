/** Renders what an agent did, a paragraph for each day and one for all together. */
import { renderCost, renderCount, renderPlural, renderSize } from '../figures.ts';
import type { StoryLine } from '../../part/story.ts';
import { sumOf, type DaySummary, type Tally } from './day-summary.ts';

/** Columns of the name of a line. */
const NAME_COLUMNS = 10;

export interface Summary {
  /** Oldest first. */
  readonly days: readonly DaySummary[];
  readonly all: DaySummary;
}

export function summaryOf(days: readonly DaySummary[]): Summary {
  return { days, all: sumOf(days) };
}

export function renderSummary({ days, all }: Summary): readonly StoryLine[] {
  if (days.length === 0) return [{ tone: 'Plain', text: 'nothing happened on these days' }];
  const shown = days.length === 1 ? days : [...days, { ...all, day: `all ${renderPlural(days.length, 'day')}` }];
  return shown.flatMap((day) => [
    { tone: 'Quiet', text: day.day },
    ...dayRows(day).map(([name, text]): StoryLine => ({
      tone: 'Plain',
      text: `  ${name.padEnd(NAME_COLUMNS)}${text}`,
    })),
  ]);
}

/** Name and text of each line of a day. */
export function dayRows({
  runs,
  cycles,
  models,
  calls,
  verdicts,
  bytes,
}: DaySummary): readonly (readonly [string, string])[] {
  const unrun = calls.unrun === 0 ? '' : `; ${renderCount(calls.unrun)} not made`;
  const gates = Object.entries(verdicts).map(([gate, tally]) => `${gate.toLowerCase()} ${tallyText(tally)}`);
  const stores = Object.entries(bytes)
    .toSorted(([, a], [, b]) => b - a)
    .map(([store, size]) => `${store} ${renderSize(size)}`);
  return [
    ['runs', counted(runs.count, runs.outcomes)],
    ['cycles', counted(cycles.count, cycles.outcomes)],
    ['models', modelText(models)],
    ['calls', `${counted(calls.count, calls.outcomes)}; ${renderCount(calls.failed)} failed${unrun}`],
    ['verdicts', gates.length === 0 ? 'none' : gates.join('; ')],
    ['stores', stores.length === 0 ? 'unchanged' : stores.join(', ')],
  ];
}

function modelText({ answers, tokensIn, tokensOut, costUsd, isCostComplete }: DaySummary['models']): string {
  if (answers === 0) return 'none answered';
  const tokens = `${renderCount(tokensIn)} tokens in, ${renderCount(tokensOut)} out`;
  return `${renderPlural(answers, 'answer')}, ${tokens}, ${renderCost(costUsd, isCostComplete)}`;
}

function counted(count: number, outcomes: Tally): string {
  const text = tallyText(outcomes);
  return text === '' ? renderCount(count) : `${renderCount(count)}: ${text}`;
}

function tallyText(tally: Tally): string {
  return Object.entries(tally)
    .map(([name, count]) => `${name} ${renderCount(count)}`)
    .join(', ');
}
