/**
 * Mends what models often get wrong about XML, where its meaning is beyond doubt. Pure.
 *
 * I1  Only form is mended: what is around the XML, the order of elements, words for true and false, the characters `&` and `<` in
 *     texts, and elements and attributes that nobody asked for, which are left out. No word of what was asked for is added, dropped
 *     or changed, and the XSD judges the result.
 * I2  A document type, CDATA or a comment is not mended: what they mean depends on more than the tags.
 * I3  One pass over the text, so the time is linear.
 *
 * Source: artoo A.18 (thinking and code fences are taken off).
 */
import type { XmlLayout } from '@retainer/mind/request/answer-xml';

export interface Mended {
  readonly xml: string;
  /** What was mended, one sentence each; for the record. */
  readonly mended: readonly string[];
}

/** No layout has elements within elements so deep; a deeper text is no answer. */
const DEPTH_MAX = 8;

const THOUGHTS = /^\s*<(think|thinking)>/;
const FENCE = /```\w*/;
const TAG = /<[/!?A-Za-z]/;
const UNCLEAR = /<!|<\?/;
const BARE_AMPERSAND = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\dA-Fa-f]{1,6});)/g;
const OPENING = /<([A-Za-z]\w*)((?:\s+[A-Za-z]\w*\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/y;
const CLOSING = /<\/([A-Za-z]\w*)\s*>/y;
/** Words for yes and no. */
const BOOLEANS: ReadonlyMap<string, 'true' | 'false'> = new Map([
  ['true', 'true'],
  ['yes', 'true'],
  ['false', 'false'],
  ['no', 'false'],
]);
/** Names that change what other names mean. */
const NAMESPACE = 'xmlns';
/** Characters of the name of what was left out, in a note. */
const NAME_CHARACTERS_MAX = 40;
const ATTRIBUTE = /([A-Za-z]\w*)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** What a text is mended to be. */
export interface Wanted {
  /** Of the XML. */
  readonly root: string;
  readonly layout: XmlLayout;
  /** The model was shown several kinds of answer, and a weak one gives each of them: the first is meant. */
  readonly isOneOfSeveral: boolean;
}

/** @returns undefined: nothing was mended, or the meaning is in doubt */
export function mendXml(text: string, { root, layout, isOneOfSeveral }: Wanted): Mended | undefined {
  const notes = new Set<string>();
  const body = withoutThoughts(text, notes);
  const xml = withoutProse(isOneOfSeveral ? firstOf(body, root, notes) : body, root, notes);
  if (xml === undefined || UNCLEAR.test(xml)) return undefined;
  const inside = new Set<string>();
  const mended = new Parse(xml, layout, inside).document();
  const all = mended === undefined ? [...notes] : [...notes, ...inside];
  return all.length === 0 ? undefined : { xml: mended ?? xml, mended: all };
}

function withoutThoughts(text: string, notes: Set<string>): string {
  const name = THOUGHTS.exec(text)?.[1];
  const end = name === undefined ? -1 : text.indexOf(`</${name}>`);
  if (name === undefined || end === -1) return text;
  notes.add('thoughts before the answer were left out');
  return text.slice(end + name.length + '</>'.length);
}

/** Up to the end of the first of several answers. */
function firstOf(text: string, root: string, notes: Set<string>): string {
  const closing = `</${root}>`;
  const end = text.indexOf(closing);
  if (end === -1 || end === text.lastIndexOf(closing)) return text;
  notes.add('of several answers the first was taken');
  return text.slice(0, end + closing.length);
}

/** From the first tag of the root to its last. Prose has no tags of its own, else it is unclear what the answer is. */
function withoutProse(text: string, root: string, notes: Set<string>): string | undefined {
  const start = text.search(new RegExp(`<${root}[\\s>]`));
  const closing = `</${root}>`;
  const end = text.lastIndexOf(closing);
  if (start === -1 || end < start) return undefined;
  const around = [text.slice(0, start).replace(/<\?xml\s[^?]{0,200}\?>/, ''), text.slice(end + closing.length)];
  if (around.some((it) => TAG.test(it))) return undefined;
  if (around.some((it) => it.replace(FENCE, '').trim() !== '')) notes.add('what stood around the answer was left out');
  return text.slice(start, end + closing.length);
}

interface Opening {
  readonly name: string;
  readonly attributes: string;
  readonly isEmpty: boolean;
}

interface Element {
  readonly name: string;
  readonly xml: string;
}

interface Inner {
  /** Text that stands between the elements. */
  readonly between: string;
  readonly found: readonly Element[];
}

/** Reads elements by the layout and writes them in its order. */
class Parse {
  readonly #text: string;
  readonly #layout: XmlLayout;
  readonly #notes: Set<string>;
  #at = 0;
  #depth = 0;

  constructor(text: string, layout: XmlLayout, notes: Set<string>) {
    this.#text = text;
    this.#layout = layout;
    this.#notes = notes;
  }

  /** undefined where tags do not match. */
  document(): string | undefined {
    const root = this.#element();
    return root === undefined || this.#at < this.#text.length ? undefined : root.xml;
  }

  #element(): Element | undefined {
    const opening = this.#opening();
    return opening === undefined ? undefined : this.#within(opening);
  }

  #opening(): Opening | undefined {
    const [all, name, attributes = '', isEmpty] = this.#match(OPENING) ?? [];
    return all === undefined || name === undefined ? undefined : { name, attributes, isEmpty: isEmpty === '/' };
  }

  #within({ name, attributes, isEmpty }: Opening): Element | undefined {
    const start = `<${name}${this.#attributes(name, attributes)}`;
    if (isEmpty) return { name, xml: `${start}/>` };
    const order = this.#layout.elements[name];
    if (this.#depth > DEPTH_MAX) return undefined;
    this.#depth += 1;
    const inner = order === undefined ? this.#words(name) : this.#children(name, order);
    this.#depth -= 1;
    return inner === undefined ? undefined : { name, xml: `${start}>${inner}</${name}>` };
  }

  /** Everything up to the end of the element is text, whatever it looks like. */
  #words(name: string): string | undefined {
    const end = this.#text.indexOf(`</${name}>`, this.#at);
    if (end === -1) return undefined;
    const words = this.#text.slice(this.#at, end);
    this.#at = end + name.length + '</>'.length;
    return this.#escaped(words);
  }

  #children(parent: string, order: readonly string[]): string | undefined {
    const inner = this.#asked(parent, order);
    return inner === undefined ? undefined : inner.between + this.#ordered(inner.found, order);
  }

  /** What was asked for, up to the end of the element `parent`. @param order  the names of what is asked for */
  #asked(parent: string, order: readonly string[]): Inner | undefined {
    const found: Element[] = [];
    for (let between = ''; ;) {
      const next = this.#text.indexOf('<', this.#at);
      if (next === -1) return undefined;
      between += this.#text.slice(this.#at, next).trim();
      this.#at = next;
      const closed = this.#match(CLOSING)?.[1];
      if (closed !== undefined) return closed === parent ? { between, found } : undefined;
      const opening = this.#opening();
      if (opening === undefined) return undefined;
      const children = order.includes(opening.name) ? this.#child(opening) : this.#unasked(opening, order);
      if (children === undefined) return undefined;
      found.push(...children);
    }
  }

  #child(opening: Opening): readonly Element[] | undefined {
    const child = this.#within(opening);
    return child === undefined ? undefined : [child];
  }

  /** Nobody asked for this element: it goes, and what was asked for within it stays. */
  #unasked({ name, isEmpty }: Opening, order: readonly string[]): readonly Element[] | undefined {
    this.#leaveOut('element', name);
    if (isEmpty || this.#depth > DEPTH_MAX) return isEmpty ? [] : undefined;
    const start = this.#at;
    this.#depth += 1;
    const inner = this.#asked(name, order);
    this.#depth -= 1;
    if (inner !== undefined) return inner.found;
    this.#at = start;
    return this.#skip(name) ? [] : undefined;
  }

  /** Up to the end of the element, whatever is in it. */
  #skip(name: string): boolean {
    const tags = new RegExp(`<(/?)${name}(?=[\\s>])`, 'g');
    tags.lastIndex = this.#at;
    for (let depth = 1; depth > 0;) {
      const tag = tags.exec(this.#text);
      if (tag === null) return false;
      depth += tag[1] === '/' ? -1 : 1;
    }
    const end = this.#text.indexOf('>', tags.lastIndex);
    this.#at = end + 1;
    return end !== -1;
  }

  #leaveOut(what: 'element' | 'attribute', name: string): void {
    this.#notes.add(`the ${what} ${name.slice(0, NAME_CHARACTERS_MAX)}, which nobody asked for, was left out`);
  }

  #ordered(found: readonly Element[], order: readonly string[]): string {
    const placed = found.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
    if (placed.some((child, index) => child !== found[index])) this.#notes.add('elements were put in their order');
    return placed.map(({ xml }) => xml).join('');
  }

  #attributes(element: string, text: string): string {
    const asked = this.#layout.attributes[element] ?? [];
    return [...text.matchAll(ATTRIBUTE)]
      .flatMap(([, name = '', double, single = '']) => {
        if (asked.includes(name) || name === NAMESPACE) return [` ${name}="${this.#value(name, double ?? single)}"`];
        this.#leaveOut('attribute', name);
        return [];
      })
      .join('');
  }

  #value(name: string, value: string): string {
    const word = this.#layout.booleans.has(name) ? BOOLEANS.get(value.trim().toLowerCase()) : undefined;
    if (word === undefined) return this.#escaped(value).replaceAll('"', '&quot;');
    if (word !== value) this.#notes.add(`${JSON.stringify(value)} was read as ${word}`);
    return word;
  }

  #escaped(words: string): string {
    const escaped = words.replaceAll(BARE_AMPERSAND, '&amp;').replaceAll('<', '&lt;');
    if (escaped !== words) this.#notes.add('the characters & and < in texts were escaped');
    return escaped;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#at += match[0].length;
    return match;
  }
}
