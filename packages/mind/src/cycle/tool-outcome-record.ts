/** The outcome of one tool call in the record; see `ToolOutcome`. */
import { z } from 'zod';
import { Label } from '../gate/provenance/label.ts';

export const ToolOutcomeRecord = z.object({
  status: z.enum(['Ok', 'Error', 'TimedOut', 'Cancelled', 'Unknown']),
  text: z.string(),
  exitCode: z.number().exactOptional(),
  sandboxFailed: z.literal(true).exactOptional(),
  artifactId: z.string().exactOptional(),
  outputBytes: z.number(),
  outputSha256: z.string(),
  files: z.array(z.object({ path: z.string(), sizeBytes: z.number(), sha256: z.string() })),
  /** Present when somebody looked what it removed. */
  gone: z.array(z.string()).readonly().exactOptional(),
  /** Of symbolic links that the call made or changed. */
  links: z.array(z.string()).readonly().exactOptional(),
  durationMs: z.number(),
  /** Present when the table of labels cannot determine it. */
  label: Label.exactOptional(),
  /** Present when the tool tells which parts of the text others wrote. */
  othersAt: z.array(z.string()).readonly().exactOptional(),
});
