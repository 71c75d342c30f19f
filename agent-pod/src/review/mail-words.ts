/** Words of letters as people read them, harmless on a screen. Pure. */
import { printable, printableLines } from '@retainer/contract/std/printable';
import { inertText } from '@retainer/mind/gate/provenance/inert';
import type { Authentication, AUTOMATIC_SIGNS, Enclosed, LETTER_FAULTS } from '@retainer/mind/parts/mail/letter';
import { shownAddress } from '@retainer/mind/gate/provenance/mail-address';
import type { DroppedRule, HeldRule } from '@retainer/mind/parts/mail/mail-records';
import type { KeptLetter, KeptOutgoing } from '@retainer/mind/parts/mail/kept-mail';

export function shownAddresses(addresses: readonly string[]): string {
  return addresses.map(shownAddress).join(', ');
}

/** One line that others wrote: nothing in it steers a terminal, turns the text around, or is a link. */
export function shownLine(text: string): string {
  return printable(inertText(text, nobodysAddress).text);
}

/** As {@link shownLine}, line by line. */
export function shownLines(text: string): readonly string[] {
  return printableLines(inertText(text, nobodysAddress).text);
}

const nobodysAddress = (): boolean => false;

const WAYS: Readonly<Record<Authentication['method'], string>> = {
  Results: 'the provider',
  Dkim: 'DKIM',
  Arc: 'ARC',
  None: 'nothing',
};

/** What shows who wrote it, in a few words: `DKIM of example.org`. */
export function knownBy({ method, isAligned, domain }: Authentication): string {
  if (method === 'None') return WAYS.None;
  const of = domain === undefined ? '' : ` ${method === 'Results' ? 'for' : 'of'} ${shownAddress(domain)}`;
  return `${WAYS[method]}${of}${isAligned ? '' : ", not the sender's domain"}`;
}

/** Why a letter waits for a person, or is answered by nobody, as the end of a sentence. */
export const RULE_WORDS: Readonly<Record<HeldRule | DroppedRule, string>> = {
  'limits/exceeded': 'it exceeds what the agent reads',
  'sender/not-one': 'it has not exactly one author',
  'sender/not-allowed': 'its sender is not among allowedSenders',
  'sender/not-aligned': 'nothing shows that its sender wrote it',
  'sender/too-many': 'its sender wrote too many letters in a day',
  'pair/tripped': 'two programs wrote to each other without end',
  'automatic/own': 'the agent wrote it itself',
  'automatic/bounce': 'it reports on a mail that could not be delivered',
  'automatic/list': 'it came from a mailing list or to many',
  'automatic/stranger': 'a program wrote it that is no peer',
  'mailbox/before-agent': 'it was there before the agent read this mailbox',
  'mailbox/restored': 'the record was restored from an earlier copy, which may lack that it was answered',
};

export const SIGN_WORDS: Readonly<Record<(typeof AUTOMATIC_SIGNS)[number], string>> = {
  Own: 'it is from the agent itself',
  NullReturnPath: 'it has no return path',
  Report: 'it is a report on mail',
  Daemon: 'it is from the program of a mail server',
  List: 'it is from a mailing list',
  Bulk: 'it says that it went to many',
  AutoSubmitted: 'it says that a program sent it',
};

export const FAULT_WORDS: Readonly<Record<(typeof LETTER_FAULTS)[number], string>> = {
  TooLarge: 'it is larger than messageBytesMax',
  HeaderTooLarge: 'its header is too large',
  TooManyParts: 'it has too many parts',
  TooDeep: 'its parts lie too deep in each other',
  TooManyAttachments: 'it has more attachments than attachmentsMax',
  NotMime: 'it is no letter that can be read',
  NoSender: 'it names no author',
  SeveralSenders: 'it names several authors',
};

export const ENCLOSED_WORDS: Readonly<Record<Enclosed['kind'], string>> = {
  Quote: 'quoted words of others',
  Forward: 'a forwarded letter',
  Hidden: 'text that a mail program does not show',
  Attachment: 'attachment',
  Whole: 'the whole text: whose words are whose cannot be told',
};

/** What a letter set off. */
export function admissionText({ as, release }: Pick<KeptLetter, 'as' | 'release'>): string {
  if (release !== undefined) return 'a run, because a person released it';
  if (as === undefined) return 'nothing';
  switch (as.kind) {
    case 'Run':
      return 'a run';
    case 'Answer':
      return 'an answer to a question of a run';
    case 'Approval':
      return `${as.decision === 'Approve' ? 'yes' : 'no'} to the call of request ${printable(as.requestId)}: ${printable(as.evidence)}`;
    case 'NoApproval':
      return `no decision: ${printable(as.why)}`;
  }
}

/** What became of a mail of ours. */
export function fateText({ status, reason, failures }: Pick<KeptOutgoing, 'status' | 'reason' | 'failures'>): string {
  const why = reason === undefined ? '' : `: ${printable(reason)}`;
  switch (status) {
    case 'Open':
      return failures === 0 ? 'waits for the server' : `waits for another try after ${failures}${why}`;
    case 'Handed':
      return 'handed to the server, which has not answered yet';
    case 'Sent':
      return 'sent';
    case 'Failed':
      return `refused${why}`;
    case 'Unknown':
      return `unknown whether it was sent${why}; it is not sent again`;
    case 'Bounced':
      return `came back${why}`;
    case 'Withheld':
      return `not sent: ${printable(reason ?? 'a limit')} is reached`;
  }
}
