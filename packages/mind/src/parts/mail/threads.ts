/**
 * Letters that answer each other. A thread is found by the Message-IDs of our own mails alone, and only for the one whom it is with:
 * a subject proves nothing, and whoever was forwarded a letter does not get its thread.
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import type { LetterHead } from './letter.ts';
import type { KeptOutgoing, Thread } from './kept-mail.ts';
import type { MailState } from './mail-state.ts';

/** Hexadecimal digits of a thread's id: two threads of one agent collide once in a trillion. */
const THREAD_DIGITS = 16;

/** @param seed  what the thread begins with: the id of a letter or of a mail */
export const newThreadId = (seed: string): string => `t-${sha256Hex(seed).slice(0, THREAD_DIGITS)}`;

/** The thread that a letter goes on with; undefined: it begins one. */
export function knownThread(
  { threads, threadOf }: Pick<MailState, 'threads' | 'threadOf'>,
  head: LetterHead,
): Thread | undefined {
  for (const messageId of [...head.inReplyTo, ...head.references.toReversed()]) {
    const found = threads.get(threadOf.get(messageId)?.threadId ?? '');
    if (found !== undefined && found.correspondent === head.from) return found;
  }
  return undefined;
}

export function threadFor(state: MailState, head: LetterHead): string {
  return knownThread(state, head)?.threadId ?? newThreadId(head.letterId);
}

/**
 * Letters of programs and mails of this agent that answer each other, up to its answer to the newest: it answered each of theirs, and
 * may have begun the thread as well. A header can be stripped, and this count cannot.
 */
export function exchangedIn(
  { threadOf }: Pick<MailState, 'threadOf'>,
  { automatic, messageIds }: Pick<Thread, 'automatic' | 'messageIds'>,
): number {
  const [first = ''] = messageIds;
  return 2 * automatic + (threadOf.has(first) ? 1 : 0);
}

/** The mail of ours that a letter answers: the first that it names. */
export function answeredMail(
  { threadOf, outgoing }: MailState,
  { inReplyTo, references }: LetterHead,
): KeptOutgoing | undefined {
  for (const messageId of [...inReplyTo, ...references.toReversed()]) {
    const mail = outgoing.get(threadOf.get(messageId)?.mailId ?? '');
    if (mail !== undefined) return mail;
  }
  return undefined;
}
