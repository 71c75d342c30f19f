/** The state that a cycle was told, read back from the text in the record of its start. */
import type { JournalRecord } from '@retainer/journal/journal';

export interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Tag[];
}

/** Attributes that are undefined are none. */
export function tagged(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  children: readonly Tag[] = [],
): Tag {
  const given = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)] as const],
  );
  return { name, attributes: Object.fromEntries(given), children };
}

/** Rows of a list that are told; its count is of all. */
export const ROWS = 3;

/** Of at most three rows, with what is said of all of them; without one there is no list. */
export function list(
  name: string,
  figures: Readonly<Record<string, (rows: readonly Tag[]) => number>>,
  rows: readonly Tag[],
  shown: readonly Tag[] = rows.slice(0, ROWS),
): readonly Tag[] {
  const told = Object.entries(figures).map(([key, figure]) => [key, figure(rows)] as const);
  return rows.length === 0 ? [] : [tagged(name, Object.fromEntries(told), shown)];
}

/** What the model was told of the agent; undefined: nothing. */
export function toldIn({ kind, payload }: JournalRecord): string | undefined {
  if (kind !== 'CycleStarted') return undefined;
  const { spec } = payload as {
    readonly spec?: { readonly system?: readonly { readonly text: string; readonly varies?: boolean }[] };
  };
  return spec?.system?.findLast(({ varies, text }) => varies === true && text.includes('<self '))?.text;
}

const entities = [
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&amp;', '&'],
] as const;

export const unescaped = (text: string): string =>
  entities.reduce((read, [entity, character]) => read.replaceAll(entity, character), text);

/** The element of this name, each of whose tags is a line. Throws at a line that is none. */
export function readElement(told: string, name: string): Tag {
  const lines = told.split('\n');
  const from = lines.findIndex((line) => line === `<${name}>`);
  const to = lines.findIndex((line) => line === `</${name}>`);
  if (from < 0 || to < from) throw new Error(`no element ${name}`);
  const root = { name, attributes: {}, children: [] as Tag[] };
  const open = [root];
  for (const line of lines.slice(from + 1, to)) {
    const [, end, tag = '', attributes = '', empty] = /^<(\/?)(\w+)((?: \w+="[^"]*")*)(\/?)>$/.exec(line) ?? [];
    if (tag === '') throw new Error(`no tag: ${line}`);
    if (end === '/') {
      open.pop();
      continue;
    }
    const read = { name: tag, attributes: attributesIn(attributes), children: [] };
    open.at(-1)?.children.push(read);
    if (empty !== '/') open.push(read);
  }
  return root;
}

function attributesIn(text: string): Readonly<Record<string, string>> {
  const found = [...text.matchAll(/ (\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, unescaped(value)]);
  return Object.fromEntries(found);
}

/** The content of a slot in lines; none: it is not there. */
export function slotLines(told: string, slot: string): readonly string[] {
  const [, content] = new RegExp(`<${slot}>([^]*?)</${slot}>`).exec(told) ?? [];
  return content === undefined ? [] : content.split('\n').map(unescaped);
}

/** Every name of an element, and of an attribute as `ELEMENT.ATTRIBUTE`. */
export function namesIn({ name, attributes, children }: Tag): readonly string[] {
  return [name, ...Object.keys(attributes).map((key) => `${name}.${key}`), ...children.flatMap(namesIn)];
}
