/**
 * What is known of a letter before anybody decides what becomes of it: who wrote it, how that is known, what it answers.
 *
 * Source: springdrift 4 (CommsMessage), 10; reliability-security 5 (who, what, loops, duplicates).
 */
import { z } from 'zod';

/** Characters of the sender's new words: as many as a Task's intent may have. */
export const WORDS_CHARACTERS_MAX = 8192;
/** Characters of all enclosed texts of one letter that are kept; about 60 pages. */
export const ENCLOSED_CHARACTERS_MAX = 131_072;
/** Enclosed texts of one letter. */
export const ENCLOSED_MAX = 40;
/** Characters of a subject: one line of RFC 5322. */
export const SUBJECT_CHARACTERS_MAX = 998;
/** Message-IDs that a letter may name as those before it; the newest count. */
export const REFERENCES_MAX = 100;
/** Characters of a Message-ID. */
export const MESSAGE_ID_CHARACTERS_MAX = 998;

/** Where a letter lies on its server. A new UIDVALIDITY numbers the same letters anew. */
export const LetterPlace = z.object({ mailbox: z.string(), uidValidity: z.string(), uid: z.number() });
export type LetterPlace = Readonly<z.infer<typeof LetterPlace>>;

/**
 * By what the domain of the From address is known to have sent the letter. `Results`: the provider says so. `None`: nothing does.
 */
export const AUTHENTICATION_METHODS = ['Results', 'Dkim', 'Arc', 'None'] as const;

export const Authentication = z.object({
  method: z.enum(AUTHENTICATION_METHODS),
  /** Whether what passed is aligned with the domain of the From address. */
  isAligned: z.boolean(),
  /** The domain that passed. Absent: none did. */
  domain: z.string().exactOptional(),
  /** One sentence in our words: what was looked at, and what came of it. */
  evidence: z.string(),
});
export type Authentication = Readonly<z.infer<typeof Authentication>>;

/** Signs that a program wrote the letter. `Own`: from this agent's address, or with an id that it made. */
export const AUTOMATIC_SIGNS = ['Own', 'NullReturnPath', 'Report', 'Daemon', 'List', 'Bulk', 'AutoSubmitted'] as const;
export type AutomaticSign = (typeof AUTOMATIC_SIGNS)[number];

/** Limits of reading that a letter exceeded, and what makes its author unclear. */
export const LETTER_FAULTS = [
  'TooLarge',
  'HeaderTooLarge',
  'TooManyParts',
  'TooDeep',
  'TooManyAttachments',
  'NotMime',
  'NoSender',
  'SeveralSenders',
] as const;
export type LetterFault = (typeof LETTER_FAULTS)[number];

/** Everything about a letter but its texts. Ids of messages are without angle brackets. */
export const LetterHead = z.object({
  /** `m-` and 20 hexadecimal digits of Message-ID and body digest: the same letter has the same, wherever it lies. */
  letterId: z.string(),
  messageId: z.string().exactOptional(),
  /** SHA-256 of the body, hexadecimal; line ends and white space at ends of lines do not count. */
  bodyDigest: z.string(),
  place: LetterPlace,
  sizeBytes: z.number(),
  /** When the server took it, milliseconds since 1970. */
  receivedAtMs: z.number(),
  /** The one author, lower case. Absent: there is not exactly one. */
  from: z.string().exactOptional(),
  /** Addresses of To and Cc, lower case, the first 50. */
  to: z.array(z.string()),
  /** On one line, without control characters. */
  subject: z.string(),
  inReplyTo: z.array(z.string()),
  references: z.array(z.string()),
  automatic: z.array(z.enum(AUTOMATIC_SIGNS)),
  /** Of our own loop header: how many programs have answered before. 0 where it has none. */
  hops: z.number(),
  authentication: Authentication,
  faults: z.array(z.enum(LETTER_FAULTS)),
  /** Of a report on a letter of ours that could not be delivered. */
  bounceOf: z.object({ messageId: z.string(), status: z.string(), isPermanent: z.boolean() }).exactOptional(),
});
export type LetterHead = Readonly<z.infer<typeof LetterHead>>;

export const ENCLOSED_KINDS = ['Quote', 'Forward', 'Hidden', 'Attachment', 'Whole'] as const;

/** A text that came with a letter and is not the sender's own new words. */
export const Enclosed = z.object({
  kind: z.enum(ENCLOSED_KINDS),
  /** Of an attachment, made safe. */
  name: z.string().exactOptional(),
  /** Of an attachment, by its content: `text/csv`. */
  type: z.string().exactOptional(),
  /** Of the whole part, before it was cut. */
  sizeBytes: z.number(),
  /** Empty where it is no text. */
  text: z.string(),
  isCut: z.boolean(),
});
export type Enclosed = Readonly<z.infer<typeof Enclosed>>;

export const LetterTexts = z.object({
  /** The sender's new words. Empty where they cannot be told from what others wrote; all is enclosed then, as `Whole`. */
  words: z.string(),
  enclosed: z.array(Enclosed),
});
export type LetterTexts = Readonly<z.infer<typeof LetterTexts>>;

export interface Letter extends LetterTexts {
  readonly head: LetterHead;
}
