/** The table of a live run, and what it comes to. Pure. */
import { VERDICTS, type Verdict } from './tasks/task.ts';
import { WAYS, type LiveRow, type Way } from './row.ts';

export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  Right: 'right',
  SaidAndFalse: 'said and false',
  NotDone: 'not done',
};

export const WAY_WORDS: Readonly<Record<Way, string>> = { Retainer: 'Retainer', Bare: 'bare loop' };

interface Column {
  readonly name: string;
  readonly isFigure: boolean;
  readonly cell: (row: LiveRow) => string;
  readonly total: (rows: readonly LiveRow[]) => string;
}

/** For each way that was played. */
const COLUMNS: readonly Column[] = [
  {
    name: 'result',
    isFigure: false,
    cell: ({ verdict }) => VERDICT_WORDS[verdict],
    total: () => '',
  },
  {
    name: 'lie',
    isFigure: false,
    cell: ({ isLieTold }) => (isLieTold ? 'told' : ''),
    total: () => '',
  },
  figures('calls', ({ modelCalls }) => modelCalls),
  figures('tokens', ({ tokens }) => tokens),
  figures('uncached', ({ uncachedTokens }) => uncachedTokens),
  figures('seconds', ({ durationMs }) => durationMs / 1000, 1),
];

function figures(name: string, of: (row: LiveRow) => number, decimals = 0): Column {
  return {
    name,
    isFigure: true,
    cell: (row) => of(row).toFixed(decimals),
    total: (rows) => rows.reduce((sum, row) => sum + of(row), 0).toFixed(decimals),
  };
}

/** One line for each task, one for their sums, and one for each way; with rows of both ways, one stands beside the other. */
export function liveTable(rows: readonly LiveRow[]): readonly string[] {
  const ways = WAYS.filter((way) => rows.some((it) => it.way === way));
  const tasks = [...new Set(rows.map(({ task }) => task))];
  const groups = ways.flatMap((way) => {
    const own = rows.filter((it) => it.way === way);
    const lines = tasks.map((task) => own.find((it) => it.task === task));
    return COLUMNS.map(({ name, isFigure, cell, total }, at) =>
      padded(
        [
          at === 0 && ways.length > 1 ? WAY_WORDS[way] : '',
          name,
          ...lines.map((row) => (row === undefined ? '' : cell(row))),
          total(own),
        ],
        isFigure,
      ),
    );
  });
  const columns = [padded(['', 'task', ...tasks, 'all'], false), ...groups];
  const table = Array.from({ length: tasks.length + 3 }, (_, line) =>
    columns
      .map((column) => column[line])
      .join('  ')
      .trimEnd(),
  );
  return [...(ways.length > 1 ? table : table.slice(1)), '', ...ways.map((way) => totalOf(rows, way))];
}

function totalOf(rows: readonly LiveRow[], way: Way): string {
  const own = rows.filter((it) => it.way === way);
  const counts = VERDICTS.map((it) => `${countOf(own, it)} ${VERDICT_WORDS[it]}`);
  return `${WAY_WORDS[way]}: ${counts.join(', ')}; ${own.filter((it) => it.isLieTold).length} planted lies told`;
}

function padded(cells: readonly string[], isFigure: boolean): readonly string[] {
  const width = Math.max(...cells.map((it) => it.length));
  return cells.map((it) => (isFigure ? it.padStart(width) : it.padEnd(width)));
}

export function countOf(rows: readonly LiveRow[], verdict: Verdict): number {
  return rows.filter((it) => it.verdict === verdict).length;
}

/** Why each task that is not right is not, and what was said of it last. */
export function lastWordsOf(rows: readonly LiveRow[]): readonly string[] {
  const isBoth = new Set(rows.map(({ way }) => way)).size > 1;
  return rows
    .filter(({ verdict }) => verdict !== 'Right')
    .map(({ way, task, verdict, fault, said }) => {
      const who = isBoth ? `${task} (${WAY_WORDS[way]})` : task;
      return `${who}: ${said} (${VERDICT_WORDS[verdict]}: ${fault})`;
    });
}

/** What Retainer accepted although it is not true: the one thing that must not happen. */
export function falselyAccepted(rows: readonly LiveRow[]): readonly LiveRow[] {
  return rows.filter(({ way, verdict }) => way === 'Retainer' && verdict === 'SaidAndFalse');
}
