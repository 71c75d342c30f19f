/** Whether a call of the cycle brought what somebody cites. */
import type { ReadItem } from './read-item.ts';
import type { KnownTools } from '../tool-facts.ts';

/** Characters. A shorter text stands in the arguments of any call. */
const CITED_CHARACTERS_MIN = 3;

/** @param cited  a path, an address, or another argument of a call that read a file, a page or the output of code */
export function isBrought(items: readonly ReadItem[], cited: string, known: KnownTools): boolean {
  if (cited.trim().length < CITED_CHARACTERS_MIN) return false;
  return items.some(
    ({ call }) => call !== undefined && isEvidence(call.tool, known) && textOf(call.input).includes(cited),
  );
}

/** What memory says was concluded before: it shows nothing. Source: springdrift 4 (flaw of the synthesis guard). */
function isEvidence(tool: string, known: KnownTools): boolean {
  const { output, runsCode } = known.factsOf(tool);
  return runsCode || output.source === 'Workspace' || output.source === 'Web';
}

function textOf(input: unknown): string {
  if (typeof input === 'string') return input;
  return typeof input === 'object' && input !== null ? Object.values(input).map(textOf).join('\n') : '';
}
