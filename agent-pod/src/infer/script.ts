/**
 * Reads the scripted model's script: parses, checks and compiles it. Pure.
 *
 * A script is an ordered list of rules; the first whose `when` holds answers. Rules test the request alone, never earlier
 * answers, so equal requests get equal answers. `docs/scripted-model.md` explains the format.
 *
 * I1  A template inserts only captures from the present request, or the id of its newest tool result. Loading checks every
 *     insertion against the rule's patterns.
 * I2  Patterns are RE2, so a script cannot make the model hang.
 */
import { err, ok, type Result } from '@retainer/contract/std/result';
import { RE2JS } from 're2js';
import { LineCounter, parseDocument, type Document } from 'yaml';
import { Script, sourcePatterns, type ScriptRule } from './script-schema.ts';
import { faultyInsertions, type CapturingSource } from './script-template.ts';

/** Far above any script written by hand. */
export const SCRIPT_CHARS_MAX = 1024 * 1024;

export interface CompiledRule extends ScriptRule {
  /** Every pattern of the rule, by its text. */
  readonly patterns: ReadonlyMap<string, RE2JS>;
}

export interface CompiledScript {
  readonly rules: readonly CompiledRule[];
}

/** A fault of a script; `line` counts from 1. */
export interface ScriptError {
  readonly line: number;
  /** As in `rules[2].when.task`; empty for the whole script. */
  readonly path: string;
  readonly message: string;
}

/** Parses a script. @param text  YAML, at most {@link SCRIPT_CHARS_MAX}. @returns all errors in the order of the text */
export function parseScript(text: string): Result<CompiledScript, readonly ScriptError[]> {
  if (text.length > SCRIPT_CHARS_MAX)
    return err([{ line: 1, path: '', message: `longer than ${SCRIPT_CHARS_MAX} characters` }]);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length > 0)
    return err(document.errors.map(({ pos, message }) => ({ line: lines.linePos(pos[0]).line, path: '', message })));
  const lineOf = (path: readonly PropertyKey[]): number => lineOfPath(document, lines, path);
  const parsed = Script.safeParse(document.toJS({ maxAliasCount: 100 }));
  if (!parsed.success)
    return err(
      parsed.error.issues.map(({ path, message }) => ({ line: lineOf(path), path: renderPath(path), message })),
    );
  const compiled = parsed.data.rules.map(compileRule);
  const errors = compiled.flatMap(({ faults }, index) =>
    faults.map((message) => ({ line: lineOf(['rules', index]), path: `rules[${index}]`, message })),
  );
  return errors.length > 0 ? err(errors) : ok({ rules: compiled.map(({ rule }) => rule) });
}

/** One line for people: `line 12, rules[2].when: …`. */
export function renderScriptError({ line, path, message }: ScriptError): string {
  return `line ${line}${path === '' ? '' : `, ${path}`}: ${message}`;
}

function compileRule(rule: ScriptRule): { readonly rule: CompiledRule; readonly faults: readonly string[] } {
  const patterns = new Map<string, RE2JS>();
  const faults: string[] = [];
  for (const text of patternsOf(rule)) {
    try {
      patterns.set(text, RE2JS.compile(text));
    } catch (error) {
      faults.push(`pattern ${JSON.stringify(text)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const compiled = { ...rule, patterns };
  if (faults.length > 0) return { rule: compiled, faults };
  return { rule: compiled, faults: faultyInsertions(rule, capturingSources(compiled)) };
}

function patternsOf({ when, answer }: ScriptRule): readonly string[] {
  const parts = Array.isArray(answer?.text) ? answer.text : [];
  const eaches = parts.flatMap((part) => (typeof part === 'string' ? [] : [part.each.pattern]));
  const results = (when.results ?? []).map(({ text }) => text);
  return [...Object.values(sourcePatterns(when)), ...results, ...eaches].filter((pattern) => pattern !== undefined);
}

function capturingSources({ when, patterns }: CompiledRule): ReadonlyMap<string, CapturingSource> {
  const sources = new Map<string, CapturingSource>();
  for (const [name, text] of Object.entries(sourcePatterns(when))) {
    const pattern = text === undefined ? undefined : patterns.get(text);
    if (pattern !== undefined) sources.set(name, pattern);
  }
  return sources;
}

function lineOfPath(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isRanged(node)) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

function isRanged(node: unknown): node is { readonly range: readonly [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}

function renderPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`))
    .join('');
}
