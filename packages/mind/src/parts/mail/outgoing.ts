/**
 * A mail of ours, made of what somebody wants to say and of the record: its thread, what it answers, its id.
 *
 * I1  The same reason makes the same mail: its id and its Message-ID follow from what it is for.
 * I2  Nothing of its headers is a model's but the subject of a new thread, on one line.
 * I3  An answer goes to the sender of the letter that it answers, and to nobody else.
 *
 * Source: reliability-security 5 (Message-ID fixed before SMTP; In-Reply-To and References from the record, rates); springdrift 10.
 */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { sha256Hex } from '@retainer/contract/std/hash';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { asciiLowerCase, domainOf, isListedAddress } from '../../gate/provenance/mail-address.ts';
import { bodyText, isMailAddress, isMessageId, oneLine } from './header-values.ts';
import type { Outgoing } from './mail-records.ts';
import type { KeptLetter, KeptOutgoing, OutgoingStatus, Thread } from './kept-mail.ts';
import type { MailState } from './mail-state.ts';
import { exchangedIn, newThreadId } from './threads.ts';

/** A mail to be sent; everything else of it follows from the record. */
export type SendRequest = Pick<Outgoing, 'kind' | 'to' | 'subject' | 'text'> &
  Partial<Pick<Outgoing, 'letterId' | 'deliveryId' | 'callId' | 'questionId' | 'approval'>> & {
    readonly runId?: string;
    /** Continues this thread, after its newest letter; absent: the letter that it answers says which, or it begins one. */
    readonly threadId?: string;
  };

/** Of `channels.email`. */
export interface SendSettings {
  /** The agent's own address. */
  readonly address: string;
  readonly allowedRecipients: readonly string[];
  /** In a rolling hour. */
  readonly sendsPerHour: number;
  /** In a rolling hour. */
  readonly repliesPerThreadPerHour: number;
  /** In a rolling day. */
  readonly messagesPerCorrespondentPerDay: number;
}

/** Receivers of one mail: more is a list. */
export const RECIPIENTS_MAX = 10;
/** Characters of a mail: a long report. */
export const MAIL_CHARACTERS_MAX = 32_768;
/** Ids that References names: the first and the newest. Mail programs need the parent and the root alone. */
const REFERENCES_KEPT = 20;
/** Hexadecimal digits of a mail's id, and of the part of its Message-ID that nobody guesses who does not know the mail. */
const MAIL_DIGITS = 20;
const MESSAGE_DIGITS = 16;

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const NO_SUBJECT = 'No subject';

/** `Re:` as mail programs of other languages and older ones write it. */
const REPLY_MARKS = /^(?:\s*(?:re|aw|antw|sv|vs|odp|ref)(?:\s*\[\d+\]|\s*\(\d+\))?\s*[:\uff1a])+/i;

/** The id of the mail that a request makes. */
export function mailIdOf(request: Omit<SendRequest, 'subject' | 'text'>): string {
  return `o-${sha256Hex(reasonOf(request)).slice(0, MAIL_DIGITS)}`;
}

function reasonOf({ deliveryId, callId, ...more }: Omit<SendRequest, 'subject' | 'text'>): string {
  if (deliveryId !== undefined) return `delivery ${deliveryId}`;
  if (callId !== undefined) return `call ${callId}`;
  const { kind, letterId = '', questionId = '', approval, to } = more;
  return canonicalJson([kind, letterId, questionId, approval?.requestId ?? '', receiversOf(to)]);
}

const receiversOf = (to: readonly string[]): string[] => [...new Set(to.map(asciiLowerCase))];

/** @returns the mail; or why there is none, as a sentence that names field and fix */
export function outgoingOf(
  state: MailState,
  request: SendRequest,
  { address }: Pick<SendSettings, 'address'>,
): Result<Outgoing, string> {
  const to = receiversOf(request.to);
  const letter = request.letterId === undefined ? undefined : state.letters.get(request.letterId);
  const fault = receiverFault(request, to, letter) ?? (to.includes(asciiLowerCase(address)) ? OWN_ADDRESS : undefined);
  if (fault !== undefined) return err(fault);
  return ok(made(state, { ...request, to }, letter, address));
}

function made(state: MailState, request: SendRequest, letter: KeptLetter | undefined, address: string): Outgoing {
  const { kind, to, letterId, deliveryId, callId, questionId, approval } = request;
  const mailId = mailIdOf(request);
  const threadId = request.threadId ?? letter?.threadId ?? newThreadId(mailId);
  const thread = state.threads.get(threadId);
  const before = idsBefore(thread, letter);
  const subject = subjectOf(request, letter?.head.subject ?? thread?.subject);
  const text = bodyText(request.text).slice(0, MAIL_CHARACTERS_MAX);
  const digest = sha256Hex(canonicalJson([address, mailId, threadId, [...to], subject, text])).slice(0, MESSAGE_DIGITS);
  return {
    ...{ mailId, messageId: `${mailId}.${digest}@${domainOf(address)}`, kind, to: [...to], subject, text, threadId },
    references: shortened(before),
    hops: hopsAt(state, { letter, thread, runId: request.runId }),
    ...present({ inReplyTo: before.at(-1), letterId, deliveryId, callId, questionId, approval }),
  };
}

/** Without what is not there. */
function present<T extends object>(all: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const there = Object.entries(all).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

const OWN_ADDRESS = 'to: the agent does not write to itself; name another receiver';

function receiverFault({ letterId }: SendRequest, to: readonly string[], letter: KeptLetter | undefined) {
  if (to.length === 0 || to.length > RECIPIENTS_MAX) return `to: name 1 to ${RECIPIENTS_MAX} receivers`;
  if (!to.every(isMailAddress)) return 'to: each receiver is a bare address, as ann@example.org';
  if (letterId === undefined) return undefined;
  if (letter?.head.from === undefined) return `letterId: the agent knows no such letter that could be answered`;
  return to.length === 1 && to[0] === letter.head.from
    ? undefined
    : 'to: an answer to a letter goes to its sender alone';
}

/** Message-IDs that it comes after, oldest first. What is no Message-ID of ASCII is left out. */
function idsBefore(thread: Thread | undefined, letter: KeptLetter | undefined): readonly string[] {
  const parent = letter?.head.messageId;
  const others = (thread?.messageIds ?? []).filter((id) => id !== parent);
  return [...others, ...(parent === undefined ? [] : [parent])].filter(isMessageId);
}

function shortened(ids: readonly string[]): string[] {
  return ids.length <= REFERENCES_KEPT ? [...ids] : [...ids.slice(0, 1), ...ids.slice(1 - REFERENCES_KEPT)];
}

function subjectOf({ subject }: SendRequest, answered: string | undefined): string {
  if (answered === undefined) return oneLine(subject) || NO_SUBJECT;
  const bare = oneLine(answered).replace(REPLY_MARKS, '').trim();
  return oneLine(`Re: ${bare || NO_SUBJECT}`);
}

interface About {
  readonly letter: KeptLetter | undefined;
  readonly thread: Thread | undefined;
  readonly runId: string | undefined;
}

/**
 * How many programs have answered, with this mail: by the header, or by our own count where that is higher, since a header can be
 * stripped. It begins anew where a person released the letter.
 */
function hopsAt(state: MailState, { letter, thread, runId }: About): number {
  const cause = runId === undefined ? undefined : [...state.letters.values()].findLast((it) => runOf(it) === runId);
  const before = Math.max(0, hopsOfLetter(letter), hopsOfLetter(cause));
  return Math.max(before + 1, thread === undefined ? 0 : exchangedIn(state, thread));
}

const hopsOfLetter = (letter: KeptLetter | undefined): number =>
  letter === undefined || letter.status === 'Released' ? 0 : letter.head.hops;

function runOf({ as, release }: KeptLetter): string | undefined {
  return release?.runId ?? (as?.kind === 'Run' || as?.kind === 'Answer' ? as.runId : undefined);
}

export const LIMITS = [
  'allowedRecipients',
  'repliesPerLetter',
  'sendsPerHour',
  'repliesPerThreadPerHour',
  'messagesPerCorrespondentPerDay',
] as const;

export interface OverLimit {
  /** As the manifest names it. `repliesPerLetter`: one. */
  readonly limit: (typeof LIMITS)[number];
  /** When the same mail may go, milliseconds since 1970; undefined: never. */
  readonly untilMs?: number;
}

/** The first limit that forbids a mail. @param mail  not yet in the record */
export function overLimit(
  state: MailState,
  mail: Outgoing,
  settings: SendSettings,
  nowMs: number,
): OverLimit | undefined {
  if (mail.kind === 'Tool' && !mail.to.every((it) => isListedAddress(it, settings.allowedRecipients)))
    return { limit: 'allowedRecipients' };
  if (isSecondAnswer(state, mail)) return { limit: 'repliesPerLetter' };
  const counts = [
    { limit: 'sendsPerHour', max: settings.sendsPerHour, lastMs: HOUR_MS, counts: () => true },
    {
      limit: 'repliesPerThreadPerHour',
      max: mail.kind === 'Tool' ? Infinity : settings.repliesPerThreadPerHour,
      lastMs: HOUR_MS,
      counts: (it: Sent) => it.isReply && it.threadId === mail.threadId,
    },
    ...mail.to.map((receiver) => ({
      limit: 'messagesPerCorrespondentPerDay' as const,
      max: settings.messagesPerCorrespondentPerDay,
      lastMs: DAY_MS,
      counts: (it: Sent) => it.to.includes(receiver),
    })),
  ] as const;
  for (const { limit, max, lastMs, counts: holds } of counts) {
    const moments = state.sends.filter((it) => it.atMs > nowMs - lastMs && holds(it)).map(({ atMs }) => atMs);
    if (moments.length < max) continue;
    const freeMs = moments[moments.length - max];
    return { limit, ...(freeMs === undefined ? {} : { untilMs: freeMs + lastMs }) };
  }
  return undefined;
}

/**
 * The first limit that forbade a mail of the record when it was requested. A crash may have cut off what would say so, and lists of the
 * Agent may have changed since.
 */
export function wasOverLimit(
  state: MailState,
  { mail, requestedAtMs }: Pick<KeptOutgoing, 'mail' | 'requestedAtMs'>,
  settings: SendSettings,
): OverLimit | undefined {
  const before = <T>(all: readonly T[], isOwn: (it: T) => boolean): T[] => {
    const at = all.findIndex(isOwn);
    return at === -1 ? [...all] : all.slice(0, at);
  };
  const outgoing = new Map(before([...state.outgoing], ([mailId]) => mailId === mail.mailId));
  const sends = before(state.sends, ({ mailId }) => mailId === mail.mailId);
  return overLimit({ ...state, outgoing, sends }, mail, settings, requestedAtMs);
}

type Sent = MailState['sends'][number];

/** Nobody got such a mail. */
const UNSENT: ReadonlySet<OutgoingStatus> = new Set(['Withheld', 'Failed']);

/** A letter gets one result. Questions before it are none. */
function isSecondAnswer({ outgoing }: MailState, { kind, letterId, mailId }: Outgoing): boolean {
  if (letterId === undefined || !isResult(kind)) return false;
  return [...outgoing.values()].some(
    ({ mail, status }) =>
      mail.letterId === letterId && mail.mailId !== mailId && isResult(mail.kind) && !UNSENT.has(status),
  );
}

const isResult = (kind: Outgoing['kind']): boolean => kind === 'Reply' || kind === 'Fixed';

/** Whether nobody has written to the other one yet, in either direction. */
export function isFirstContact({ contacts }: MailState, address: string): boolean {
  return !contacts.has(asciiLowerCase(address));
}
