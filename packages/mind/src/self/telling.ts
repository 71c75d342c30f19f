/** What the agent is told of itself, with whose words that may hold. */
import { OWNER, joinAll, type Label } from '../gate/provenance/label.ts';

export interface Telling {
  readonly text: string;
  /** Absent: nobody knows whose words it holds. */
  readonly label?: Label;
}

/** Of names, numbers and moments that code wrote: no stranger's words, but nobody else's business. */
export const ownRecord: Label = { source: { kind: 'Memory' }, trust: 'Trusted', readers: [OWNER] };

/** Characters of one quoted text: the gist, as in `memory_recall`. */
const QUOTED_CHARACTERS = 600;

/** As a JSON string, so that no text can pose as a row. */
export function quotedGist(text: string): string {
  return JSON.stringify(text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text);
}

/** @param labels  of all that the rows show; undefined among them: of one of these nobody knows whose words it holds */
export function telling(rows: readonly string[], labels: readonly (Label | undefined)[], nothing: string): Telling {
  const text = rows.length === 0 ? nothing : rows.join('\n');
  const known = labels.flatMap((label) => label ?? []);
  if (known.length < labels.length) return { text };
  return { text, label: { ...(joinAll([ownRecord, ...known]) ?? ownRecord), source: ownRecord.source } };
}
