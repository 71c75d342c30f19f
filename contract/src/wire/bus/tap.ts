/**
 * What an agent's process shows of its bus to the auditor beside it: lines of JSON on a socket with envelopes and hashes, no
 * content.
 *
 * A connection begins with one `Hello`. One `Shown` follows for each message, beginning with the last ones before the
 * connection. Their numbers run through the whole life of the process, so a reader that reconnects sees which are missing.
 *
 * Source: artoo A.12.
 */
import { z } from 'zod';

const count = z.int().nonnegative();
const text = z.string().max(1024);

/** Parsed leniently: the auditor judges whether the message is permitted. */
export const TapMessage = z.object({
  runId: text,
  seq: count,
  atMs: z.number(),
  type: text,
  from: text,
  to: text,
  /** Of the payload, 64 hexadecimal digits. */
  contentHash: text,
});
export type TapMessage = z.infer<typeof TapMessage>;

export const TapLine = z.discriminatedUnion('line', [
  z.object({
    line: z.literal('Hello'),
    /** Another one for each process of the agent. */
    process: text,
    /** Number of the first message that follows. */
    first: count,
    /** Milliseconds since 1970: all messages since then follow. */
    sinceMs: z.number(),
  }),
  z.object({ line: z.literal('Shown'), number: count, message: TapMessage }),
]);
export type TapLine = z.infer<typeof TapLine>;

/** Longer than any line: more text without a newline is no line. */
export const TAP_LINE_CHARS_MAX = 16 * 1024;

/** Name of the socket in the agent's data directory. */
export const TAP_SOCKET = 'bus.sock';
