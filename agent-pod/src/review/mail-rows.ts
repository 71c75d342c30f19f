/** Letters and mails as tables and as lines for people. Pure. */
import { printable } from '@retainer/contract/std/printable';
import { utcMinute } from '@retainer/contract/std/utc-date';
import { renderPlural, renderSize } from '@retainer/mind/explain/figures';
import type { Enclosed, LetterTexts } from '@retainer/mind/parts/mail/letter';
import { shownAddress } from '@retainer/mind/gate/provenance/mail-address';
import type { KeptOutgoing } from '@retainer/mind/parts/mail/kept-mail';
import type { LetterStory, RecordedLetter, RecordedMail } from './mail-records.ts';
import {
  admissionText,
  ENCLOSED_WORDS,
  FAULT_WORDS,
  fateText,
  knownBy,
  RULE_WORDS,
  shownAddresses,
  shownLine,
  shownLines,
  SIGN_WORDS,
} from './mail-words.ts';

type Row = readonly [label: string, text: string];

/** Characters of a subject or of a list of addresses in a table. */
const CELL_CHARACTERS = 40;

const HEAD = ['id', 'when', '', 'who', 'subject', 'known by', 'what became of it', 'thread', 'run'] as const;

/** The headings, and one row for each letter and mail, oldest first. @param max  the newest ones */
export function mailTable({ letters, mails }: RecordedMail, max: number): readonly (readonly string[])[] {
  const rows = [
    ...letters.map((it) => ({ atMs: it.atMs, cells: letterCells(it) })),
    ...mails.map((it) => ({ atMs: it.requestedAtMs, cells: mailCells(it) })),
  ];
  const newest = rows.toSorted((a, b) => a.atMs - b.atMs).slice(-max);
  return [HEAD, ...newest.map(({ cells }) => cells)];
}

function letterCells(letter: RecordedLetter): readonly string[] {
  const { letterId, head, atMs, threadId = '', runId = '' } = letter;
  return [
    ...[letterId, utcMinute(atMs), 'from', cell(shownAddress(head.from ?? '(nobody or several)'))],
    ...[cell(shownLine(head.subject)), knownBy(head.authentication), statusWords(letter), printable(threadId), runId],
  ];
}

function mailCells({ mail, requestedAtMs, runId = '', ...fate }: KeptOutgoing): readonly string[] {
  return [
    ...[mail.mailId, utcMinute(requestedAtMs), 'to', cell(shownAddresses(mail.to))],
    ...[cell(shownLine(mail.subject)), '', `${KIND_WORDS[mail.kind]}, ${fate.status.toLowerCase()}`],
    ...[printable(mail.threadId), runId],
  ];
}

function cell(text: string): string {
  return text.length > CELL_CHARACTERS ? `${text.slice(0, CELL_CHARACTERS - 1)}…` : text;
}

/** `held by sender/not-allowed`. */
function statusWords({ status, rule, as }: RecordedLetter): string {
  if (status === 'Admitted' && as !== undefined) return ADMITTED_WORDS[as.kind];
  return `${status.toLowerCase()}${rule === undefined ? '' : ` by ${rule}`}`;
}

const ADMITTED_WORDS = {
  Run: 'began a run',
  Answer: 'answered a question',
  Approval: 'decided on a call',
  NoApproval: 'decided nothing',
} as const;

const KIND_WORDS: Readonly<Record<KeptOutgoing['mail']['kind'], string>> = {
  Reply: 'reply',
  Tool: 'by send_email',
  Question: 'question',
  Approval: 'request for an approval',
  Fixed: 'fixed line',
};

/** Of a held letter: who, what, and why it waits, in two columns. */
export function heldRows({ head, atMs, rule, evidence = '', isTripped }: RecordedLetter): readonly Row[] {
  return [
    ['from', shownAddress(head.from ?? '(nobody or several)')],
    ['subject', shownLine(head.subject)],
    ['since', utcMinute(atMs)],
    ['waits', `because ${rule === undefined ? 'nobody knows why' : `${RULE_WORDS[rule]} (${rule})`}`],
    ...filled('shown by', printable(evidence)),
    ...filled('pair', isTripped === true ? 'a release lets both programs begin anew' : ''),
  ];
}

/** Of a letter, in two columns: everything but its texts. */
export function letterRows(story: LetterStory): readonly Row[] {
  const { head, status, atMs, seq, repeats } = story;
  const { authentication, place } = head;
  return [
    ['from', shownAddress(head.from ?? '(nobody or several)')],
    ['known by', knownBy(authentication)],
    ['evidence', printable(authentication.evidence)],
    ['to', shownAddresses(head.to)],
    ['subject', shownLine(head.subject)],
    ['came', `${utcMinute(head.receivedAtMs)}, recorded ${utcMinute(atMs)} (mail/${seq})`],
    ['lies', `${printable(place.mailbox)} ${printable(place.uidValidity)}/${place.uid}, ${renderSize(head.sizeBytes)}`],
    ...filled('again', repeats === 0 ? '' : `found at ${renderPlural(repeats, 'other place')}; nothing came of it`),
    ...filled('message', printable(head.messageId ?? '')),
    ...answersRows(story),
    ...filled('program', [...head.automatic.map((it) => SIGN_WORDS[it]), ...hopsText(head.hops)].join('; ')),
    ...filled('faults', head.faults.map((it) => FAULT_WORDS[it]).join('; ')),
    ['status', statusText(story)],
    ...(status === 'Admitted' || status === 'Released' ? [['began', beganText(story)] as const] : []),
    ...releaseRows(story),
    ...story.answers.map((it): Row => ['answered', mailLine(it)]),
  ];
}

function hopsText(hops: number): readonly string[] {
  return hops === 0 ? [] : [`${renderPlural(hops, 'program')} had answered before`];
}

function answersRows({ replyOf, head, threadId }: LetterStory): readonly Row[] {
  const named = replyOf === undefined ? '' : `our mail ${replyOf.mail.mailId} of ${utcMinute(replyOf.requestedAtMs)}`;
  const others =
    head.inReplyTo.length === 0
      ? ''
      : `a letter that the record does not have: ${head.inReplyTo.map(printable).join(', ')}`;
  return [...filled('answers', named === '' ? others : named), ...filled('thread', printable(threadId ?? ''))];
}

function statusText({ status, rule, evidence }: LetterStory): string {
  if (rule === undefined) return status;
  const why = evidence === undefined ? RULE_WORDS[rule] : printable(evidence);
  return status === 'Released' ? `${status}; it was held by ${rule}: ${why}` : `${status} by ${rule}: ${why}`;
}

function beganText(story: LetterStory): string {
  return `${admissionText(story)}${story.runId === undefined ? '' : ` (${printable(story.runId)})`}`;
}

function releaseRows({ release }: LetterStory): readonly Row[] {
  if (release === undefined) return [];
  return [['released', `by ${printable(release.by ?? 'somebody')}: ${printable(release.reason)}`]];
}

/** Of a mail of ours, in two columns. */
export function mailRows({ mail, requestedAtMs, runId, ...fate }: KeptOutgoing): readonly Row[] {
  return [
    ['to', shownAddresses(mail.to)],
    ['subject', shownLine(mail.subject)],
    ['what', KIND_WORDS[mail.kind]],
    ['wanted', utcMinute(requestedAtMs)],
    ['fate', fateText(fate)],
    ['message', printable(mail.messageId)],
    ...filled('answers', printable(mail.letterId ?? '')),
    ['thread', printable(mail.threadId)],
    ...filled('run', printable(runId ?? '')),
  ];
}

/** Of a run that a letter began: who wrote it, how that is known, who let it in, and what it answers, one line each. */
export function letterLines(story: LetterStory): readonly string[] {
  const { letterId, head, seq, release, threadId, replyOf } = story;
  const { from = '(nobody or several)', subject, authentication } = head;
  return [
    `letter ${letterId} of ${shownAddress(from)}, ${utcMinute(head.receivedAtMs)} (mail/${seq}): ${shownLine(subject)}`,
    `known by ${knownBy(authentication)}: ${printable(authentication.evidence)}`,
    ...(release === undefined
      ? []
      : [
          `released by ${printable(release.by ?? 'somebody')}: ${printable(release.reason)}; its words stay a stranger's`,
        ]),
    ...(replyOf === undefined ? [] : [`it answers ${mailLine(replyOf)}`]),
    ...(threadId === undefined ? [] : [`its thread: ${printable(threadId)}`]),
  ];
}

/** A mail of ours in a sentence: `o-1a2b to ann@example.org, sent`. */
export function mailLine({ mail, ...fate }: KeptOutgoing): string {
  return `${mail.mailId} to ${shownAddresses(mail.to)}: ${fateText(fate)}`;
}

/** Before each line that somebody else wrote: such a line cannot look like one of ours. */
const MARK = '  | ';

/** Words and enclosed parts, apart. @param texts  undefined: nobody read them */
export function textLines(texts: LetterTexts | undefined): readonly string[] {
  if (texts === undefined) return ['its texts were not read'];
  const { words, enclosed } = texts;
  return [
    ...(words === '' ? ["no words that are surely the sender's own"] : ["the sender's own words:", ...marked(words)]),
    ...enclosed.flatMap((part, at) => ['', ...enclosedLines(part, at + 1)]),
  ];
}

function enclosedLines({ kind, name, type, sizeBytes, text, isCut }: Enclosed, number: number): readonly string[] {
  const title = [
    ENCLOSED_WORDS[kind],
    ...(name === undefined ? [] : [printable(name)]),
    ...(type === undefined ? [] : [printable(type)]),
    renderSize(sizeBytes),
  ];
  return [
    `enclosed ${number}: ${title.join(', ')}; untrusted`,
    ...(text === '' ? [] : marked(text)),
    ...(isCut ? ['  the rest is not kept'] : []),
  ];
}

export function marked(text: string): readonly string[] {
  return shownLines(text).map((line) => `${MARK}${line}`);
}

function filled(label: string, text: string): readonly Row[] {
  return text === '' ? [] : [[label, text]];
}
