/**
 * A node of YAML as the JSON value that kubectl makes of it: words and numbers as in `plain-scalar.ts`, merge keys, aliases, tags.
 *
 * I1 A value holds at most {@link ALIASED_PARTS_MAX} parts from aliases, and no alias holds itself.
 * I2 A key stands once in its map; a merged key may stand again.
 */
import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Alias, Document, Node, Pair, Scalar, YAMLMap } from 'yaml';
import { err, ok, type Result } from '../std/result.ts';
import { isRecord } from './cel-rules.ts';
import { plainScalar } from './plain-scalar.ts';

/** A thousand objects of a hundred fields each, all from aliases: nobody writes that, and it is read in a fraction of a second. */
const ALIASED_PARTS_MAX = 100_000;
/** Our kinds have some twenty levels. Whatever walks a value may call itself for each. */
export const YAML_DEPTH_MAX = 500;

/** A fault of the YAML itself. */
export interface YamlFault {
  readonly found: string;
  readonly allowed: string;
  /** Index of a character of the text. */
  readonly at: number;
}

/** @returns the value, or all faults on the way to it */
export function yamlValue(document: Document): Result<unknown, readonly YamlFault[]> {
  const reading = new Reading(document);
  const value = reading.value(document.contents);
  return reading.faults.length > 0 ? err(reading.faults) : ok(value);
}

class Reading {
  readonly faults: YamlFault[] = [];
  readonly #document: Document;
  readonly #open = new Set<unknown>();
  /** The library looks through the whole document for each alias. */
  readonly #targets = new Map<Alias, unknown>();
  #aliases = 0;
  #aliasedParts = 0;

  constructor(document: Document) {
    this.#document = document;
  }

  value(node: unknown): unknown {
    if (this.#aliases > 0) this.#aliasedParts += 1;
    if (this.#aliasedParts > ALIASED_PARTS_MAX) return this.#tooMuch(node);
    if (isAlias(node)) return this.#ofAlias(node, (target) => this.value(target));
    if (isScalar(node)) return this.#scalar(node);
    if (isSeq(node)) return this.#inside(node, () => node.items.map((item) => this.value(item)));
    if (isMap(node)) return this.#inside(node, () => this.#map(node));
    return null;
  }

  #fault(found: string, allowed: string, node: unknown): undefined {
    this.faults.push({ found, allowed, at: startOf(node) });
    return undefined;
  }

  /** Told once: what is left of the document is passed over. */
  #tooMuch(node: unknown): undefined {
    const found = `more than ${ALIASED_PARTS_MAX} parts from aliases`;
    if (this.faults.at(-1)?.found === found) return undefined;
    return this.#fault(found, 'YAML without excessive aliases', node);
  }

  #map(map: YAMLMap): Readonly<Record<string, unknown>> {
    const members = new Map<string, unknown>();
    const own = new Set<string>();
    for (const pair of map.items) {
      if (this.#aliasedParts > ALIASED_PARTS_MAX) break;
      if (isMergeKey(pair)) {
        for (const [key, value] of this.#merged(pair.value)) members.set(key, value);
        continue;
      }
      const key = this.#key(pair.key);
      if (key === undefined) continue;
      if (own.has(key)) this.#fault(`the key ${key} again`, 'each key once in a map', pair.key);
      own.add(key);
      members.set(key, this.value(pair.value));
    }
    return Object.fromEntries(members);
  }

  /** Of several maps the first that has a key counts. Source: goyaml.v2, decode.go, `merge`. */
  #merged(node: unknown): ReadonlyMap<string, unknown> {
    if (isAlias(node)) return this.#ofAlias(node, (target) => this.#merged(target)) ?? new Map<string, unknown>();
    const merged = new Map<string, unknown>();
    for (const map of isSeq(node) ? node.items.toReversed() : [node]) {
      const value = this.value(map);
      if (isRecord(value)) for (const [key, member] of Object.entries(value)) merged.set(key, member);
      else if (value !== undefined)
        this.#fault('a merge of what is no map', 'a map after <<, or a list of maps', map ?? node);
    }
    return merged;
  }

  #key(node: unknown): string | undefined {
    const value = this.value(node);
    if (typeof value === 'object') return this.#fault('a key that is no text', 'a text, number or truth value', node);
    return typeof value === 'string' || value === undefined ? value : JSON.stringify(value);
  }

  #ofAlias<T>(alias: Alias, read: (target: unknown) => T): T | undefined {
    const target = this.#targets.get(alias) ?? alias.resolve(this.#document);
    this.#targets.set(alias, target);
    if (target === undefined)
      return this.#fault(`the alias *${alias.source}`, 'an alias whose anchor stands before it', alias);
    this.#aliases += 1;
    const value = read(target);
    this.#aliases -= 1;
    return value;
  }

  /** I1: whoever meets itself on the way down would never end. */
  #inside<T>(node: Node, read: () => T): T | undefined {
    if (this.#open.has(node))
      return this.#fault('an anchor that contains itself', 'an anchor without its own alias', node);
    if (this.#open.size >= YAML_DEPTH_MAX)
      return this.#fault('YAML that is nested too deep', `at most ${YAML_DEPTH_MAX} levels`, node);
    this.#open.add(node);
    const value = read();
    this.#open.delete(node);
    return value;
  }

  /** Every scalar was read as its text. */
  #scalar(node: Scalar): unknown {
    const text = typeof node.value === 'string' ? node.value : '';
    const tag = node.tag?.replace(/^tag:yaml\.org,2002:/, '');
    if (tag === 'binary') return textOfBase64(text) ?? this.#fault('!!binary before no such text', 'base64', node);
    const type = tagTypes[tag ?? ''];
    // Any other tag, `!` and `!!str` too, makes it the text that stands there.
    if (type === undefined && (tag !== undefined || node.type !== 'PLAIN')) return text;
    const value = plainScalar(text);
    if (!value.ok) return this.#fault(value.error, 'a number that JSON has', node);
    if (type !== undefined && typeof value.value !== type)
      return this.#fault(`!!${tag} before ${JSON.stringify(text)}`, `a value of the type ${tag}`, node);
    return value.value;
  }
}

const tagTypes: Readonly<Record<string, string>> = { int: 'number', float: 'number', bool: 'boolean', null: 'object' };

/** Quoted, it is a key like any other. */
function isMergeKey({ key }: Pair): boolean {
  return isScalar(key) && key.value === '<<' && (key.type === 'PLAIN' || key.tag === 'tag:yaml.org,2002:merge');
}

function textOfBase64(text: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function startOf(node: unknown): number {
  const range = (node as { readonly range?: readonly number[] | null } | null)?.range;
  return range?.[0] ?? 0;
}
