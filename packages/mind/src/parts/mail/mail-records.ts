/**
 * The records of mail. In: `MailSeen`, and in the same append what is decided. Out: `MailRequested` before the first byte to a
 * server, and what came of it.
 *
 * Source: reliability-security 1 (intent before effect), 5; springdrift 10 (received, claimed, processed).
 */
import { z } from 'zod';
import { originField } from '../../part/applied-changes.ts';
import { Reason } from '../../part/part.ts';
import { LetterHead, LetterPlace, LetterTexts } from './letter.ts';

const letter = { letterId: z.string() };
const mail = { mailId: z.string() };
const byPerson = { by: z.string().exactOptional(), ...originField };

/** Why a letter waits for a person. */
export const HELD_RULES = [
  'limits/exceeded',
  'sender/not-one',
  'sender/not-allowed',
  'sender/not-aligned',
  'sender/too-many',
  'pair/tripped',
  'mailbox/restored',
] as const;
export type HeldRule = (typeof HELD_RULES)[number];

/** Why a letter is answered by nobody. */
export const DROPPED_RULES = [
  'automatic/own',
  'automatic/bounce',
  'automatic/list',
  'automatic/stranger',
  'mailbox/before-agent',
] as const;
export type DroppedRule = (typeof DROPPED_RULES)[number];

/** Why an answer approves or denies nothing. `over`: nobody is asked any more, because it was decided, timed out or given up. */
export const NO_APPROVAL_RULES = [
  'approval/no-letter',
  'approval/not-approver',
  'approval/not-aligned',
  'approval/by-program',
  'approval/another-person',
  'approval/off',
  'approval/no-decision',
  'approval/no-code',
  'approval/wrong-code',
  'approval/two-decisions',
  'approval/used',
  'approval/late',
  'approval/over',
  'approval/changed',
  'approval/class',
] as const;
export type NoApprovalRule = (typeof NO_APPROVAL_RULES)[number];

/** What a letter sets off. */
export const Admission = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('Run'), runId: z.string() }),
  z.object({ kind: z.literal('Answer'), runId: z.string(), questionId: z.string() }),
  z.object({
    kind: z.literal('Approval'),
    requestId: z.string(),
    argumentsDigest: z.string(),
    decision: z.enum(['Approve', 'Deny']),
    /** One sentence in our words: who, how that is known, and by which letter of ours. */
    evidence: z.string(),
  }),
  /** It tried to approve something and may not, or had the wrong code. One fixed line answers it. */
  z.object({
    kind: z.literal('NoApproval'),
    rule: z.enum(NO_APPROVAL_RULES),
    /** Absent: it is for none. */
    requestId: z.string().exactOptional(),
    /** One sentence in our words, which the fixed line quotes. */
    why: z.string(),
  }),
]);
export type Admission = Readonly<z.infer<typeof Admission>>;

/** `Reply`: the result of the run that a letter began. `Fixed`: a line of ours, no model's. */
export const OUTGOING_KINDS = ['Reply', 'Tool', 'Question', 'Approval', 'Fixed'] as const;

export const Outgoing = z.object({
  /** `o-` and 20 hexadecimal digits of what it is sent for: the same reason makes the same letter. */
  ...mail,
  /** Without angle brackets; fixed before the first try. */
  messageId: z.string(),
  kind: z.enum(OUTGOING_KINDS),
  to: z.array(z.string()),
  subject: z.string(),
  /** Plain text, as its reader gets it; of an approval, without its code. */
  text: z.string(),
  inReplyTo: z.string().exactOptional(),
  references: z.array(z.string()),
  threadId: z.string(),
  /** The letter that it answers. */
  letterId: z.string().exactOptional(),
  /** For our loop header. */
  hops: z.number(),
  /** Of a reply, a question or an approval: known by it to whoever delivers. */
  deliveryId: z.string().exactOptional(),
  callId: z.string().exactOptional(),
  /** The question, or the approval, that an answer to this letter is for. */
  questionId: z.string().exactOptional(),
  approval: z
    .object({
      requestId: z.string(),
      argumentsDigest: z.string(),
      /** SHA-256 of the code, hexadecimal. The code stands in the letter alone. */
      codeDigest: z.string(),
      untilMs: z.number(),
    })
    .exactOptional(),
});
export type Outgoing = Readonly<z.infer<typeof Outgoing>>;

export const mailKinds = {
  /** The mailbox was read for the first time, or its server numbers it anew. Older letters are nobody's request. */
  MailboxOpened: z.object({ ...LetterPlace.omit({ uid: true }).shape, fromUid: z.number(), sinceMs: z.number() }),
  /** The head of a letter that the record has not had yet. A decision on it follows in the same append. */
  MailSeen: z.object({ head: LetterHead }),
  /** A letter that the record has, at another place. */
  MailRepeated: z.object({ ...letter, place: LetterPlace }),
  MailAdmitted: z.object({
    ...letter,
    threadId: z.string(),
    texts: LetterTexts,
    as: Admission,
    /** A program wrote it, whatever its headers say. Absent: a person did. */
    isOfProgram: z.literal(true).exactOptional(),
  }),
  MailHeld: z.object({
    ...letter,
    threadId: z.string(),
    texts: LetterTexts,
    rule: z.enum(HELD_RULES),
    /** One sentence in our words. */
    evidence: z.string(),
  }),
  MailDropped: z.object({ ...letter, rule: z.enum(DROPPED_RULES), evidence: z.string() }),
  /** A person lets a held letter begin a run. Its words stay those of a stranger. */
  MailReleased: z.object({ ...letter, runId: z.string(), reason: Reason, ...byPerson }),
  /** Two programs write to each other without end: letters of this peer are held until a person releases one. */
  MailTripped: z.object({ peer: z.string(), threadId: z.string(), why: z.enum(['Hops', 'Alike']), count: z.number() }),
  MailRequested: z.object({ mail: Outgoing }),
  /** The next bytes may be its text: from here on nobody knows what the server has until it answers. */
  MailHanded: z.object({ ...mail }),
  /** `foundInSent`: the process died while it was sent, and the copy in Sent shows that the server had it. */
  MailSent: z.object({ ...mail, foundInSent: z.literal(true).exactOptional() }),
  /** The server refused it, or could not be reached: nothing was sent. */
  MailFailed: z.object({ ...mail, reason: z.string(), isPermanent: z.boolean() }),
  /** Nobody knows whether the server took it. It is never sent again by itself. */
  MailUnknown: z.object({ ...mail, reason: z.string() }),
  MailBounced: z.object({ ...mail, letterId: z.string(), status: z.string() }),
  /** A limit of sending forbade it: it was not sent, and nothing tries it again. */
  MailWithheld: z.object({ ...mail, limit: z.string() }),
} as const;
type MailKinds = typeof mailKinds;
export type MailRecordOf<K extends keyof MailKinds> = Readonly<z.infer<MailKinds[K]>>;
