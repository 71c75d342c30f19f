/**
 * The addresses in a text, as browsers, mail clients and renderers read them. Candidates are found generously: with any slashes, with tabs
 * and line breaks in the scheme, with entities, without a scheme. The parser of the WHATWG standard (`URL`) decides what each is.
 *
 * I1  Every rule that asks for addresses asks here, so no rule sees an address that another one misses.
 * I2  Linear in the text: every repetition is bounded, or ends where the next begins.
 *
 * Source: reliability-security 4 (image and link addresses in rendered output).
 */
import { decodedEntities } from './entities.ts';

/** One place of a text at which a reader could make a link. */
export interface WrittenAddress {
  /** UTF-16 units of the text: where a renderer would begin and, without final punctuation, end the link. */
  readonly start: number;
  readonly end: number;
  /** As a renderer reads it, with and without the final punctuation. */
  readonly whole: readonly string[];
  /** Also cut at signs where a looser reader would end it. */
  readonly spellings: readonly string[];
}

/** In the order of their places; those that only entities spell last. */
export function writtenAddresses(text: string): readonly WrittenAddress[] {
  const plain = candidatesIn(text);
  const { text: decoded, placeOf } = decodedEntities(text);
  if (decoded === text) return plain;
  const known = new Set(plain.flatMap(({ spellings }) => spellings));
  const hidden = candidatesIn(decoded).filter(({ spellings }) => !spellings.some((it) => known.has(it)));
  return [...plain, ...hidden.map((it) => ({ ...it, start: placeOf(it.start), end: placeOf(it.end) }))];
}

/** Every spelling of every address, without fragments, which no server receives. */
export function addressesIn(text: string): readonly string[] {
  return [...new Set(writtenAddresses(text).flatMap(({ spellings }) => spellings))];
}

/** @returns the address that the whole text is; an empty list if it is none */
export function oneAddress(text: string): readonly string[] {
  return URL.canParse(text) ? [withoutFragment(new URL(text))] : [];
}

const BREAK = String.raw`[\t\r\n]{0,8}`;
const spaced = (name: string): string => Array.from(name).join(BREAK);

/** Schemes that renderers, mail clients and systems follow. Others open nothing, or only what is on this machine. */
const SCHEMES = ['https', 'http', 'ftps', 'ftp', 'sftp', 'wss', 'ws', 'smb', 'file'].map(spaced).join('|');

/** Where an address begins in running text. Browsers need no slash after `https:`. */
const BEGIN = [
  String.raw`(?:${SCHEMES})${BREAK}:[\t\r\n/\\]{0,16}[/\\]`,
  String.raw`(?<![\p{L}\p{N}_-])https?:(?=[\p{L}\p{N}-]{1,63}[.。．｡][\p{L}\p{N}])`,
  String.raw`(?<![:/\\\p{L}\p{N}_])[/\\]{2,8}(?=[\p{L}\p{N}_%-]{1,63}[.。．｡])`,
  String.raw`(?<![\p{L}\p{N}_@/\\.:-])(?=www[.。．｡][\p{L}\p{N}])`,
].join('|');
const LOOSE = new RegExp(String.raw`(?:${BEGIN})[^\s<>"\x60]*`, 'giu');

/** Where markup gives an address of its own: a destination of Markdown, an attribute or a function of a style. */
const MARKED =
  /\]\(\s{0,8}(?:<(?<angle>[^<>\n]{1,2000})>|(?<destination>(?:[^\s()<>]|\([^\s()]{0,200}\)){1,2000}))|\]:\s{0,8}<?(?<reference>[^\s<>]{1,2000})|(?<![\p{L}\p{N}_-])(?:href|src|srcset|action|formaction|poster|data|background|cite|ping|longdesc|codebase|lowsrc|dynsrc)\s{0,8}=\s{0,8}(?:"(?<double>[^"]{1,2000})"|'(?<single>[^']{1,2000})'|(?<bare>[^\s"'<>]{1,2000}))|url\(\s{0,8}["']?(?<style>[^"')]{1,2000})/giu;

function candidatesIn(text: string): readonly WrittenAddress[] {
  const marked = Array.from(text.matchAll(MARKED)).flatMap(markedAddress);
  const left = marked.length === 0 ? text : without(text, marked);
  const loose = Array.from(left.matchAll(LOOSE)).flatMap(looseAddress);
  return marked.length === 0 ? loose : [...marked, ...loose].toSorted((a, b) => a.start - b.start);
}

/** Blanks in the places of what was found, so that it is not found again. */
function without(text: string, found: readonly WrittenAddress[]): string {
  let at = 0;
  const parts = found.flatMap(({ start, end }) => {
    const part = [text.slice(at, start), ' '.repeat(end - start)];
    at = end;
    return part;
  });
  return parts.join('') + text.slice(at);
}

function markedAddress(found: RegExpExecArray): readonly WrittenAddress[] {
  const value = Object.values(found.groups ?? {}).find((it) => it !== undefined);
  if (value === undefined) return [];
  const start = found.index + found[0].lastIndexOf(value);
  const whole = hostedBy(value);
  return whole.length === 0 ? [] : [{ start, end: start + value.length, whole, spellings: whole }];
}

/** Signs that end a sentence, a quotation or a bracket rather than an address. */
const TRAILING: ReadonlySet<string> = new Set(`.,;:!?)]}*_~'|\\“”‘’„«»‹›」』）】》，。、；：！？…`);
const LOOSER_END = /[{}|\\^'“”‘’„«»‹›「」『』（）【】《》，。、；：！？…]/u;

function looseAddress(found: RegExpExecArray): readonly WrittenAddress[] {
  const [run] = found;
  const end = withoutEnd(run);
  const begin = /^[^:/\\]{0,64}:?[\s/\\]*/.exec(run)?.[0].length ?? 0;
  const cut = run.slice(begin).search(LOOSER_END);
  const looser = cut === -1 ? [] : [run.slice(0, begin + cut), withoutEnd(run.slice(0, begin + cut))];
  const whole = [...new Set([run, end].flatMap(hostedBy))];
  const spellings = [...new Set([...whole, ...looser.flatMap(hostedBy)])];
  return spellings.length === 0 ? [] : [{ start: found.index, end: found.index + end.length, whole, spellings }];
}

function withoutEnd(run: string): string {
  let end = run.length;
  while (end > 0 && TRAILING.has(run.charAt(end - 1))) end -= 1;
  return run.slice(0, end);
}

/** Pages on which a text may be shown; an address relative to them leads nowhere else. */
const PAGE = 'relative.invalid';

/** What a server can be called; the parser passes more. */
const HOST = /^[\w.~%[\]:-]+$/;

/** Of what can lead to another server; parsing everything else would take most of the time. */
const LEADS_AWAY = /^[\0-\x20]*(?:[a-z][a-z\t\r\n]{0,64}:|[/\\][\t\r\n]*[/\\])/i;
const BASES = [`http://${PAGE}/`, `https://${PAGE}/`];

/** Without a scheme both schemes count, because a renderer chooses. */
function hostedBy(text: string): readonly string[] {
  const full = /^www[.。．｡]/iu.test(text) ? `//${text}` : text;
  if (!LEADS_AWAY.test(full)) return [];
  const bases = /^\w+:\/\//.test(full) ? BASES.slice(1) : BASES;
  const read = bases.filter((base) => URL.canParse(full, base)).map((base) => new URL(full, base));
  const hosted = read.filter(({ hostname }) => HOST.test(hostname) && hostname !== PAGE);
  return [...new Set(hosted.map(withoutFragment))];
}

function withoutFragment(address: URL): string {
  address.hash = '';
  return address.href;
}
