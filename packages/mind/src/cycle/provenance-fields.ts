/** What the spec of a cycle says of where its words come from, and of what is its run's own. */
import { z } from 'zod';
import { Label } from '../gate/provenance/label.ts';

export const provenanceFields = {
  /** Untrusted labels of earlier cycles whose words are in the input; absent where there are none. */
  handedOn: z.array(z.object({ recordId: z.string(), label: Label })).exactOptional(),
  /** Addresses that the Task names, as `addressesIn` spells them. */
  addresses: z.array(z.string()).exactOptional(),
  /** What people asked for in the Task, word for word: intent, scope and criteria. */
  asked: z.string().exactOptional(),
  /** Of the input, what the agent remembers. */
  remembered: z.string().exactOptional(),
  /** Files that earlier cycles of the run wrote. */
  written: z.array(z.string()).exactOptional(),
  /** Tools that the first plan names, if it was made of what people asked for alone. */
  planned: z.array(z.string()).exactOptional(),
} as const;
