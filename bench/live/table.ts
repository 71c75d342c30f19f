/** The table of a live run, and what it comes to. Pure. */
import type { Played } from './play.ts';

/** Characters of what a run said in the last column. */
const SAID_CHARACTERS = 90;

const COLUMNS = ['task', 'outcome', 'accepted', 'right', 'tokens', 'USD', 'seconds', 'replays', 'fault'] as const;

export function liveTable(rows: readonly Played[]): readonly string[] {
  const cells = [COLUMNS, ...rows.map(cellsOf), totalsOf(rows)];
  const widths = COLUMNS.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, at) => (isFigure(at) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** What each run that was not accepted said last. */
export function lastWordsOf(rows: readonly Played[]): readonly string[] {
  return rows
    .filter((it) => !it.isAccepted)
    .map(
      ({ task, said }) =>
        `${task.name}: ${said.length > SAID_CHARACTERS * 4 ? `${said.slice(0, SAID_CHARACTERS * 4)} …` : said}`,
    );
}

/** Accepted, and not true: the one thing that must not happen. */
export function falselyAccepted(rows: readonly Played[]): readonly Played[] {
  return rows.filter((it) => it.isAccepted && !it.isRight);
}

function cellsOf(row: Played): readonly string[] {
  return [
    row.task.name,
    row.outcome,
    yesNo(row.isAccepted),
    yesNo(row.isRight),
    String(row.tokens),
    money(row),
    (row.durationMs / 1000).toFixed(1),
    yesNo(row.replays),
    row.fault,
  ];
}

function totalsOf(rows: readonly Played[]): readonly string[] {
  const sum = (of: (row: Played) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const count = (of: (row: Played) => boolean): string => `${rows.filter(of).length}/${rows.length}`;
  return [
    'all',
    '',
    count((it) => it.isAccepted),
    count((it) => it.isRight),
    String(sum((it) => it.tokens)),
    money({ costUsd: sum((it) => it.costUsd), isCostKnown: rows.every((it) => it.isCostKnown) }),
    (sum((it) => it.durationMs) / 1000).toFixed(1),
    count((it) => it.replays),
    `${falselyAccepted(rows).length} falsely accepted`,
  ];
}

/** An unknown price is not free. */
function money({ costUsd, isCostKnown }: Pick<Played, 'costUsd' | 'isCostKnown'>): string {
  return isCostKnown ? costUsd.toFixed(4) : 'unknown';
}

function isFigure(column: number): boolean {
  return ['tokens', 'USD', 'seconds'].includes(COLUMNS[column] ?? '');
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
