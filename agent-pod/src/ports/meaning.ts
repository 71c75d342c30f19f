/** Who turns texts into vectors for memory. */
import type { Meaning } from '@retainer/mind/meaning/text-vector';
import type { WordsOnly } from '@retainer/mind/memory/recall/recalled';

export interface MeaningPort extends Meaning {
  /**
   * Makes the vectors of texts known, in time for a question. Absent: they always are.
   *
   * @returns why some are not; `vectorOf` has none for these
   */
  prepare?(texts: readonly string[]): Promise<WordsOnly | undefined>;
  /** Makes the vectors of texts known some time. Absent: they always are. @param onKnown  called for each */
  learn?(texts: readonly string[], onKnown: (text: string) => void): void;
}

/** Called at the first recall that has something to compare. Undefined: nobody can, so texts are compared by words. */
export type OpenMeaning = () => Promise<MeaningPort | undefined>;
