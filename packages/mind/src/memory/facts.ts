/**
 * Facts: the agent's claims as keys and values. A projection with the newest value of each key; older values stay in the journal.
 */
import { z } from 'zod';
import { Label } from '../gate/provenance/label.ts';
import { defineProjection } from './projection.ts';

export const factKinds = {
  FactWritten: z.object({
    key: z.string(),
    value: z.string(),
    callId: z.string(),
    /** Label of everything that the cycle had read; absent in records from before labels existed. */
    label: Label.exactOptional(),
  }),
} as const;

const StoredFact = z.object({
  key: z.string(),
  value: z.string(),
  /** Milliseconds since 1970. */
  writtenAtMs: z.number(),
  /** Absent: untrusted. */
  label: Label.exactOptional(),
});
export type StoredFact = Readonly<z.infer<typeof StoredFact>>;

/** The newest value, by key. */
export const facts = defineProjection({
  store: 'fact',
  kinds: factKinds,
  start: () => new Map<string, StoredFact>(),
  folds: {
    FactWritten: (state, { key, value, label }, { timeMs }) => {
      state.set(key, { key, value, writtenAtMs: timeMs, ...(label === undefined ? {} : { label }) });
    },
  },
  window: 'WholeStore',
  cached: {
    version: 1,
    schema: z.array(StoredFact),
    keep: (state) => [...state.values()],
    restore: (state, kept) => {
      for (const fact of kept) state.set(fact.key, fact);
    },
  },
});

/** Facts whose key starts with `prefix`, by key. */
export function factsUnder(known: Iterable<StoredFact>, prefix: string): readonly StoredFact[] {
  return [...known].filter((fact) => fact.key.startsWith(prefix)).toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
