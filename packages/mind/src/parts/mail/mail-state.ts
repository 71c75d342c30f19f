/**
 * All mail, as the record tells of it.
 *
 * I1  The id of every letter that was ever seen is known: no letter begins two runs, however often and wherever it lies.
 * I2  A Message-ID of ours leads to its thread for its correspondent alone.
 * I3  What was handed to a server is sent again only if the server refused it or was never reached.
 */
import { addNewest } from '../../part/newest-members.ts';
import { defineProjection } from '../../part/projection.ts';
import type { LetterHead, LetterPlace, LetterTexts } from './letter.ts';
import { mailKinds, type Admission, type DroppedRule, type HeldRule, type Outgoing } from './mail-records.ts';

/** Letters that are listed with their texts, the newest: half a year of a busy mailbox. The record has all. */
export const LETTERS_KEPT = 2_000;
/** Letters sent that are listed, the newest. */
export const OUTGOING_KEPT = 2_000;
/** Message-IDs of ours by which an answer finds its thread: years of letters, some 20 MB. */
const MESSAGE_IDS_KEPT = 100_000;
/** Moments of sending that limits count; the longest of them is a day. */
const SENT_MOMENTS_KEPT = 5_000;
/** Texts of one peer that are compared. */
const PAIR_TEXTS_KEPT = 50;

export type LetterStatus = 'Admitted' | 'Held' | 'Dropped' | 'Released';

export interface KeptLetter {
  readonly head: LetterHead;
  readonly status: LetterStatus;
  /** When it was recorded. */
  readonly atMs: number;
  /** Absent: it was dropped. */
  readonly threadId?: string;
  /** Absent: it was dropped. */
  readonly texts?: LetterTexts;
  readonly as?: Admission;
  readonly rule?: HeldRule | DroppedRule;
  readonly evidence?: string;
  /** Of a released letter. */
  readonly release?: { readonly by: string; readonly reason: string; readonly runId: string };
  /** A letter of ours answers it. */
  readonly isAnswered: boolean;
}

/** `Open`: it may never have reached the server, or may have. */
export type OutgoingStatus = 'Open' | 'Sent' | 'Failed' | 'Unknown' | 'Bounced' | 'Withheld';

export interface KeptOutgoing {
  readonly mail: Outgoing;
  readonly status: OutgoingStatus;
  readonly requestedAtMs: number;
  /** When its status was recorded. */
  readonly atMs: number;
  readonly runId?: string;
  /** Of a refusal, a bounce, or of what is unknown. */
  readonly reason?: string;
  /** A refusal that passes: it is tried again. */
  readonly failures: number;
}

export interface Thread {
  readonly threadId: string;
  /** Whoever it is with: the sender of its first letter, or the one receiver of ours. */
  readonly correspondent: string;
  readonly subject: string;
  /** Message-IDs of all its letters, oldest first, the newest 100. */
  readonly messageIds: readonly string[];
  /** Letters of programs in it, one after the other, by our own count: a header can be stripped. */
  readonly automatic: number;
  readonly newestAtMs: number;
}

export interface Mailbox {
  readonly uidValidity: string;
  /** The highest number that was read. */
  readonly uid: number;
  /** Letters that the server took before are nobody's request. */
  readonly sinceMs: number;
}

export interface Pair {
  /** Letters of the two programs to each other since a person wrote or released one, oldest first. */
  readonly texts: readonly { readonly atMs: number; readonly digest: string; readonly words: readonly string[] }[];
  readonly tripped?: { readonly why: 'Hops' | 'Alike'; readonly atMs: number; readonly count: number };
}

export interface MailState {
  /** Every letter that was ever seen. */
  readonly seen: Set<string>;
  readonly letters: Map<string, KeptLetter>;
  readonly outgoing: Map<string, KeptOutgoing>;
  readonly threads: Map<string, Thread>;
  /** By our Message-ID. */
  readonly threadOf: Map<string, { readonly threadId: string; readonly mailId: string }>;
  /** By mailbox. */
  readonly mailboxes: Map<string, Mailbox>;
  readonly pairs: Map<string, Pair>;
  /** Whoever wrote and was admitted, and whoever was written to, with the moment of the newest letter. */
  readonly contacts: Map<string, { readonly atMs: number; readonly sent: number; readonly received: number }>;
  /** For limits, oldest first. */
  readonly sends: { readonly atMs: number; readonly to: readonly string[]; readonly threadId: string }[];
  /** Of letters that were admitted, by their sender, for the limit of letters. */
  readonly admissions: { readonly atMs: number; readonly from: string }[];
}

export type { LetterPlace };
void [addNewest, defineProjection, mailKinds, MESSAGE_IDS_KEPT, SENT_MOMENTS_KEPT, PAIR_TEXTS_KEPT];
