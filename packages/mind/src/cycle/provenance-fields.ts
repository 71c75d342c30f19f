/** Fields of a cycle's spec: the origin of its words, and what belongs to its own run. */
import { z } from 'zod';
import { Label, Readers } from '../gate/provenance/label.ts';

export const provenanceFields = {
  /** Untrusted labels of earlier cycles whose words are in the input; absent when there are none. */
  handedOn: z
    .array(
      z.object({
        recordId: z.string(),
        label: Label,
        /** Untrusted texts that the input quotes, whole; absent: all of the input may be dictated by others. */
        words: z.array(z.string()).exactOptional(),
      }),
    )
    .exactOptional(),
  /** Addresses that the Task names, as `addressesIn` spells them. */
  addresses: z.array(z.string()).exactOptional(),
  /** The people's request in the Task, word for word: intent, scope and criteria. */
  asked: z.string().exactOptional(),
  /** The part of the input that comes from the agent's memory. */
  remembered: z.string().exactOptional(),
  /** What the agent wrote for itself to do: nobody outside knows it, and it may hold what was private where it was written. */
  ownWords: z.string().exactOptional(),
  /** Whom the run is for: `mail:ADDRESS`. Absent: the owner. */
  principal: z.string().exactOptional(),
  /** Who may read what earlier cycles of the run had read. Absent: whoever may read what is its principal's. */
  readers: Readers.exactOptional(),
  /** Mail addresses whose holders are the owner, lower case. */
  owners: z.array(z.string()).exactOptional(),
  /** The persona is confidential: which addresses are chosen is counted. */
  confidential: z.literal(true).exactOptional(),
  /** Sites for which a person lifted the budget of choices in this run. */
  freeSites: z.array(z.string()).exactOptional(),
  /** Outside addresses that earlier cycles of the run asked for, oldest first; absent where no choice is counted. */
  askedOutside: z.array(z.string()).exactOptional(),
  /** Files that earlier cycles of the run wrote. */
  written: z.array(z.string()).exactOptional(),
  /** Tools that the first plan names, if the plan follows from the people's request alone. */
  planned: z.array(z.string()).exactOptional(),
} as const;
