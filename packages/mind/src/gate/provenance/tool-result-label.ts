/**
 * The label of a tool's result, where its outcome was recorded without one.
 *
 * Decided for the worst case: what a file, a page or a program said is data of a stranger, unless this cycle can show that it
 * wrote the file itself from what it may believe (`read-so-far.ts`). What a tool says in its own words is believed.
 *
 * Source: reliability-security 4 (anyone's tool result is untrusted text).
 */
import type { ToolFacts, ToolOutputFacts } from '../tool-facts.ts';
import type { Label } from './label.ts';

export function toolResultLabel({ name: tool, output }: ToolFacts, input: unknown): Label {
  const { source: kind, trust, readers } = output;
  // What a tool says and nobody believes is at least known to be that tool's word.
  const name = nameIn(output, input) ?? (kind === 'Tool' && trust === 'Untrusted' ? tool : undefined);
  return { source: { kind, ...(name === undefined ? {} : { name }) }, trust, readers };
}

/** Characters of a path: longer ones are no name. */
const NAME_CHARACTERS = 256;

function nameIn({ name }: ToolOutputFacts, input: unknown): string | undefined {
  if (name === undefined || typeof input !== 'object' || input === null) return undefined;
  const value = (input as Readonly<Record<string, unknown>>)[name];
  if (typeof value !== 'string') return undefined;
  if (name !== 'url') return value.slice(0, NAME_CHARACTERS);
  return URL.canParse(value) ? new URL(value).hostname : undefined;
}
