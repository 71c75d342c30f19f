import { z } from 'zod';
import { Manifest } from '../assemble/curator/curate.ts';
import { Recalled } from '../memory/recall/recalled.ts';
import { deciders } from './deciders.ts';

/** What a cycle begins with besides its spec. */
export const startFields = {
  /** Random: the marks around untrusted texts contain it. */
  nonce: z.string(),
  /** What the model is told of the agent itself, at the end of the system texts. Absent: nothing. */
  curated: Manifest.exactOptional(),
  /** What was found in memory for it, with all that decided on it. Absent: memory was not asked. */
  recalled: Recalled.exactOptional(),
  deciders,
} as const;
