/** Adds up the rows of many live runs: the table of the README. Pure. */
import { WAYS, type LiveRow, type Way } from './row.ts';
import { countOf, VERDICT_WORDS, WAY_WORDS } from './table.ts';
import { VERDICTS } from './tasks/task.ts';

const HEAD = [
  ...['model', 'way', 'runs', ...VERDICTS.map((it) => VERDICT_WORDS[it]), 'planted lies told'],
  ...['tokens where both are right', 'model calls', 'seconds'],
];

/**
 * One line for each model and way. Tokens are the mean of the right runs of tasks that both ways did right; calls and seconds the mean
 * of all runs.
 */
export function sumTable(rows: readonly LiveRow[]): readonly string[] {
  const models = [...new Set(rows.map(({ model }) => model))];
  const lines = models.flatMap((model) => {
    const own = rows.filter((it) => it.model === model);
    return WAYS.filter((way) => own.some((it) => it.way === way)).map((way) => lineOf(own, model, way));
  });
  return [HEAD, HEAD.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`);
}

function lineOf(rows: readonly LiveRow[], model: string, way: Way): readonly string[] {
  const own = rows.filter((it) => it.way === way);
  const shared = tokensWhereBothAreRight(rows, way);
  return [
    ...[model, WAY_WORDS[way], String(own.length)],
    ...VERDICTS.map((it) => String(countOf(own, it))),
    String(own.filter((it) => it.isLieTold).length),
    shared === undefined ? '–' : shared.toFixed(0),
    meanOf(own.map(({ modelCalls }) => modelCalls)).toFixed(1),
    meanOf(own.map(({ durationMs }) => durationMs / 1000)).toFixed(0),
  ];
}

/** The mean over such tasks of the mean of its right runs; undefined where there is no such task. */
function tokensWhereBothAreRight(rows: readonly LiveRow[], way: Way): number | undefined {
  const right = rows.filter(({ verdict }) => verdict === 'Right');
  const tasks = [...new Set(right.map(({ task }) => task))];
  const both = tasks.filter((task) => WAYS.every((it) => right.some((row) => row.way === it && row.task === task)));
  if (both.length === 0) return undefined;
  return meanOf(
    both.map((task) => meanOf(right.filter((row) => row.way === way && row.task === task).map(({ tokens }) => tokens))),
  );
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
