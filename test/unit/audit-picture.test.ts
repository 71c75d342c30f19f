/** The accountability map as a picture: a well-formed SVG with a box for each answer, in which every text fits. */
import { afterAll, describe, expect, it } from 'vitest';
import type { AccountRow } from '@retainer/mind/explain/audit/account-row';
import { drawMap, ROWS_DRAWN_MAX } from '@retainer/mind/explain/audit/draw-map';
import { unpackGoldenRun } from '../support/golden-runs.ts';
import { retainerHere as retainer } from '../support/retainer-here.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());

const row: AccountRow = {
  kind: 'Call',
  id: 'r-c1-t1',
  what: 'bash',
  effectClass: 1,
  end: 'Ok',
  store: 'cycle',
  seq: 4,
  atMs: 0,
  wanted: { task: 'default/<work> & "play"', runId: 'r', principal: 'operator', cycleId: 'r-c1', role: 'Executor' },
  approved: { kind: 'NotNeeded' },
  checked: { kind: 'NotWanted' },
  cost: { tokens: 10, costUsd: 0, isComplete: true, sharedBy: 1 },
  missing: [{ column: 'decided', why: 'no verdict of a gate names it' }],
  isOpen: false,
};

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Its texts and those inside it. */
  content: string;
}

const TAG = /<(\/?)([a-z]+)((?: [a-zA-Z0-9:-]+="[^"<]*")*)(\/?)>/g;
const NO_TEXT = /[<>]|&(?!(amp|lt|gt|quot);)/;

/** Elements in the order of their ends. Fails where the text is no well-formed XML of such elements. */
function parsed(svg: string): readonly Element[] {
  const open: Element[] = [];
  const done: Element[] = [];
  const texts = svg.replaceAll(TAG, '\0').split('\0');
  for (const [at, [, isEnd, name = '', attributes = '', isWhole]] of [...svg.matchAll(TAG)].entries()) {
    const text = texts[at] ?? '';
    expect(text).not.toMatch(NO_TEXT);
    for (const it of open) it.content += text;
    const element = isEnd === '/' ? open.pop() : { name, attributes: attributesIn(attributes), content: '' };
    expect(element?.name).toBe(name);
    if (element !== undefined) (isEnd === '/' || isWhole === '/' ? done : open).push(element);
  }
  expect(open).toEqual([]);
  return done;
}

function attributesIn(text: string): Element['attributes'] {
  return Object.fromEntries(
    [...text.matchAll(/([a-zA-Z0-9:-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

function elementsOf(svg: string, name: string): readonly Element[] {
  return parsed(svg).filter((it) => it.name === name);
}

const numberOf = (element: Element | undefined, name: string): number => Number(element?.attributes[name]);

describe('retainer audit map -o svg', () => {
  verifies('audit-view:picture', 'draws each answer in a box of its own, those that are missing in red', async () => {
    const data = await unpackGoldenRun('injection', root.path);
    const { code, text } = await retainer('audit', 'map', '-o', 'svg', '--data', data);
    expect(code).toBe(5);
    await expect(text).toMatchFileSnapshot('../golden/audit/map-injection.svg');
    const kinds = elementsOf(text, 'rect').map((it) => it.attributes['class'] ?? 'page');
    const count = (kind: string): number => kinds.filter((it) => it === kind).length;
    expect({ effect: count('effect'), missing: count('missing'), box: count('box') }).toEqual({
      effect: 8,
      missing: 2,
      box: 8 * 5 - 2,
    });
  });

  verifies('audit-view:picture', 'keeps boxes apart and within the picture, and texts within their boxes', async () => {
    const svg = drawMap([row, { ...row, id: `r-${'long '.repeat(60)}`, what: 'x'.repeat(200) }]).join('\n');
    const [page] = elementsOf(svg, 'svg');
    const boxes = elementsOf(svg, 'rect').filter((it) => it.attributes['class'] !== undefined);
    const places = boxes.map((it) => `${numberOf(it, 'x')} ${numberOf(it, 'y')}`);
    expect(new Set(places).size).toBe(12);
    for (const box of boxes) {
      expect(numberOf(box, 'x') + numberOf(box, 'width')).toBeLessThan(numberOf(page, 'width'));
      expect(numberOf(box, 'y') + numberOf(box, 'height')).toBeLessThan(numberOf(page, 'height'));
    }
    for (const line of elementsOf(svg, 'tspan')) expect(line.content.length).toBeLessThanOrEqual(28);
    const lines = elementsOf(svg, 'text').map((it) => it.content);
    expect(lines.some((it) => it.endsWith('…'))).toBe(true);
  });

  it('escapes what others wrote, and counts what it does not draw', () => {
    const many = Array.from({ length: ROWS_DRAWN_MAX + 5 }, () => row);
    const svg = drawMap(many).join('\n');
    expect(svg).toContain('Task default/&lt;work&gt; &amp; &quot;play&quot;');
    const end = `${ROWS_DRAWN_MAX + 5} effects, ${ROWS_DRAWN_MAX + 5} without a full row, the first ${ROWS_DRAWN_MAX} drawn`;
    expect(elementsOf(svg, 'title')[0]?.content).toBe(`Accountability map: ${end}`);
    expect(elementsOf(drawMap([]).join('\n'), 'rect')).toHaveLength(1);
    const hostile = drawMap([{ ...row, what: '\u001b[31m\u202e' }]).join('\n');
    expect(hostile).toContain('\\u{1b}[31m\\u{202e}');
  });

  it('draws what a run under way lacks as open', () => {
    expect(drawMap([{ ...row, isOpen: true }]).join('\n')).toMatch(/class="open".*>open</);
  });
});
