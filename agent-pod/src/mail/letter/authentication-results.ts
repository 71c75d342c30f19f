/**
 * One Authentication-Results field, parsed by the letter of its standard. Whatever is not of that form has no results.
 *
 * Source: RFC 8601 2.2.
 */
export interface MethodResult {
  /** Lower case: `dmarc`. */
  readonly method: string;
  /** Lower case: `pass`. */
  readonly result: string;
  /** `header.from` to its value as it was written. */
  readonly properties: ReadonlyMap<string, string>;
}

export interface AuthenticationResults {
  /** Lower case. */
  readonly serviceId: string;
  /** Empty: the service says that it looked at nothing. */
  readonly results: readonly MethodResult[];
}

type Token = { readonly kind: 'Word'; readonly text: string } | { readonly kind: 'Sign'; readonly text: string };

/** Of a field: no provider writes longer ones. */
const CHARACTERS_MAX = 8192;

/** @returns undefined where the value is not of the standard's form */
export function authenticationResultsOf(value: string): AuthenticationResults | undefined {
  const tokens = value.length > CHARACTERS_MAX ? undefined : tokensOf(value);
  const [head = [], ...rest] = splitAt(tokens ?? [], ';');
  const serviceId = serviceIdOf(head);
  if (serviceId === undefined) return undefined;
  // Some providers end the last result with a semicolon.
  const sections = rest.at(-1)?.length === 0 ? rest.slice(0, -1) : rest;
  if (sections.length === 1 && isNone(sections[0] ?? [])) return { serviceId, results: [] };
  const results = sections.map(methodResultOf);
  return results.every((result) => result !== undefined) && results.length > 0 ? { serviceId, results } : undefined;
}

function serviceIdOf(head: readonly Token[]): string | undefined {
  const [id, version, ...more] = head;
  if (id?.kind !== 'Word' || more.length > 0) return undefined;
  if (version !== undefined && !(version.kind === 'Word' && version.text === '1')) return undefined;
  return id.text.toLowerCase();
}

function isNone(section: readonly Token[]): boolean {
  const [word] = section;
  return section.length === 1 && word?.kind === 'Word' && word.text.toLowerCase() === 'none';
}

/** `method[/version] = result [reason = value] *(ptype . property = value)`. */
function methodResultOf(section: readonly Token[]): MethodResult | undefined {
  const pairs = pairsOf(section);
  const [first, ...rest] = pairs ?? [];
  if (first === undefined) return undefined;
  const method = /^([a-z][a-z0-9-]*)(\/1)?$/i.exec(first.name)?.[1];
  if (method === undefined || !/^[a-z][a-z0-9-]*$/i.test(first.value)) return undefined;
  const properties = new Map<string, string>();
  for (const { name, value } of rest) {
    const key = name.toLowerCase();
    // Beside `reason` and `ptype.property`, providers write words of their own.
    if (!/^[a-z][a-z0-9_-]*(\.[a-z0-9][a-z0-9_-]*)?$/.test(key)) return undefined;
    // Twice the same property: which of the two counts is anybody's guess.
    if (properties.has(key)) return undefined;
    properties.set(key, value);
  }
  return { method: method.toLowerCase(), result: first.value.toLowerCase(), properties };
}

function pairsOf(section: readonly Token[]): readonly { name: string; value: string }[] | undefined {
  const pairs: { name: string; value: string }[] = [];
  for (let index = 0; index < section.length; index += 3) {
    const [name, sign, value] = section.slice(index, index + 3);
    if (name?.kind !== 'Word' || sign?.kind !== 'Sign' || sign.text !== '=' || value?.kind !== 'Word') return undefined;
    pairs.push({ name: name.text, value: value.text });
  }
  return pairs;
}

function splitAt(tokens: readonly Token[], sign: string): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'Sign' && token.text === sign) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** Words, quoted words, `;` and `=`; comments are left out. Undefined: a quote or comment does not end, or a character is odd. */
function tokensOf(value: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  let index = 0;
  while (index < value.length) {
    const character = value.charAt(index);
    if (character === ' ' || character === '\t') index += 1;
    else if (character === '(') {
      const end = commentEnd(value, index);
      if (end === undefined) return undefined;
      index = end;
    } else if (character === ';' || character === '=') {
      tokens.push({ kind: 'Sign', text: character });
      index += 1;
    } else {
      const word = character === '"' ? quotedAt(value, index) : plainAt(value, index);
      if (word === undefined) return undefined;
      tokens.push({ kind: 'Word', text: word.text });
      index = word.end;
    }
  }
  return tokens;
}

function commentEnd(value: string, start: number): number | undefined {
  let depth = 0;
  for (let index = start; index < value.length; index += 1) {
    const character = value.charAt(index);
    if (character === '\\') index += 1;
    else if (character === '(') depth += 1;
    else if (character === ')') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}

function quotedAt(value: string, start: number): { text: string; end: number } | undefined {
  let text = '';
  for (let index = start + 1; index < value.length; index += 1) {
    const character = value.charAt(index);
    if (character === '"') return { text, end: index + 1 };
    if (character === '\\') index += 1;
    text += value.charAt(index);
  }
  return undefined;
}

/** A token, a domain or an address without quotes. */
function plainAt(value: string, start: number): { text: string; end: number } | undefined {
  const text = /^[^\s;=()"\\<>,\u0000-\u001f\u007f]+/u.exec(value.slice(start))?.[0];
  return text === undefined ? undefined : { text, end: start + text.length };
}
