/** An entry of another system's narrative, as a person takes it over: its words cut to what memory holds of one run. */
import { z } from 'zod';

/** Characters of all its sentences: as many as an Archivist may write of a run. */
export const IMPORTED_PROSE_CHARACTERS = 4000;
const NAME_CHARACTERS = 80;
const NAMES_MAX = 20;

const name = z.string().max(NAME_CHARACTERS);

export const IMPORTED_OUTCOMES = ['success', 'partial', 'failure', 'unknown'] as const;

export const importedFields = {
  system: z.literal('springdrift'),
  /** Its id there. */
  entryId: z.string().min(1).max(NAME_CHARACTERS),
  /** Milliseconds since 1970; its local time is taken for UTC. */
  atMs: z.number(),
  /** The word of that system. */
  outcome: z.enum(IMPORTED_OUTCOMES),
  tokens: z.number(),
  words: z.object({
    prose: z.string().max(IMPORTED_PROSE_CHARACTERS),
    domain: name,
    keywords: z.array(name).max(NAMES_MAX),
    topics: z.array(name).max(NAMES_MAX),
  }),
} as const;

/** Cuts names to what an entry holds. */
export function importedNames(names: readonly string[]): string[] {
  return names.slice(0, NAMES_MAX).map(importedName);
}

export function importedName(text: string): string {
  return text.slice(0, NAME_CHARACTERS);
}
