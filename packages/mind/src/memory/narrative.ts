/** The narrative: one entry per finished run, in the agent's own order of life. */
import { z } from 'zod';
import { Label } from '../gate/provenance/label.ts';

export const narrativeKinds = {
  RunRemembered: z.object({
    task: z.object({ namespace: z.string(), name: z.string() }),
    intent: z.string(),
    outcome: z.string(),
    summary: z.string(),
    /** Distinct names, in the order of first use. */
    tools: z.array(z.string()),
    unmet: z.array(z.string()),
    reasons: z.array(z.string()),
    tokens: z.number(),
    startedAtMs: z.number(),
    endedAtMs: z.number(),
    /** Of all that the run had read. Absent in records from before there were labels: untrusted. */
    label: Label.exactOptional(),
  }),
} as const;
export type RunRemembered = z.infer<(typeof narrativeKinds)['RunRemembered']>;
