/** Lines of a terminal, with their colours, as an SVG that needs no font of its own. */

const LINE_HEIGHT_PX = 17;
const CHARACTER_WIDTH_PX = 7.25;
const MARGIN_PX = 16;
const TITLE_HEIGHT_PX = 32;

/** Colours of the text, by the codes that select them. */
const COLOURS: Readonly<Record<string, string>> = {
  '31': '#ff7b72',
  '32': '#7ee787',
  '33': '#e3b341',
  '39': '#e6edf3',
  '90': '#8b949e',
};
const PLAIN = '#e6edf3';

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A line in spans of one colour each. */
function spans(line: string): string {
  let colour = PLAIN;
  return line
    .split(/\u001B\[([\d;]*)m/)
    .map((part, at) => {
      if (at % 2 === 0) return part === '' ? '' : `<tspan fill="${colour}">${escaped(part)}</tspan>`;
      colour = COLOURS[part] ?? PLAIN;
      return '';
    })
    .join('');
}

/** @param lines  with escape sequences that select colours */
export function drawTerminal(title: string, lines: readonly string[]): string {
  const widths = lines.map((line) => line.replaceAll(/\u001B\[[\d;]*m/g, '').length);
  const width = Math.ceil(Math.max(...widths) * CHARACTER_WIDTH_PX) + 2 * MARGIN_PX;
  const height = TITLE_HEIGHT_PX + lines.length * LINE_HEIGHT_PX + MARGIN_PX;
  const rows = lines.map((line, at) => {
    const y = TITLE_HEIGHT_PX + MARGIN_PX / 2 + (at + 0.5) * LINE_HEIGHT_PX;
    return `  <text x="${MARGIN_PX}" y="${y}">${spans(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `  <title>${escaped(title)}</title>`,
    '  <style>text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre; }</style>',
    `  <rect width="${width}" height="${height}" rx="8" fill="#0d1117" />`,
    ...['#ff5f56', '#ffbd2e', '#27c93f'].map(
      (fill, at) => `  <circle cx="${MARGIN_PX + 6 + at * 18}" cy="${TITLE_HEIGHT_PX / 2}" r="5" fill="${fill}" />`,
    ),
    `  <text x="${MARGIN_PX + 66}" y="${TITLE_HEIGHT_PX / 2 + 4}" fill="#8b949e">${escaped(title)}</text>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}
