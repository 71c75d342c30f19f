/**
 * Another character in the middle of work: the record of it, and what it touches.
 *
 * The verdicts after it are those of the new character, and name its digest.
 */
import { z } from 'zod';

export const characterChangeFields = {
  atMs: z.number(),
  /** Digests of the specs. */
  from: z.string(),
  to: z.string(),
  /** What differs: `persona`, `virtues/honest`, `authority.never/no-mail`; empty if the old character is not in the record. */
  parts: z.array(z.string()),
  /** How long it waited until a person let it go on. Only in older records: newer ones hold a `StoodStill` before. */
  heldMs: z.number().exactOptional(),
};

/** The newest earlier runs, decided again by the new character. */
export const Compared = z.object({
  /** Looked at; there may be more. */
  runs: z.number(),
  /** Verdicts of gates in them, and those that would have been otherwise. */
  decisions: z.number(),
  otherwise: z.number(),
});
export type Compared = z.infer<typeof Compared>;

export const CharacterChanged = z.object(characterChangeFields);
export type CharacterChanged = z.infer<typeof CharacterChanged>;

/** Parts that are told to models and that no gate reads. */
const WORDS: ReadonlySet<string> = new Set(['persona', 'virtues']);

/** Whether a gate may decide otherwise. */
export function touchesRules({ parts }: Pick<CharacterChanged, 'parts'>): boolean {
  return parts.length === 0 || parts.some((part) => !WORDS.has(part.split('/', 1)[0] ?? part));
}
