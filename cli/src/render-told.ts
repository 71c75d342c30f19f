/** What an agent is told of itself, as lines for people: each element with its values, indented as it stands in others. Pure. */
import type { StoryLine, Tone } from '@retainer/mind/part/story';

/** Of elements that a person looks for. */
const TONES: Readonly<Record<string, Tone>> = {
  clock: 'Quiet',
  cut: 'Quiet',
  failure: 'Bad',
  approvals: 'Warning',
  approval: 'Warning',
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
  return `${'  '.repeat(depth)}${name}`;
}

function takeLine(line: string, open: string[], rows: Row[]): void {
  const [, before, ended] = END.exec(line) ?? [];
  const [, name, attributes = '', empty, after = ''] = START.exec(line) ?? [];
  const within = open.filter((it) => !FRAMES.has(it));
  const depth = within.length;
  if (name !== undefined) {
    const text = [...values(attributes), ...textOf(after.replace(END, '$1'))].join(' · ');
    if (!FRAMES.has(name)) rows.push({ depth, name, text, tone: TONES[name] ?? 'Plain' });
    if (empty === '' && ended !== name) open.push(name);
    return;
  }
  const text = plain(before ?? line);
  const tone = TONES[within.at(-1) ?? ''] ?? 'Plain';
  if (text !== '') rows.push({ depth: Math.max(0, depth - 1), name: '', text, tone });
  if (ended !== undefined) open.pop();
}

function values(attributes: string): readonly string[] {
  return [...attributes.matchAll(ATTRIBUTE)].map(([, key = '', value = '']) => `${key} ${plain(value)}`);
}

const textOf = (text: string): readonly string[] => (text === '' ? [] : [plain(text)]);

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

function plain(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES[entity] ?? entity);
}
