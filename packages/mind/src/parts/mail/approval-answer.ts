/**
 * Approvals by mail, the way in: what a person's answer decides, from the sender's new words alone.
 *
 * I1  An answer decides only if an approver of the Agent wrote it, known by alignment and no program, with the code of the letter that
 *     it answers, which was sent to this very address, before any other answer, in time, on the same arguments.
 * I2  Quotes, forwards and attachments decide nothing.
 * I3  After so many wrong codes nobody decides this request by mail any more.
 *
 * The order of the rules says only what is told first; each holds alone.
 *
 * Source: reliability-security 4 (approvals), 5; 7 (row 26).
 */
import type { PartCommand } from '../derived.ts';
import { isListedAddress } from '../../gate/provenance/mail-address.ts';
import { codeDigestOf, HIDDEN_CODE, isSameDigest, typedCode, withoutCodesIn, type TypedCode } from './approval-code.ts';
import { NEVER_BY_MAIL_CLASS, type OpenApproval } from './approval-letter.ts';
import type { Letter, LetterHead } from './letter.ts';
import type { Admission, NoApprovalRule } from './mail-records.ts';
import type { KeptOutgoing } from './kept-mail.ts';
import type { MailState } from './mail-state.ts';

/** Wrong codes for one request, of all approvers: one may misread it, and mistype it again. A guess hits once in 10^15. */
export const WRONG_CODES_PER_REQUEST_MAX = 5;
/** Wrong codes of one sender within a day, for whatever requests. */
export const WRONG_CODES_PER_SENDER_MAX = 10;
const DAY_MS = 86_400_000;

/** Characters of an evidence. */
const EVIDENCE_CHARACTERS_MAX = 600;

export interface ApprovalAround {
  /** Of `channels.email`. */
  readonly approvers: readonly string[];
  readonly agentPeers: readonly string[];
  readonly open: readonly OpenApproval[];
  readonly nowMs: number;
}

type NoApproval = Extract<Admission, { readonly kind: 'NoApproval' }>;

/** What a letter says on approvals; undefined: nothing, so something else becomes of it. */
export function judgeAnswer(state: MailState, letter: Letter, around: ApprovalAround): Admission | undefined {
  const mail = answeredApproval(state, letter.head);
  const said = decisionIn(letter.words);
  if (mail?.mail.approval === undefined)
    return isMeantAsCode(state, said?.typed?.code) ? noApproval('approval/no-letter') : undefined;
  const { requestId, argumentsDigest } = mail.mail.approval;
  const answer: Answer = {
    state,
    head: letter.head,
    mail,
    approval: mail.mail.approval,
    said,
    words: letter.words,
    around,
  };
  const broken = rules.find(([, isBroken]) => isBroken(answer));
  if (broken !== undefined) return noApproval(broken[0], requestId);
  if (said === undefined) return noApproval('approval/no-decision', requestId);
  return { kind: 'Approval', requestId, argumentsDigest, decision: said.decision, evidence: evidenceOf(answer) };
}

/** `approve attendance` is a request like any other. */
function isMeantAsCode({ outgoing }: MailState, code: string | undefined): boolean {
  if (code === undefined) return false;
  const digest = codeDigestOf(code);
  return /\d/.test(code) || [...outgoing.values()].some(({ mail }) => mail.approval?.codeDigest === digest);
}

/** The mail that asks for approval and that the letter answers: the first that it names, whoever got it. */
function answeredApproval({ threadOf, outgoing }: MailState, head: LetterHead): KeptOutgoing | undefined {
  return [...head.inReplyTo, ...head.references.toReversed()]
    .map((messageId) => outgoing.get(threadOf.get(messageId)?.mailId ?? ''))
    .find((it) => it?.mail.approval !== undefined);
}

interface Said {
  readonly decision: 'Approve' | 'Deny';
  /** Undefined: too little follows for a code. */
  readonly typed: TypedCode | undefined;
  /** Where the code begins. */
  readonly start: number;
}

const DECISION = /^[\s\u200B\uFEFF*_"'“”‘’`]*(approve|deny)(?![\p{L}\p{N}])[\s:=*_"'“”‘’`(<[\-–—]*/iu;

/** The first words of the sender's own; undefined: they are something else. */
function decisionIn(words: string): Said | undefined {
  const found = DECISION.exec(words);
  if (found === null) return undefined;
  const [all, word = ''] = found;
  return {
    decision: word.toLowerCase() === 'approve' ? 'Approve' : 'Deny',
    typed: typedCode(words.slice(all.length)),
    start: all.length,
  };
}

interface Answer {
  readonly state: MailState;
  readonly head: LetterHead;
  readonly mail: KeptOutgoing;
  readonly approval: NonNullable<KeptOutgoing['mail']['approval']>;
  readonly said: Said | undefined;
  readonly words: string;
  readonly around: ApprovalAround;
}

const waiting = ({ approval, around }: Answer): OpenApproval | undefined =>
  around.open.find(({ requestId }) => requestId === approval.requestId);

/** Why it decides nothing: the first that is broken. */
const rules: readonly (readonly [rule: NoApprovalRule, isBroken: (answer: Answer) => boolean])[] = [
  ['approval/not-aligned', ({ head }) => head.from === undefined || !head.authentication.isAligned],
  [
    'approval/by-program',
    ({ head, around }) => head.automatic.length > 0 || isListedAddress(head.from ?? '', around.agentPeers),
  ],
  ['approval/not-approver', ({ head, around }) => !isListedAddress(head.from ?? '', around.approvers)],
  ['approval/another-person', ({ head, mail }) => mail.mail.to.length !== 1 || mail.mail.to[0] !== head.from],
  ['approval/off', isOff],
  ['approval/no-decision', ({ said }) => said === undefined],
  ['approval/no-code', ({ said }) => said?.typed?.code === undefined],
  [
    'approval/wrong-code',
    ({ said, approval }) => !isSameDigest(codeDigestOf(said?.typed?.code ?? ''), approval.codeDigest),
  ],
  ['approval/two-decisions', saysBoth],
  ['approval/used', isUsed],
  ['approval/late', ({ approval, around }) => approval.untilMs <= around.nowMs],
  ['approval/over', (answer) => waiting(answer) === undefined],
  ['approval/changed', (answer) => waiting(answer)?.argumentsDigest !== answer.approval.argumentsDigest],
  ['approval/class', (answer) => (waiting(answer)?.effectClass ?? NEVER_BY_MAIL_CLASS) >= NEVER_BY_MAIL_CLASS],
];

function isOff({ state, head, approval, around }: Answer): boolean {
  let ofRequest = 0;
  let ofSender = 0;
  for (const { as, atMs, head: before } of state.letters.values()) {
    if (as?.kind !== 'NoApproval' || as.rule !== 'approval/wrong-code') continue;
    if (as.requestId === approval.requestId) ofRequest += 1;
    if (before.from === head.from && atMs > around.nowMs - DAY_MS) ofSender += 1;
  }
  return ofRequest >= WRONG_CODES_PER_REQUEST_MAX || ofSender >= WRONG_CODES_PER_SENDER_MAX;
}

/** By whomever: a request is decided once. */
function isUsed({ state, approval }: Answer): boolean {
  return [...state.letters.values()].some(({ as }) => as?.kind === 'Approval' && as.requestId === approval.requestId);
}

/** Somebody who left both lines of the letter in the answer has chosen none. */
function saysBoth({ said, words, approval }: Answer): boolean {
  if (said === undefined) return false;
  return words
    .slice(said.start)
    .split('\n')
    .slice(1)
    .map(decisionIn)
    .some((other) => {
      const code = other?.typed?.code;
      if (other === undefined || code === undefined || other.decision === said.decision) return false;
      return isSameDigest(codeDigestOf(code), approval.codeDigest);
    });
}

const WHYS: Readonly<Record<NoApprovalRule, string>> = {
  'approval/no-letter': 'It answers no letter by which this agent asked for an approval. Answer that letter itself.',
  'approval/not-approver': 'Its sender is not among the approvers of this agent.',
  'approval/not-aligned': 'Nothing proves who sent it.',
  'approval/by-program': 'A program wrote it, and only a person approves.',
  'approval/another-person': 'Another person was asked by that letter.',
  'approval/off': 'Too many wrong codes came, so this request is decided in another way.',
  'approval/no-decision':
    'Its first words are neither approve nor deny. Put the decision and the code above everything else.',
  'approval/no-code': 'The code of ten characters does not follow its first word.',
  'approval/wrong-code': 'Its code is not the one of the letter that it answers.',
  'approval/two-decisions': 'It says approve and deny. Answer the letter again with one of the two.',
  'approval/used': 'This request was already decided by mail.',
  'approval/late': 'It came after the request had run out, which counts as a denial.',
  'approval/over': 'Nobody waits for this decision any more.',
  'approval/changed': 'What waits now is not what the letter showed.',
  'approval/class': 'Calls of this class are never approved by mail.',
};

function noApproval(rule: NoApprovalRule, requestId?: string): NoApproval {
  return { kind: 'NoApproval', rule, ...(requestId === undefined ? {} : { requestId }), why: WHYS[rule] };
}

/** The one line that answers a letter which decided nothing. */
export const noApprovalText = ({ why }: Pick<NoApproval, 'why'>): string => `Nothing was decided. ${why}\n`;

function evidenceOf({ head, mail, approval }: Answer): string {
  const { evidence, method } = head.authentication;
  const told = `${head.from ?? ''} answered the mail ${mail.mail.mailId} with its code (letter ${head.letterId}, arguments sha256 ${approval.argumentsDigest.slice(0, 16)}); known by ${method}: ${evidence}`;
  return told.slice(0, EVIDENCE_CHARACTERS_MAX);
}

/** What a letter is recorded as: without the codes of our mails, and without what was typed as one. */
export function withoutCodes(state: MailState, letter: Letter): Letter {
  const digests = new Set(
    [...state.outgoing.values()].flatMap(({ mail: { approval } }) =>
      approval === undefined ? [] : [approval.codeDigest],
    ),
  );
  if (digests.size === 0) return letter;
  const hidden = (text: string): string => withoutCodesIn(text, digests);
  const words = answeredApproval(state, letter.head) === undefined ? letter.words : withoutTyped(letter.words);
  return {
    head: { ...letter.head, subject: hidden(letter.head.subject) },
    words: hidden(words),
    enclosed: letter.enclosed.map((it) => ({ ...it, text: hidden(it.text) })),
  };
}

/** Characters after `approve` that may hold a code with a slip in it. */
const SLIP_CHARACTERS = 24;

/** A mistyped code is most of a right one. */
function withoutTyped(words: string): string {
  const first = decisionIn(words);
  if (first === undefined) return words;
  const end = first.start + (first.typed?.code === undefined ? SLIP_CHARACTERS : first.typed.end);
  return `${words.slice(0, first.start)}${HIDDEN_CODE}${words.slice(end)}`;
}

/** A command for the inbox. Equal origins for the same request or question: each is taken once. */
export interface ToldCommand {
  readonly originId: string;
  readonly command: PartCommand;
}

/** What an admitted answer tells. @param from  of the letter */
export function decisionCommand(
  from: string,
  admission: Extract<Admission, { readonly kind: 'Approval' }>,
): ToldCommand {
  const { requestId, argumentsDigest, decision, evidence: reason } = admission;
  return {
    originId: `mail-approval:${requestId}`,
    command: {
      type: 'DecideApproval',
      requestId,
      argumentsDigest,
      decision,
      reason,
      by: `mail:${from}`,
      knownBy: { how: 'Mail' },
    },
  };
}
