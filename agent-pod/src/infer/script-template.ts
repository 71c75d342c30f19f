/**
 * The template language of the scripted model. Pure.
 *
 * `{{SOURCE.GROUP}}` inserts the capture of a group of the rule's pattern for that source, by name or number (0 is the whole
 * match); an unused group inserts nothing. SOURCE is `task`, `system`, `text`, `last`, or `each` within an `each` part.
 * `{{last.callId}}` is the id of the newest tool result. A final `|json` makes a quoted JSON string, `|xml` escapes for XML.
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { RE2JS } from 're2js';
import type { ScriptRule } from './script-schema.ts';

/** The groups of a pattern, known when the script is loaded. */
export type CapturingSource = Pick<RE2JS, 'groupCount' | 'namedGroups'>;

/** The captures of one match, by number and by name. */
export type Captures = ReadonlyMap<string, string>;

/** By source name. */
export type Bindings = ReadonlyMap<string, Captures>;

const INSERTION = /\{\{([^{}]{0,200})\}\}/g;
const REFERENCE = /^\s*([a-z]+)\.([A-Za-z0-9_]+)\s*(?:\|\s*([a-z]+)\s*)?$/;

/** The one reference that is not a group. */
export const CALL_ID = 'callId';

const FILTERS: ReadonlyMap<string | undefined, (text: string) => string> = new Map([
  [undefined, (text: string) => text],
  ['json', (text: string) => JSON.stringify(text)],
  ['xml', escapeXml],
]);

export function firstMatch(pattern: RE2JS, text: string): Captures | undefined {
  return allMatches(pattern, text, 1)[0];
}

/** The captures of up to `limit` matches, in order. */
export function allMatches(pattern: RE2JS, text: string, limit: number): readonly Captures[] {
  const matcher = pattern.matcher(text);
  const names = Object.entries(pattern.namedGroups());
  const found: Captures[] = [];
  while (found.length < limit && matcher.find()) {
    const captures = new Map<string, string>();
    for (let group = 0; group <= pattern.groupCount(); group += 1)
      captures.set(String(group), matcher.group(group) ?? '');
    for (const [name, group] of names) captures.set(name, captures.get(String(group)) ?? '');
    found.push(captures);
  }
  return found;
}

/** Fills every insertion; loading the script refused invalid ones. */
export function renderTemplate(template: string, bindings: Bindings): string {
  return template.replaceAll(INSERTION, (_whole, body: string) => {
    const [, source = '', group = '', filter] = REFERENCE.exec(body) ?? [];
    const text = bindings.get(source)?.get(group) ?? '';
    return FILTERS.get(filter)?.(text) ?? text;
  });
}

/** Fills the insertions in all texts of a JSON value, except member names. */
export function renderJson(value: Json, bindings: Bindings): Json {
  if (typeof value === 'string') return renderTemplate(value, bindings);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((item) => renderJson(item, bindings));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, renderJson(member, bindings)]));
}

/** The insertions of a rule with an unknown source, group or filter, in words. */
export function faultyInsertions(rule: ScriptRule, sources: ReadonlyMap<string, CapturingSource>): readonly string[] {
  const text = rule.answer?.text;
  const parts = typeof text === 'string' ? [text] : (text ?? []);
  const inText = parts.flatMap((part) => {
    if (typeof part === 'string') return faultsOf(part, rule, sources);
    const each = RE2JS.compile(part.each.pattern);
    return faultsOf(part.text, rule, new Map(sources).set('each', each));
  });
  const inCalls = (rule.answer?.calls ?? []).flatMap(({ input }) => {
    return textsOf(input).flatMap((leaf) => faultsOf(leaf, rule, sources));
  });
  return [...inText, ...inCalls];
}

function faultsOf(
  template: string,
  rule: ScriptRule,
  sources: ReadonlyMap<string, CapturingSource>,
): readonly string[] {
  return [...template.matchAll(INSERTION)].flatMap(([whole, body = '']) => {
    const reference = REFERENCE.exec(body);
    if (reference === null)
      return [`${whole} is not a valid insertion: write {{source.group}} or {{source.group|json}}`];
    const [, source = '', group = '', filter] = reference;
    if (!FILTERS.has(filter)) return [`${whole}: no filter ${filter}: use json or xml`];
    if (source === 'last' && group === CALL_ID && rule.when.last !== undefined) return [];
    const pattern = sources.get(source);
    if (pattern === undefined) return [`${whole}: this rule has no pattern for ${source}`];
    const known = group in pattern.namedGroups() || Number(group) <= pattern.groupCount();
    return known ? [] : [`${whole}: the pattern for ${source} has no group ${group}`];
  });
}

function textsOf(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((member: Json) => textsOf(member));
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

const XML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes markup and drops the control characters that XML 1.0 cannot hold. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '')
    .replaceAll(/[&<>"']/g, (character) => XML_ESCAPES[character] ?? character);
}
