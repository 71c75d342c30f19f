/**
 * `type/subtype; name=value`, as Content-Type and Content-Disposition have it. Comments and quoting are handled; the first of two
 * parameters of the same name counts.
 *
 * Source: RFC 2045 5.1.
 */
export interface Parameters {
  /** Lower case; empty where there is none. */
  readonly value: string;
  /** Names in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Characters of a field that are looked at. RFC 2231 continues long names in pieces; none is this long. */
const CHARACTERS_MAX = 4096;

export function parametersOf(field: string): Parameters {
  const [value = '', ...rest] = sections(field.slice(0, CHARACTERS_MAX));
  const parameters = new Map<string, string>();
  for (const section of rest) {
    const equals = section.indexOf('=');
    const name = (equals === -1 ? section : section.slice(0, equals)).trim().toLowerCase();
    if (name !== '' && !parameters.has(name))
      parameters.set(name, equals === -1 ? '' : section.slice(equals + 1).trim());
  }
  return { value: value.trim().toLowerCase(), parameters };
}

interface Scan {
  text: string;
  /** Comments that are open. */
  depth: number;
  isQuoted: boolean;
}

/** Parts between semicolons, unquoted and without comments. */
function sections(field: string): readonly string[] {
  const all: string[] = [];
  const scan: Scan = { text: '', depth: 0, isQuoted: false };
  for (let index = 0; index < field.length; index += 1) {
    const character = field.charAt(index);
    if (character === '\\' && (scan.isQuoted || scan.depth > 0)) {
      index += 1;
      if (scan.isQuoted) scan.text += field.charAt(index);
    } else if (character === ';' && !scan.isQuoted && scan.depth === 0) {
      all.push(scan.text);
      scan.text = '';
    } else {
      take(character, scan);
    }
  }
  return [...all, scan.text];
}

function take(character: string, scan: Scan): void {
  if (character === '"' && scan.depth === 0) scan.isQuoted = !scan.isQuoted;
  else if (scan.isQuoted) scan.text += character;
  else if (character === '(') scan.depth += 1;
  else if (character === ')' && scan.depth > 0) scan.depth -= 1;
  else if (scan.depth === 0) scan.text += character;
}
