/** Parses the input of `retainer gate check`: one text, or a line of JSON for each text or call. */
import type { TriedCall } from '@retainer/agent-pod/review/check-gate';
import { err, ok, type Result } from '@retainer/contract/std/result';

export type GateInput =
  | { readonly kind: 'Text'; readonly id: string | undefined; readonly text: string }
  | { readonly kind: 'Call'; readonly id: string | undefined; readonly call: TriedCall };

export interface NumberedInput {
  /** From 1. */
  readonly line: number;
  /** The error says what is wrong and what is allowed. */
  readonly input: Result<GateInput, string>;
}

export interface Inputs {
  readonly isLines: boolean;
  readonly inputs: readonly NumberedInput[];
}

/**
 * Reads lines if the first is a JSON object with `text` or `tool`, or if it begins like an object, is not the only line, and
 * the whole is no JSON document. Everything else is one text.
 *
 * @param areLines  true: reads lines in any case, for example because of the file's name
 */
export function parseInputs(source: string, areLines = false): Inputs {
  const lines = source.split('\n').map((text, index) => ({ line: index + 1, text: text.trim() }));
  const filled = lines.filter(({ text }) => text !== '');
  const [first] = filled;
  const looksLikeLines =
    first !== undefined && (isRow(first.text) || (filled.length > 1 && first.text.startsWith('{') && !isJson(source)));
  if (!areLines && !looksLikeLines) {
    return { isLines: false, inputs: [{ line: 1, input: ok({ kind: 'Text', id: undefined, text: source }) }] };
  }
  return { isLines: true, inputs: filled.map(({ line, text }) => ({ line, input: parseLine(text) })) };
}

function isRow(line: string): boolean {
  const row = objectOf(line);
  return row !== undefined && ('text' in row || 'tool' in row);
}

function isJson(source: string): boolean {
  try {
    JSON.parse(source);
    return true;
  } catch {
    // JSON.parse reports text that is none only by throwing.
    return false;
  }
}

function objectOf(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    // JSON.parse reports text that is none only by throwing.
    return undefined;
  }
}

const ALLOWED = '{"text": "…"} or {"tool": "…", "input": {…}}';

function parseLine(line: string): Result<GateInput, string> {
  const row = objectOf(line);
  if (row === undefined) return err(`not a JSON object; allowed: ${ALLOWED}`);
  const { text, tool, input, agent } = row;
  const id = typeof row['id'] === 'string' || typeof row['id'] === 'number' ? String(row['id']) : undefined;
  if (typeof text === 'string' && tool === undefined) return ok({ kind: 'Text', id, text });
  if (typeof tool !== 'string') return err(`text: must be a string; allowed: ${ALLOWED}`);
  if (typeof input !== 'object' || input === null)
    return err('input: must be an object with the arguments of the call');
  if (agent !== undefined && typeof agent !== 'string') return err('agent: must be the name of a role, or absent');
  return ok({ kind: 'Call', id, call: { tool, input, agent } });
}
