/**
 * The auditor's view of an agent's bus: lines of JSON on a socket, with envelopes and hashes but no content.
 *
 * A connection begins with one `Hello`. One `Shown` follows per message, beginning with recent ones from before the connection.
 * Messages are numbered over the whole life of the process, so a reader that reconnects can detect missing ones.
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
  /** Hash of the payload, 64 hexadecimal digits. */
  contentHash: text,
});
export type TapMessage = z.infer<typeof TapMessage>;

export const TapLine = z.discriminatedUnion('line', [
  z.object({
    line: z.literal('Hello'),
    /** Unique per process of the agent. */
    process: text,
    /** Number of the first message that follows. */
    first: count,
    /** Milliseconds since 1970: all messages since then follow. */
    sinceMs: z.number(),
  }),
  z.object({ line: z.literal('Shown'), number: count, message: TapMessage }),
]);
export type TapLine = z.infer<typeof TapLine>;

/** Longer than any line. */
export const TAP_LINE_CHARS_MAX = 16 * 1024;

/** Name in the agent's data directory. */
export const TAP_SOCKET = 'bus.sock';
