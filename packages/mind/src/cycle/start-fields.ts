import { z } from 'zod';
import { Manifest } from '../assemble/curator/curate.ts';
import { Recalled } from '../memory/recall/recalled.ts';
import { deciders } from './deciders.ts';

/** Fields of a cycle's start that older records lack. */
export const startFields = {
  /** Random: the marks around untrusted texts contain it. Absent in records older than the marks. */
  nonce: z.string().exactOptional(),
  /** What the model is told of the agent itself, at the end of the system texts. Absent: nothing. */
  curated: Manifest.exactOptional(),
  /** What was found in memory for it, with all that decided on it. Absent: memory was not asked. */
  recalled: Recalled.exactOptional(),
  deciders,
} as const;
