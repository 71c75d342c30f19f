/** The dream that is not over, whether a person wants one, and which words no model found: a fold of the store `dream`. */
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { z } from 'zod';
import { dreamKinds } from '../archive/dream-event.ts';
import { defineProjection } from '../part/projection.ts';

/** Subjects whose failures are known, the newest ones: far more than one dream asks about. */
const KEPT = 1_000;

const OpenDream = z.object({
  dreamId: z.string(),
  /** The clock of its passes, milliseconds since 1970. */
  atMs: z.number(),
  /** Calls, answered or not. */
  asked: z.number(),
  /** The call under way. */
  pending: z.object({ callId: z.string(), subject: z.string() }).exactOptional(),
  /** What a model said, by what the words are for. */
  words: z.array(z.tuple([z.string(), z.string()])),
});
export type OpenDream = Readonly<z.infer<typeof OpenDream>>;

export interface Dreams {
  open: OpenDream | undefined;
  /** A person wants a dream that has not begun. */
  isWanted: boolean;
  /** When the last one ended, milliseconds since 1970; undefined: there was none. */
  endedAtMs: number | undefined;
  /** How often no words of use came, by what they are for. */
  readonly failures: Map<string, number>;
}

export const dreams = defineProjection({
  store: 'dream',
  kinds: dreamKinds,
  start: (): Dreams => ({ open: undefined, isWanted: false, endedAtMs: undefined, failures: new Map() }),
  folds: {
    DreamWanted: (dreams) => {
      dreams.isWanted = true;
    },
    DreamBegun: (dreams, { dreamId, atMs, cause }) => {
      dreams.open = { dreamId, atMs, asked: 0, words: [] };
      if (cause === 'Person') dreams.isWanted = false;
    },
    DreamAsked: (dreams, { callId, subject }) => {
      if (dreams.open === undefined) return;
      dreams.open = { ...dreams.open, asked: dreams.open.asked + 1, pending: { callId, subject } };
    },
    DreamAnswered: (dreams, { subject, words, isLost, refusal }) => {
      if (words === undefined && isLost === undefined && refusal === undefined) countFailure(dreams, subject);
      if (dreams.open === undefined) return;
      const { pending: _, ...open } = dreams.open;
      dreams.open = words === undefined ? open : { ...open, words: [...open.words, [subject, words]] };
    },
    PassEnded: { because: 'it is for people: the changes stand in the stores of memory' },
    DreamEnded: (dreams, _ended, { timeMs }) => {
      dreams.open = undefined;
      dreams.endedAtMs = timeMs;
    },
  },
  window: 'WholeStore',
  cached: {
    version: 3,
    schema: z.object({
      open: OpenDream.exactOptional(),
      isWanted: z.boolean(),
      endedAtMs: z.number().exactOptional(),
      failures: z.array(z.tuple([z.string(), z.number()])),
    }),
    keep: ({ open, isWanted, endedAtMs, failures }) => {
      const ended = endedAtMs === undefined ? {} : { endedAtMs };
      return { ...(open === undefined ? {} : { open }), isWanted, ...ended, failures: [...failures] };
    },
    restore: (dreams, kept) => {
      dreams.open = kept.open;
      dreams.isWanted = kept.isWanted;
      dreams.endedAtMs = kept.endedAtMs;
      for (const [subject, times] of kept.failures) dreams.failures.set(subject, times);
    },
  },
});

function countFailure({ failures }: Dreams, subject: string): void {
  const times = (failures.get(subject) ?? 0) + 1;
  failures.delete(subject);
  failures.set(subject, times);
  forgetOldest(failures, KEPT);
}
