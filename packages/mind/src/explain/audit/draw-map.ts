/**
 * Draws the accountability map as an SVG: a row for each effect, its answers in the order in which they are given. Wanted, decided and
 * approved lead to the effect; the check and the cost follow it. What nobody answers is red.
 *
 * It needs no font of its own: every text fits its box in a font of fixed width, and stands in full in the title of the box.
 */
import { printable } from '@retainer/contract/std/printable';
import { renderPlural } from '../figures.ts';
import { findingsIn, type AccountRow, type Column } from './account-row.ts';
import { MAP_HEAD, mapTexts, type MapText } from './render-map.ts';

/** Pixels. Characters of such fonts are up to 0.62 of their size wide, so that a box holds {@link LINE_CHARACTERS} of them. */
const BOX = { width: 208, height: 62, gapX: 22, gapY: 14 } as const;
const FONT_SIZE = 11;
const LINE_HEIGHT = 14;
const LINE_CHARACTERS = 28;
const LINES_MAX = 4;
const PAD = 8;
const MARGIN = 24;
const TITLE_HEIGHT = 34;
const HEAD_HEIGHT = 44;

/** More rows are counted, not drawn: nobody looks at a picture of that height. */
export const ROWS_DRAWN_MAX = 300;

/** Places in {@link MAP_HEAD}, in the order of the picture; and the column that a cell answers. */
const SLOTS: readonly { readonly cell: number; readonly column?: Column }[] = [
  { cell: 1, column: 'wanted' },
  { cell: 2, column: 'decided' },
  { cell: 3, column: 'approved' },
  { cell: 0 },
  { cell: 4, column: 'checked' },
  { cell: 5 },
];

const STYLE = `text{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:${FONT_SIZE}px;fill:#1f2933}
.title{font-size:13px;font-weight:bold}.head{fill:#52606d}
.box{fill:#f5f7fa;stroke:#9aa5b1}.effect{fill:#e3f0ff;stroke:#2b6cb0;stroke-width:1.5}
.missing{fill:#ffe3e3;stroke:#c53030;stroke-width:1.5}.open{fill:#fff8e1;stroke:#b7791f;stroke-dasharray:4 3}
.way{stroke:#9aa5b1;marker-end:url(#end)}`;

const ARROW =
  '<defs><marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="6" markerHeight="6" orient="auto">' +
  '<path d="M0 0L8 4L0 8z" fill="#9aa5b1"/></marker></defs>';

/** @returns lines of one SVG document */
export function drawMap(rows: readonly AccountRow[]): readonly string[] {
  const drawn = rows.slice(0, ROWS_DRAWN_MAX);
  const texts = mapTexts(drawn);
  const width = 2 * MARGIN + SLOTS.length * BOX.width + (SLOTS.length - 1) * BOX.gapX;
  const height = HEAD_HEIGHT + MARGIN + texts.reduce((sum, it) => sum + heightOf(it), 0);
  const end = endText(rows);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>Accountability map: ${escaped(end)}</title>`,
    `<style>${STYLE}</style>`,
    ARROW,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...headLines(),
    ...runsDrawn(texts),
    textAt('head', { x: MARGIN, y: height - PAD }, end),
    '</svg>',
  ];
}

function endText(rows: readonly AccountRow[]): string {
  const more = rows.length > ROWS_DRAWN_MAX ? `, the first ${ROWS_DRAWN_MAX} drawn` : '';
  return `${renderPlural(rows.length, 'effect')}, ${findingsIn(rows).length} without a full row${more}`;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

function columnX(slot: number): number {
  return MARGIN + slot * (BOX.width + BOX.gapX);
}

function headLines(): readonly string[] {
  return SLOTS.map(({ cell }, slot) =>
    textAt('head', { x: columnX(slot), y: HEAD_HEIGHT - PAD }, MAP_HEAD[cell] ?? ''),
  );
}

function heightOf({ rows }: MapText): number {
  return TITLE_HEIGHT + rows.length * (BOX.height + BOX.gapY);
}

function runsDrawn(texts: readonly MapText[]): readonly string[] {
  let top = HEAD_HEIGHT;
  return texts.flatMap((run) => {
    const from = top;
    top += heightOf(run);
    return [
      textAt('title', { x: MARGIN, y: from + TITLE_HEIGHT - 12 }, run.title),
      ...run.rows.flatMap(({ row, cells }, at) =>
        rowDrawn(row, cells, from + TITLE_HEIGHT + at * (BOX.height + BOX.gapY)),
      ),
    ];
  });
}

function rowDrawn(row: AccountRow, cells: readonly string[], y: number): readonly string[] {
  return SLOTS.flatMap(({ cell, column }, slot) => {
    const x = columnX(slot);
    const text = printable(cells[cell] ?? '');
    const middle = y + BOX.height / 2;
    const way = `<line class="way" x1="${x - BOX.gapX + 1}" y1="${middle}" x2="${x - 2}" y2="${middle}"/>`;
    return [...(slot === 0 ? [] : [way]), boxAt(cell === 0 ? 'effect' : kindOf(row, column), { x, y }, text)];
  });
}

function kindOf({ missing, isOpen }: AccountRow, column: Column | undefined): string {
  if (column === undefined || !missing.some((it) => it.column === column)) return 'box';
  return isOpen ? 'open' : 'missing';
}

function boxAt(kind: string, { x, y }: Place, text: string): string {
  const lines = wrapped(text);
  const first = y + (BOX.height - lines.length * LINE_HEIGHT) / 2 + FONT_SIZE;
  const spans = lines
    .map((line, at) => `<tspan x="${x + PAD}" y="${first + at * LINE_HEIGHT}">${escaped(line)}</tspan>`)
    .join('');
  return (
    `<g><title>${escaped(text)}</title><rect class="${kind}" x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="5"/>` +
    `<text>${spans}</text></g>`
  );
}

function textAt(kind: string, { x, y }: Place, text: string): string {
  return `<text class="${kind}" x="${x}" y="${y}">${escaped(printable(text))}</text>`;
}

/** At spaces where there are any; what does not fit ends with an ellipsis and stands in the title. */
function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest !== '') {
    const space = rest.length <= LINE_CHARACTERS ? -1 : rest.lastIndexOf(' ', LINE_CHARACTERS);
    const end = rest.length <= LINE_CHARACTERS ? rest.length : space > 0 ? space : LINE_CHARACTERS;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  if (lines.length <= LINES_MAX) return lines;
  const last = lines[LINES_MAX - 1] ?? '';
  return [...lines.slice(0, LINES_MAX - 1), `${last.slice(0, LINE_CHARACTERS - 1)}…`];
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (it) => ENTITIES[it] ?? it);
}
