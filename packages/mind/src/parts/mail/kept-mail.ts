/** What is kept at hand of mail: letters, mails, threads and counts, as the record tells of them. */
import { z } from 'zod';
import { LetterHead, LetterTexts } from './letter.ts';
import { Admission, DROPPED_RULES, HELD_RULES, Outgoing } from './mail-records.ts';

export const LETTER_STATUSES = ['Admitted', 'Held', 'Dropped', 'Released'] as const;
export type LetterStatus = (typeof LETTER_STATUSES)[number];

export const KeptLetter = z.object({
  head: LetterHead,
  status: z.enum(LETTER_STATUSES),
  /** When it was recorded. */
  atMs: z.number(),
  /** Absent: it was dropped. */
  threadId: z.string().exactOptional(),
  /** Absent: it was dropped, or is too old for its texts to be kept at hand. */
  texts: LetterTexts.exactOptional(),
  as: Admission.exactOptional(),
  rule: z.enum([...HELD_RULES, ...DROPPED_RULES]).exactOptional(),
  evidence: z.string().exactOptional(),
  /** Of a released letter; `by` is absent in a record without a person. */
  release: z.object({ by: z.string().exactOptional(), reason: z.string(), runId: z.string() }).exactOptional(),
  /** A mail of ours answers it. */
  isAnswered: z.boolean(),
});
export type KeptLetter = Readonly<z.infer<typeof KeptLetter>>;

/** `Open`: it is to be sent. `Handed`: a server may have it, and nothing says so yet. */
export const OUTGOING_STATUSES = ['Open', 'Handed', 'Sent', 'Failed', 'Unknown', 'Bounced', 'Withheld'] as const;
export type OutgoingStatus = (typeof OUTGOING_STATUSES)[number];

export const KeptOutgoing = z.object({
  mail: Outgoing,
  status: z.enum(OUTGOING_STATUSES),
  requestedAtMs: z.number(),
  /** When its status was recorded. */
  atMs: z.number(),
  runId: z.string().exactOptional(),
  /** Of a refusal, a bounce, a limit, or of what is unknown. */
  reason: z.string().exactOptional(),
  /** Refusals that pass. */
  failures: z.number(),
});
export type KeptOutgoing = Readonly<z.infer<typeof KeptOutgoing>>;

export const Thread = z.object({
  threadId: z.string(),
  /** Whoever it is with: the sender of its first letter, or the one receiver of our first mail. */
  correspondent: z.string(),
  subject: z.string(),
  /** Of all its letters and mails, oldest first. */
  messageIds: z.array(z.string()),
  /** Letters of programs in it since a person wrote, by our own count: a header can be stripped. */
  automatic: z.number(),
  newestAtMs: z.number(),
});
export type Thread = Readonly<z.infer<typeof Thread>>;

export const Mailbox = z.object({
  uidValidity: z.string(),
  /** The highest number that was read. */
  uid: z.number(),
  /** Letters that the server took earlier are nobody's request. */
  sinceMs: z.number(),
});
export type Mailbox = Readonly<z.infer<typeof Mailbox>>;

export const Pair = z.object({
  /** Words of the letters of this peer that were admitted, oldest first, since a person released one. */
  texts: z.array(z.object({ atMs: z.number(), words: z.string() })),
  tripped: z.object({ why: z.enum(['Hops', 'Alike']), atMs: z.number(), count: z.number() }).exactOptional(),
});
export type Pair = Readonly<z.infer<typeof Pair>>;

export const Contact = z.object({ atMs: z.number(), sent: z.number(), received: z.number() });
export const Send = z.object({
  mailId: z.string(),
  atMs: z.number(),
  to: z.array(z.string()),
  threadId: z.string(),
  isReply: z.boolean(),
});
export const Admitted = z.object({ atMs: z.number(), from: z.string() });
