/**
 * Takes secrets out of texts before anything is recorded. Pure.
 *
 * I1  A known value is taken out as it is and as it looks in JSON, in a URL and in base64, wherever it stands
 *     in the encoded text.
 * I2  What merely looks like a secret is taken out by its shape. Digests, commit ids, UUIDs and the ids of
 *     tool calls have no such shape.
 * I3  Redacting twice changes nothing more.
 * I4  Every pattern is anchored or bounded, so that the time grows with the text and not faster.
 *
 * Source: springdrift 4 (the shapes). Differs: it is applied to everything that is recorded, not to five fields.
 */
import { hiddenSearch } from '@retainer/mind/gate/provenance/hidden-forms';

export interface SecretValue {
  /** Stands in the text instead of the value, so it must tell nothing: the name of the variable or the file. */
  readonly name: string;
  readonly value: string;
}

export interface SecretPattern {
  readonly name: string;
  /** Global; the whole match goes. */
  readonly pattern: RegExp;
}

/** `member` is the name of the field that holds the text, where it stands in one. */
export type Redact = (text: string, member?: string) => string;

/** Shorter values are words of every text: taking them out would tear it and hide nothing. */
const SECRET_CHARS_MIN = 8;

/** Longer texts come again with every turn: those in which nothing was found are remembered, 8 MB of them at most. */
const REMEMBERED_CHARS_MIN = 128;
const REMEMBERED_CHARS_MAX = 16 * 1024;
const REMEMBERED_TEXTS_MAX = 256;

/** A part of an encoded value that is shorter than this is met by chance. */
const ENCODED_CHARS_MIN = 10;

/**
 * @param secrets  known values; white space around them is ignored, as are those below 8 characters
 * @param extraPatterns  shapes of the installation's own
 * @returns replaces each secret by `[secret:NAME]`
 */
export function redactor(secrets: readonly SecretValue[], extraPatterns: readonly SecretPattern[] = []): Redact {
  const nameByText = new Map<string, string>();
  for (const { name, value } of secrets) {
    const trimmed = value.trim();
    if (trimmed.length < SECRET_CHARS_MIN) continue;
    for (const text of encodings(trimmed)) if (!nameByText.has(text)) nameByText.set(text, name);
  }
  const texts = [...nameByText.keys()].toSorted((a, b) => b.length - a.length);
  const known = new RegExp(texts.map(escapeRegExp).join('|'), 'g');
  const replaceKnown: Redact = (text) => {
    // Looking for each is much faster than the one pattern for all, and mostly finds nothing.
    if (!texts.some((each) => text.includes(each))) return text;
    return text.replaceAll(known, (found) => mark(nameByText.get(found) ?? 'value'));
  };
  const clean = new Set<string>();
  return (text, member) => {
    if (text.length < SECRET_CHARS_MIN) return text;
    if (member !== undefined && isSecretMember(member, text)) return mark('field');
    if (clean.has(text)) return text;
    const withoutShapes = replaceShapes(replacePrivateKeys(replaceKnown(text)));
    const redacted = extraPatterns.reduce(
      (rest, { name, pattern }) => rest.replaceAll(pattern, mark(name)),
      withoutShapes,
    );
    if (redacted === text && text.length >= REMEMBERED_CHARS_MIN && text.length <= REMEMBERED_CHARS_MAX) {
      if (clean.size >= REMEMBERED_TEXTS_MAX) clean.clear();
      clean.add(text);
    }
    return redacted;
  };
}

/**
 * Tells whether the arguments of a call, canonical JSON, hold one of the secrets, plain or in any form that `hidden-forms.ts`
 * knows. What is recorded of a call has lost the plain ones.
 */
export function secretFinder(secrets: readonly SecretValue[]): (argumentsText: string) => boolean {
  const values = secrets.map(({ value }) => value.trim()).filter((value) => value.length >= SECRET_CHARS_MIN);
  return (argumentsText) => {
    if (values.length === 0) return false;
    const search = hiddenSearch(argumentsText);
    return values.some((value) => search.holds(value));
  };
}

/** A field by such a name holds a secret, whatever it looks like. */
function isSecretMember(member: string, text: string): boolean {
  return SECRET_MEMBER.test(member) && !text.startsWith('[secret:');
}

function mark(name: string): string {
  return `[secret:${name}]`;
}

function encodings(value: string): readonly string[] {
  const escaped = JSON.stringify(value).slice(1, -1);
  // Through bytes and back, because half a character cannot stand in a URL.
  const inUrl = encodeURIComponent(Buffer.from(value, 'utf8').toString('utf8'));
  const base64 = [0, 1, 2].flatMap((offset) => base64Core(value, offset));
  const texts = [
    value,
    escaped,
    inUrl,
    inUrl.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    inUrl.replaceAll('%20', '+'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  return [...new Set(texts)];
}

/** The characters of base64 that depend on the value alone when it starts `offset` bytes after a group of three. */
function base64Core(value: string, offset: number): readonly string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value, 'utf8')]);
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor((bytes.length * 8) / 6);
  const core = bytes.toString('base64').slice(first, end);
  return core.length < ENCODED_CHARS_MIN ? [] : [core];
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, (character) => `\\${character}`);
}

const KEY_START = /-----BEGIN (?:[A-Z]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END (?:[A-Z]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;

/** From each start of a private key to its end; a key whose end was cut off goes to the end of the text. */
function replacePrivateKeys(text: string): string {
  const kept: string[] = [];
  let position = 0;
  for (;;) {
    KEY_START.lastIndex = position;
    const start = KEY_START.exec(text);
    if (start === null) break;
    kept.push(text.slice(position, start.index), mark('private-key'));
    KEY_END.lastIndex = start.index;
    const end = KEY_END.exec(text);
    if (end === null) return kept.join('');
    position = end.index + end[0].length;
  }
  return kept.length === 0 ? text : kept.join('') + text.slice(position);
}

/** What ends the name of a field or a variable that holds a secret. */
const SECRET_NAME =
  '(?:secret|token|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|credentials?)';
const SECRET_MEMBER = new RegExp(`${SECRET_NAME}$`, 'i');
const ENV_NAME = '(?:SECRET|TOKEN|PASSW(?:OR)?D|PASSPHRASE|API_?KEY|ACCESS_?KEY|SECRET_?KEY|PRIVATE_?KEY|CREDENTIALS?)';

/** Words that stand where a secret would and are none, and what was redacted already. */
const NO_SECRET = '(?!\\[secret:|true\\b|false\\b|null\\b|undefined\\b)';

/** An unquoted value, or the rest of a quoted one up to the first space. */
const VALUE = '[^\\s"\'`,;]{8,}';

interface Shape {
  /** One of these stands in every text that the pattern fits: looking for them is many times faster. Small letters with `i`. */
  readonly hints: readonly string[];
  readonly pattern: RegExp;
  readonly replace: string;
}

function apiKey(hint: string, rest: string): Shape {
  return { hints: [hint], pattern: new RegExp(`(?<![A-Za-z0-9_-])${hint}${rest}`, 'g'), replace: mark('api-key') };
}

const NAME_HINTS = ['secret', 'token', 'passw', 'passphrase', 'key', 'credential'];
const ENV_HINTS = NAME_HINTS.map((hint) => hint.toUpperCase());

/** In this order: the particular before the general. */
const SHAPES: readonly Shape[] = [
  {
    hints: ['eyJ'],
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
    replace: mark('jwt'),
  },
  apiKey('sk-', '[A-Za-z0-9_-]{20,}'),
  ...['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'].map((hint) => apiKey(hint, '[A-Za-z0-9]{16,}')),
  ...['ghp_', 'gho_', 'ghs_', 'ghu_', 'ghr_'].map((hint) => apiKey(hint, '[A-Za-z0-9]{30,}')),
  apiKey('github_pat_', '[A-Za-z0-9_]{22,}'),
  apiKey('glpat-', '[A-Za-z0-9_-]{20,}'),
  apiKey('xox', '[abeoprs]-[A-Za-z0-9-]{10,}'),
  ...['AKIA', 'ASIA'].map((hint) => apiKey(hint, '[0-9A-Z]{16}(?![0-9A-Za-z])')),
  apiKey('AIza', '[0-9A-Za-z_-]{35}'),
  apiKey('npm_', '[A-Za-z0-9]{36}'),
  apiKey('hf_', '[A-Za-z0-9]{30,}'),
  apiKey('pypi-', '[A-Za-z0-9_-]{50,}'),
  {
    hints: ['bearer', 'basic'],
    pattern: /(bearer|basic)([ \t]{1,8})(?!\[secret:)[A-Za-z0-9._~+/=-]{20,}/gi,
    replace: `$1$2${mark('authorization')}`,
  },
  {
    hints: ['://'],
    pattern: /(:\/\/[^\s:@/?#]{0,128}:)(?!\[secret:)[^\s@/?#]{1,256}(?=@)/g,
    replace: `$1${mark('url-password')}`,
  },
  {
    hints: NAME_HINTS,
    pattern: new RegExp(`(${SECRET_NAME}["']\\s{0,8}:\\s{0,8}")${NO_SECRET}(?:[^"\\\\\\n]|\\\\.){6,}(?=")`, 'gi'),
    replace: `$1${mark('field')}`,
  },
  {
    hints: ENV_HINTS,
    pattern: new RegExp(`(${ENV_NAME}=["']?)${NO_SECRET}${VALUE}`, 'g'),
    replace: `$1${mark('assignment')}`,
  },
  {
    hints: NAME_HINTS,
    pattern: new RegExp(
      `((?<!\\[(?=secret:))${SECRET_NAME}(?:=|:[ \\t]{0,4})["']?)${NO_SECRET}(?=[^\\s"'\`,;]{0,256}[0-9])${VALUE}`,
      'gi',
    ),
    replace: `$1${mark('assignment')}`,
  },
  {
    hints: ['passw'],
    pattern: new RegExp(`(passw(?:or)?d(?:=|:[ \\t]{0,4})["']?)${NO_SECRET}${VALUE}`, 'gi'),
    replace: `$1${mark('assignment')}`,
  },
];

/** One of the hints, in capitals or small letters: almost no text has one, and one look for all of them finds that out. */
const ANY_HINT = new RegExp([...new Set(SHAPES.flatMap(({ hints }) => hints))].map(escapeRegExp).join('|'), 'i');

function replaceShapes(text: string): string {
  if (!ANY_HINT.test(text)) return text;
  const small = text.toLowerCase();
  const near = SHAPES.filter(({ hints, pattern }) =>
    hints.some((hint) => (pattern.ignoreCase ? small : text).includes(hint)),
  );
  return near.reduce((rest, { pattern, replace }) => rest.replaceAll(pattern, replace), text);
}
