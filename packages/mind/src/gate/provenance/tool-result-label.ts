/**
 * The label of a tool's result whose outcome was recorded without one.
 *
 * It assumes the worst case: the content of a file, a page or a program's output is untrusted, unless the record shows that this
 * cycle wrote the file itself while it could trust its context (`read-so-far.ts`). A tool's own words are trusted.
 *
 * Source: reliability-security 4 (anyone's tool result is untrusted text).
 */
import type { ToolFacts, ToolOutputFacts } from '../tool-facts.ts';
import { OWNER, readersOf, type Label } from './label.ts';

/** @param principal  of the run */
export function toolResultLabel({ name: tool, output }: ToolFacts, input: unknown, principal = OWNER): Label {
  const { source: kind, trust } = output;
  const readers = output.readers === 'Everyone' ? output.readers : readersOf(principal);
  // An untrusted result of a tool can at least be attributed to that tool.
  const name = nameIn(output, input) ?? (kind === 'Tool' && trust === 'Untrusted' ? tool : undefined);
  return { source: { kind, ...(name === undefined ? {} : { name }) }, trust, readers };
}

/** Characters of a path; a longer text is not a name. */
const NAME_CHARACTERS = 256;

function nameIn({ name }: ToolOutputFacts, input: unknown): string | undefined {
  if (name === undefined || typeof input !== 'object' || input === null) return undefined;
  const value = (input as Readonly<Record<string, unknown>>)[name];
  if (typeof value !== 'string') return undefined;
  if (name !== 'url') return value.slice(0, NAME_CHARACTERS);
  return URL.canParse(value) ? new URL(value).hostname : undefined;
}
