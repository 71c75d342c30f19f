/** Facts: key and value claims of the agent, newest first by key. A projection; older values stay in the journal. */
import { z } from 'zod';
import { Label } from '../gate/provenance/label.ts';

export const factKinds = {
  FactWritten: z.object({
    key: z.string(),
    value: z.string(),
    callId: z.string(),
    /** Of what the cycle had read; absent in records from before there were labels. */
    label: Label.exactOptional(),
  }),
} as const;

export interface StoredFact {
  readonly key: string;
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly writtenAtMs: number;
  /** Absent: it is untrusted. */
  readonly label?: Label;
}

/** Facts whose key starts with `prefix`, by key. */
export function factsUnder(facts: Iterable<StoredFact>, prefix: string): readonly StoredFact[] {
  return [...facts].filter((fact) => fact.key.startsWith(prefix)).toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
