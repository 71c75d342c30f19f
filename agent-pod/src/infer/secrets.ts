/**
 * Removes secrets from texts before they are recorded. Pure.
 *
 * I1  A known value is removed in plain form, as encoded in JSON and URLs, and in every form in which the gates look for it.
 * I2  Unknown secrets are removed by their shape. Digests, commit ids, UUIDs and tool call ids have no such shape.
 * I3  Redaction is idempotent.
 * I4  Every pattern is anchored or bounded, so that the time is linear in the text.
 *
 * Source: springdrift 4 (the shapes). Differs: it is applied to everything that is recorded, not to five fields.
 */
import { hiddenSearch } from '@retainer/mind/gate/provenance/hidden-forms';
import { hiddenSecretFinder } from './hidden-secrets.ts';

export interface SecretValue {
  /** Replaces the value in the text, so it must reveal nothing: the name of the variable or the file. */
  readonly name: string;
  readonly value: string;
}

export interface SecretPattern {
  readonly name: string;
  /** Global; the whole match is removed. */
  readonly pattern: RegExp;
}

/** @param member  name of the field that holds the text, if any */
export type Redact = (text: string, member?: string) => string;

/** Shorter values occur in every text: removing them would damage it and hide nothing. */
const SECRET_CHARS_MIN = 8;

/** Longer texts recur with every turn, so the clean ones are cached, at most 8 MB. */
const REMEMBERED_CHARS_MIN = 128;
const REMEMBERED_CHARS_MAX = 16 * 1024;
const REMEMBERED_TEXTS_MAX = 256;

/**
 * @param secrets  known values; surrounding white space and values below 8 characters are ignored
 * @param extraPatterns  shapes configured for the installation
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
    // Much faster than the one pattern for all, and usually finds nothing.
    if (!texts.some((each) => text.includes(each))) return text;
    return text.replaceAll(known, (found) => mark(nameByText.get(found) ?? 'value'));
  };
  const hiddenIn = hiddenSecretFinder(secrets.map(({ name, value }) => ({ name, value: value.trim() })));
  const replaceHidden: Redact = (text) => {
    let at = 0;
    const parts = hiddenIn(text).flatMap(({ name, start, end }) => {
      const part = [text.slice(at, start), mark(name)];
      at = end;
      return part;
    });
    return at === 0 ? text : parts.join('') + text.slice(at);
  };
  const clean = new Set<string>();
  return (text, member) => {
    if (text.length < SECRET_CHARS_MIN) return text;
    if (member !== undefined && isSecretMember(member, text)) return mark('field');
    if (clean.has(text)) return text;
    const withoutShapes = replaceBareKeys(replaceShapes(replacePrivateKeys(replaceHidden(replaceKnown(text)))));
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
 * Makes a test whether the arguments of a call, as canonical JSON, contain a secret, plain or in a form of `hidden-forms.ts`.
 * Recorded calls no longer contain the plain ones.
 */
export function secretFinder(secrets: readonly SecretValue[]): (argumentsText: string) => boolean {
  const values = secrets.map(({ value }) => value.trim()).filter((value) => value.length >= SECRET_CHARS_MIN);
  return (argumentsText) => {
    if (values.length === 0) return false;
    const search = hiddenSearch(argumentsText);
    return values.some((value) => search.holds(value));
  };
}

/** A field with such a name holds a secret of any shape. */
function isSecretMember(member: string, text: string): boolean {
  return isSecretName(member) && !text.startsWith('[secret:');
}

/** Records use few names, again and again; foreign arguments can bring any number of others. */
const SECRET_NAMES_MAX = 1024;
const secretNames = new Map<string, boolean>();

function isSecretName(member: string): boolean {
  const known = secretNames.get(member);
  if (known !== undefined) return known;
  const isSecret = SECRET_MEMBER.test(member);
  if (secretNames.size >= SECRET_NAMES_MAX) secretNames.clear();
  secretNames.set(member, isSecret);
  return isSecret;
}

function mark(name: string): string {
  return `[secret:${name}]`;
}

function encodings(value: string): readonly string[] {
  const escaped = JSON.stringify(value).slice(1, -1);
  // Through bytes and back, because half a character cannot be URL-encoded.
  const inUrl = encodeURIComponent(Buffer.from(value, 'utf8').toString('utf8'));
  const texts = [
    value,
    escaped,
    inUrl,
    inUrl.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    inUrl.replaceAll('%20', '+'),
  ];
  return [...new Set(texts)];
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, (character) => `\\${character}`);
}

const KEY_START = /-----BEGIN (?:[A-Z]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END (?:[A-Z]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;

/** Replaces each private key from its start to its end, or to the end of the text if its end is missing. */
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

/** Endings of the names of fields and variables with secrets. */
const SECRET_NAME =
  '(?:secret|token|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|credentials?)';
const SECRET_MEMBER = new RegExp(`${SECRET_NAME}$`, 'i');
const ENV_NAME = '(?:SECRET|TOKEN|PASSW(?:OR)?D|PASSPHRASE|API_?KEY|ACCESS_?KEY|SECRET_?KEY|PRIVATE_?KEY|CREDENTIALS?)';

/** Words that are no secrets, and redacted values. */
const NO_SECRET = '(?!\\[secret:|true\\b|false\\b|null\\b|undefined\\b)';

/** An unquoted value, or the rest of a quoted one up to the first space. */
const VALUE = '[^\\s"\'`,;]{8,}';

interface Shape {
  /** Every match contains one of these, and the search for them is much faster. Lower case with the flag `i`. */
  readonly hints: readonly string[];
  readonly pattern: RegExp;
  readonly replace: string;
}

function apiKey(hint: string, rest: string): Shape {
  return { hints: [hint], pattern: new RegExp(`(?<![A-Za-z0-9_-])${hint}${rest}`, 'g'), replace: mark('api-key') };
}

const NAME_HINTS = ['secret', 'token', 'passw', 'passphrase', 'key', 'credential'];
const ENV_HINTS = NAME_HINTS.map((hint) => hint.toUpperCase());

/** Specific shapes before general ones. */
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
    hints: ['aws'],
    pattern:
      /(aws_?(?:secret_?)?(?:access_?)?key["']?\s{0,8}[:=]\s{0,8}["']?)(?!\[secret:)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/gi,
    replace: `$1${mark('api-key')}`,
  },
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

/** Finds any hint, in either case. Almost no text has one, so one search is usually enough. */
const ANY_HINT = new RegExp([...new Set(SHAPES.flatMap(({ hints }) => hints))].map(escapeRegExp).join('|'), 'i');

function replaceShapes(text: string): string {
  if (!ANY_HINT.test(text)) return text;
  const small = text.toLowerCase();
  const near = SHAPES.filter(({ hints, pattern }) =>
    hints.some((hint) => (pattern.ignoreCase ? small : text).includes(hint)),
  );
  return near.reduce((rest, { pattern, replace }) => rest.replaceAll(pattern, replace), text);
}

/** A secret key of AWS has no prefix: forty signs of base64 that change from one kind of sign to another as only chance does. */
const BARE_KEY = /(?<![A-Za-z0-9/+_.-])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_.-])/g;

/** Of 39 places, 25 change on average where chance made the key; in paths and names of forty signs, about ten. */
const CHANGES_MIN = 15;

/** Longer texts are searched only where something speaks of such keys: a search of everything recorded would take too long. */
const BARE_KEY_CHARACTERS_MAX = 2048;
const BARE_KEY_HINT = /aws|akia|asia|secret|credential/i;

function replaceBareKeys(text: string): string {
  if (text.length < 40 || (text.length > BARE_KEY_CHARACTERS_MAX && !BARE_KEY_HINT.test(text))) return text;
  return text.replaceAll(BARE_KEY, (run) => (isByChance(run) ? mark('api-key') : run));
}

function isByChance(run: string): boolean {
  const kinds = Array.from(run, (sign) => SIGN_KINDS.findIndex((kind) => kind.test(sign)));
  const changes = kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length;
  return changes >= CHANGES_MIN && SIGN_KINDS.slice(0, -1).every((_kind, index) => kinds.includes(index));
}

const SIGN_KINDS = [/[A-Z]/, /[a-z]/, /[0-9]/, /[/+]/];
