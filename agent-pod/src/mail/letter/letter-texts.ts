/**
 * The texts of a letter: the sender's new words, and all else, each of its kind.
 *
 * I1: no text is lost: what is not the sender's words is enclosed, up to the limits, and what is cut says so.
 * I2: where the two cannot be told apart, `words` is empty and everything is `Whole`.
 *
 * Source: reliability-security 5 (mail).
 */
import {
  ENCLOSED_CHARACTERS_MAX,
  ENCLOSED_MAX,
  WORDS_CHARACTERS_MAX,
  type Enclosed,
  type LetterFault,
  type LetterTexts,
} from '@retainer/mind/parts/mail/letter';
import { visibleTextOf } from '../../tools/visible-text.ts';
import { bothSay } from './both-say.ts';
import { valueOf } from './header-fields.ts';
import { readHtml } from './html-lines.ts';
import { contentOf, textOf, type Parser } from './leaf-text.ts';
import { ATTACHMENTS_MAX } from './limits.ts';
import type { MimePart } from './mime-tree.ts';
import { linesOf, ownWords, type Line, type Split } from './own-words.ts';
import { smuggledIn } from './smuggled.ts';

export interface TextsOfLetter extends LetterTexts {
  readonly faults: readonly LetterFault[];
}

export interface Reading {
  readonly source: Uint8Array;
  readonly parser: Parser;
  readonly attachmentsMax: number;
}

/** Two versions of one text, or one of them. Several parts of a kind follow each other. */
interface Body {
  readonly plain: readonly MimePart[];
  readonly html: readonly MimePart[];
}

interface Contents {
  readonly bodies: readonly Body[];
  readonly forwards: readonly MimePart[];
  readonly attachments: readonly MimePart[];
}

interface BodyReading {
  /** Absent: they cannot be told apart. */
  readonly words?: string;
  readonly enclosed: readonly Enclosed[];
}

export async function textsOf(root: MimePart, reading: Reading): Promise<TextsOfLetter> {
  const contents = contentsOf(root);
  const versions: Versions[] = [];
  for (const body of contents.bodies) versions.push(await versionsOf(body, reading));
  const bodies = versions.map(readBody);
  const isClear = bodies.every(({ words }) => words !== undefined);
  const words = isClear
    ? bodies
        .map((body) => body.words ?? '')
        .filter((it) => it !== '')
        .join('\n\n')
    : '';
  const isTold = isClear && words.length <= WORDS_CHARACTERS_MAX;
  const own = isTold ? bodies.flatMap(({ enclosed }) => enclosed) : versions.flatMap(wholeOf);
  const forwards: Enclosed[] = [];
  for (const part of contents.forwards) forwards.push(await forwardOf(part, reading));
  const attachments: Enclosed[] = [];
  for (const part of contents.attachments.slice(0, reading.attachmentsMax))
    attachments.push(await attachmentOf(part, reading));
  return {
    words: isTold ? words : '',
    enclosed: bounded([...own, ...forwards, ...attachments]),
    faults: contents.attachments.length > reading.attachmentsMax ? ['TooManyAttachments'] : [],
  };
}

function contentsOf(part: MimePart): Contents {
  if (part.type === 'message/rfc822' || part.type === 'message/global') {
    return part.children.length === 0 ? only({ attachments: [part] }) : only({ forwards: [part] });
  }
  if (part.type.startsWith('multipart/')) return contentsOfMultipart(part);
  const isBody = part.disposition !== 'attachment' && !part.hasName;
  if (isBody && part.type === 'text/plain') return only({ bodies: [{ plain: [part], html: [] }] });
  if (isBody && part.type === 'text/html') return only({ bodies: [{ plain: [], html: [part] }] });
  return only({ attachments: [part] });
}

function contentsOfMultipart(part: MimePart): Contents {
  // A multipart that cannot be taken apart is a text that nobody can read.
  if (part.children.length === 0) return only({ attachments: [part] });
  const children = part.children.map(contentsOf);
  const bodies = children.flatMap((child) => child.bodies);
  const joined = { plain: bodies.flatMap(({ plain }) => plain), html: bodies.flatMap(({ html }) => html) };
  return {
    bodies: part.type === 'multipart/alternative' && bodies.length > 1 ? [joined] : bodies,
    forwards: children.flatMap((child) => child.forwards),
    attachments: children.flatMap((child) => child.attachments),
  };
}

function only(contents: Partial<Contents>): Contents {
  return { bodies: [], forwards: [], attachments: [], ...contents };
}

interface Versions {
  readonly plain: string;
  readonly html: string;
  readonly htmlLines: readonly Line[];
  readonly hidden: string;
  readonly isCut: boolean;
}

async function versionsOf(body: Body, { source, parser }: Reading): Promise<Versions> {
  const plains: string[] = [];
  const htmls: { lines: ReturnType<typeof linesOf>; hidden: string }[] = [];
  let isCut = false;
  for (const part of body.plain) {
    const decoded = await textOf(source, part, parser);
    isCut ||= decoded.isCut;
    plains.push(decoded.text);
  }
  for (const part of body.html) {
    const decoded = await textOf(source, part, parser);
    const read = await readHtml(decoded.text);
    isCut ||= decoded.isCut || read.isCut;
    htmls.push(read);
  }
  const [plain, unseen] = [plains.join('\n\n'), plains].map((it) =>
    typeof it === 'string' ? visible(it) : it.map(smuggledIn).join('\n'),
  );
  const lines = htmls.flatMap((read) => read.lines).map((line) => ({ ...line, text: visible(line.text) }));
  const smuggled = htmls.map((read) => smuggledIn(read.lines.map(({ text }) => text).join('\n')));
  return {
    plain: plain ?? '',
    html: lines.map(({ text }) => text).join('\n'),
    hidden: [...htmls.map(({ hidden }) => visible(hidden)), ...smuggled, unseen ?? '']
      .filter((it) => it.trim() !== '')
      .join('\n'),
    isCut,
    htmlLines: lines,
  };
}

function readBody({ plain, html, htmlLines, hidden, isCut }: Versions): BodyReading {
  if (isCut) return { enclosed: [] };
  const plainSplit = ownWords(linesOf(plain));
  const htmlSplit = ownWords(htmlLines);
  const splits = [...(plain.trim() === '' ? [] : [plainSplit]), ...(html.trim() === '' ? [] : [htmlSplit])];
  const chosen = splits.find(({ isUnclear }) => !isUnclear);
  if (chosen === undefined)
    return splits.length > 0 ? { enclosed: [] } : { words: '', enclosed: enclosedTexts([['Hidden', hidden]]) };
  if (splits.length < 2) return { words: chosen.words, enclosed: enclosedOf(chosen, hidden, '') };
  const both = bothSay(plainSplit.words, htmlSplit.words);
  // A version that says clearly what is whose also tells it of the other, if they say the same.
  const isTold = both.isSame || (splits.every(({ isUnclear }) => !isUnclear) && both.words !== '');
  return isTold ? { words: both.words, enclosed: enclosedOf(chosen, hidden, both.onlyOne) } : { enclosed: [] };
}

function enclosedOf(split: Split, hidden: string, onlyOne: string): readonly Enclosed[] {
  return enclosedTexts([
    ['Quote', split.quote],
    ['Forward', split.forward],
    ['Hidden', [hidden, onlyOne].filter((it) => it !== '').join('\n')],
  ]);
}

/** A text as it is, where nobody knows whose it is. */
function wholeOf({ plain, html, hidden, isCut }: Versions): readonly Enclosed[] {
  const texts = plain.trim() === '' || html.trim() === '' ? [`${plain}${html}`] : [plain, html];
  const found = enclosedTexts([...texts.map((text) => ['Whole', text] as const), ['Hidden', hidden]]);
  return found.map((it) => ({ ...it, isCut: it.isCut || isCut }));
}

function enclosedTexts(texts: readonly (readonly [Enclosed['kind'], string])[]): readonly Enclosed[] {
  return texts
    .filter(([, text]) => text.trim() !== '')
    .map(([kind, text]) => ({ kind, sizeBytes: Buffer.byteLength(text), text: text.trim(), isCut: false }));
}

/** A letter within the letter: its header in four lines, and what a person would see of it. */
async function forwardOf(part: MimePart, reading: Reading): Promise<Enclosed> {
  const [message] = part.children;
  const contents = message === undefined ? only({}) : contentsOf(message);
  const heads = ['From', 'To', 'Date', 'Subject'].flatMap((name) => {
    const value = valueOf(message?.fields ?? [], name.toLowerCase());
    return value === undefined ? [] : [`${name}: ${visible(value).slice(0, 998)}`];
  });
  const texts: string[] = [];
  let isCut = false;
  for (const body of contents.bodies) {
    const versions = await versionsOf(body, reading);
    isCut ||= versions.isCut;
    texts.push([versions.plain, versions.html].find((text) => text.trim() !== '') ?? '');
  }
  for (const inner of contents.forwards) texts.push((await forwardOf(inner, reading)).text);
  for (const inner of contents.attachments.slice(0, ATTACHMENTS_MAX)) {
    const { name, type } = await contentOf(reading.source, inner, reading.parser);
    texts.push(`[${name ?? 'a file without a name'}, ${type}]`);
  }
  return { kind: 'Forward', sizeBytes: part.end - part.start, text: [...heads, '', ...texts].join('\n').trim(), isCut };
}

async function attachmentOf(part: MimePart, reading: Reading): Promise<Enclosed> {
  const content = await contentOf(reading.source, part, reading.parser);
  const { name, type, sizeBytes } = content;
  const about = { kind: 'Attachment', ...(name === undefined ? {} : { name }), type, sizeBytes } as const;
  if (!content.isText) return { ...about, text: '', isCut: false };
  const isHtml = type === 'text/html';
  const decoded = await textOf(reading.source, { ...part, type: isHtml ? 'text/html' : 'text/plain' }, reading.parser);
  if (!isHtml) return { ...about, text: visible(decoded.text), isCut: decoded.isCut };
  const read = await readHtml(decoded.text);
  return {
    ...about,
    text: visible(read.lines.map(({ text }) => text).join('\n')).trim(),
    isCut: decoded.isCut || read.isCut,
  };
}

/** The enclosed texts within the limits of number and characters; the first ones have the room. */
function bounded(all: readonly Enclosed[]): Enclosed[] {
  let left = ENCLOSED_CHARACTERS_MAX;
  return all.slice(0, ENCLOSED_MAX).map((it) => {
    const text = it.text.slice(0, left).replace(/[\uD800-\uDBFF]$/, '');
    left -= text.length;
    return { ...it, text, isCut: it.isCut || text.length < it.text.length };
  });
}

function visible(text: string): string {
  return visibleTextOf(text).text;
}
