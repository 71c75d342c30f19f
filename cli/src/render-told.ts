/** What an agent is told of itself, as lines for people: each element with its values, indented as it stands in others. Pure. */
import type { StoryLine, Tone } from '@retainer/mind/part/story';

/** Of elements that a person looks for. */
const TONES: Readonly<Record<string, Tone>> = {
  clock: 'Quiet',
  cut: 'Quiet',
  failure: 'Bad',
  approvals: 'Warning',
  approval: 'Warning',
  questions: 'Warning',
  question: 'Warning',
  patterns: 'Warning',
  pattern: 'Warning',
  gates: 'Warning',
  meta_recommendations: 'Warning',
};

/** Elements that only hold others. */
const FRAMES: ReadonlySet<string> = new Set(['sensorium']);

interface Row {
  readonly depth: number;
  /** Of its element; empty: it goes on with the row before. */
  readonly name: string;
  readonly text: string;
  readonly tone: Tone;
}

/** A start tag, with all that stands on its line. */
const START = /^<([\w-]+)((?: [\w-]+="[^"]*")*)(\/?)>(.*)$/;
const END = /^(.*)<\/([\w-]+)>$/;
const ATTRIBUTE = / ([\w-]+)="([^"]*)"/g;

/** @param told  as `curate` makes it: each element begins on a line of its own. What stands before `<self` is for the model alone */
export function toldLines(told: string): readonly StoryLine[] {
  const [head = '', ...lines] = told.slice(told.indexOf('<self')).split('\n');
  const rows: Row[] = [];
  const open: string[] = [];
  for (const line of lines) takeLine(line, open, rows);
  const width = Math.max(0, ...rows.map((row) => labelOf(row).length));
  const agent = /^<self agent="([^"]*)">$/.exec(head)?.[1] ?? head;
  return [
    { text: plain(agent), tone: 'Plain' },
    ...rows.map((row) => ({ text: `${labelOf(row).padEnd(width)}  ${row.text}`.trimEnd(), tone: row.tone })),
  ];
}

function labelOf({ depth, name }: Row): string {
  return `${'  '.repeat(Math.max(0, depth))}${name}`;
}

function takeLine(line: string, open: string[], rows: Row[]): void {
  const [, , ends] = END.exec(line) ?? [];
  const start = START.exec(line);
  const within = open.filter((it) => !FRAMES.has(it));
  if (start !== null) {
    const [, name = '', attributes = '', isEmpty] = start;
    if (!FRAMES.has(name))
      rows.push({ depth: within.length, name, text: textOf(attributes, start[4] ?? ''), tone: toneOf(name) });
    if (isEmpty === '' && ends !== name) open.push(name);
    return;
  }
  const text = textOf('', line);
  if (text !== '') rows.push({ depth: within.length - 1, name: '', text, tone: toneOf(within.at(-1)) });
  if (ends !== undefined) open.pop();
}

/** @param after  the rest of the line */
function textOf(attributes: string, after: string): string {
  const values = [...attributes.matchAll(ATTRIBUTE)].map(([, key, value]) => `${key} ${value}`);
  return plain([...values, after.replace(END, '$1')].filter((it) => it !== '').join(' · '));
}

function toneOf(name: string | undefined): Tone {
  return TONES[name ?? ''] ?? 'Plain';
}

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

function plain(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES[entity] ?? entity);
}
