/** What an agent remembers about something, as the agent itself would find it: ranked by words and by meaning. Pure. */
import type { Meaning } from '@retainer/mind/meaning/text-vector';
import { TextIndex, type FoundText } from '@retainer/mind/memory/recall/text-index';
import type { Remembered } from './memory-records.ts';

/** Cosine from which a thing without a common word is found: lower than between tasks, because a person reads what is found. */
const MEANING_MIN = 0.35;

/** A remembered thing, with why it was found. */
export type FoundMemory = Remembered & Pick<FoundText, 'score' | 'signals' | 'matched'>;

export interface MemorySearch {
  readonly text: string;
  /** Absent: by words alone. */
  readonly meaning?: Meaning | undefined;
  readonly count: number;
}

/**
 * @param all  in the order in which they were remembered
 * @returns what has a word of the text, or means something alike; best first
 */
export function searchMemory(
  all: readonly Remembered[],
  { text, meaning, count }: MemorySearch,
): readonly FoundMemory[] {
  const index = new TextIndex();
  const byId = new Map(all.map((it) => [it.id, it]));
  for (const it of byId.values()) index.add(recordOf(it), meaning?.vectorOf(wordsOf(it)));
  const weightOf = (id: string): number => byId.get(id)?.confidence ?? 1;
  // Everything means a little of everything: the index would return it all.
  const { found } = index.find({ text, vector: meaning?.vectorOf(text), count: index.size, weightOf });
  return found
    .filter(({ matched, signals }) => matched.length > 0 || signals.meaning >= MEANING_MIN)
    .slice(0, count)
    .flatMap(({ id, score, signals, matched }) => {
      const it = byId.get(id);
      return it === undefined ? [] : { ...it, score, signals, matched };
    });
}

function recordOf(it: Remembered): Parameters<TextIndex['add']>[0] {
  const when = new Date(it.atMs).toISOString().slice(0, 10);
  return { id: it.id, text: `${it.id} ${it.text}`, when, ...(it.runId === undefined ? {} : { group: it.runId }) };
}

/** The id of a fact says what it is about; that of anything else has a hash. */
function wordsOf({ what, id, text }: Remembered): string {
  return what === 'Fact' ? `${id.slice('fact:'.length).replaceAll(/[./_-]/g, ' ')} ${text}` : text;
}
