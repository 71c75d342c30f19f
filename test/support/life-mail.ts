/** The letters of a generated life: what may come, and what serves them, as the component of mail does. */
import type { AgentRuntime } from '@retainer/agent-pod/loop/agent-runtime';
import type { PartRecord } from '@retainer/mind/part/store';
import type { KeptLetter } from '@retainer/mind/parts/mail/kept-mail';
import type { RunSpec } from '@retainer/mind/run/event';
import type { Command } from '@retainer/mind/run/inbox';
import type { RunOrigin } from '@retainer/mind/run/run-cause';
import type { LetterOfLife } from './life-steps.ts';
import { headOf, letterIdOf, outgoingOf } from './recorded-mail.ts';

interface Came {
  /** Unique in its life. */
  readonly name: string;
  readonly kind: LetterOfLife;
  readonly nowMs: number;
}

/** The letter of a step, once: the same step again changes nothing. */
export async function takeLetter(runtime: AgentRuntime, { name, kind, nowMs }: Came): Promise<void> {
  const { mailboxes, seen } = runtime.parts.known().mail;
  const letterId = letterIdOf(name);
  if (seen.has(letterId)) return;
  const opened = { mailbox: 'INBOX', uidValidity: '7', fromUid: 1, sinceMs: nowMs };
  const head = headOf(name, { receivedAtMs: nowMs, subject: kind });
  await runtime.parts.write([
    ...(mailboxes.size === 0 ? [record('MailboxOpened', opened)] : []),
    record('MailSeen', { head }),
    decisionOn(letterId, kind),
  ]);
}

const record = (kind: string, payload: PartRecord['payload']): PartRecord => ({ store: 'mail', kind, payload });

function decisionOn(letterId: string, kind: LetterOfLife): PartRecord {
  const kept = { letterId, threadId: `t-${letterId}`, texts: { words: 'Look at the logs.', enclosed: [] } };
  switch (kind) {
    case 'stranger':
      return record('MailHeld', { ...kept, rule: 'sender/not-allowed', evidence: 'Not listed.' });
    case 'list':
      return record('MailDropped', { letterId, rule: 'automatic/list', evidence: 'It came by a list.' });
    default:
      return record('MailAdmitted', { ...kept, as: { kind: 'Run', runId: `works-${letterId}` } });
  }
}

/** A person lets the letter begin a run that waits longest. */
export function releaseOn(runtime: AgentRuntime): Command | undefined {
  const held = [...runtime.parts.known().mail.letters.values()].find(({ status }) => status === 'Held');
  if (held === undefined) return undefined;
  return { type: 'ReleaseMail', letterId: held.head.letterId, reason: 'as we said', by: 'ann' };
}

/** Makes the run of a letter. */
type SpecOf = (runId: string, origin: RunOrigin) => RunSpec;

/** One look at all letters: begins what is to begin, and answers what has ended. @returns whether there was anything to do */
export async function lookAtLetters(runtime: AgentRuntime, nowMs: number, specOf: SpecOf): Promise<boolean> {
  let isBusy = false;
  for (const letter of runtime.parts.known().mail.letters.values()) {
    const runId = letter.release?.runId ?? (letter.as?.kind === 'Run' ? letter.as.runId : undefined);
    if (runId !== undefined && (await serve(runtime, letter, { runId, nowMs, specOf }))) isBusy = true;
  }
  return isBusy;
}

interface Serving {
  readonly runId: string;
  readonly nowMs: number;
  readonly specOf: SpecOf;
}

async function serve(runtime: AgentRuntime, letter: KeptLetter, { runId, nowMs, specOf }: Serving): Promise<boolean> {
  const { head, atMs, isAnswered } = letter;
  if (!runtime.known.runs.ids.has(runId)) {
    if (head.subject === 'waits' && atMs === nowMs) return false;
    const command = { type: 'StartRun', spec: specOf(runId, originOf(letter)) } as const;
    return runtime.accept(`letter:${head.letterId}`, 'mail', command);
  }
  const isOpen = runtime.openRuns().some(({ spec }) => spec.runId === runId);
  if (isOpen || isAnswered || head.subject === 'silent') return false;
  await answer(runtime, letter);
  return true;
}

function originOf({ head: { letterId, from = '' }, threadId = '' }: KeptLetter): RunOrigin {
  return {
    cause: { kind: 'Mail', letterId, from, threadId },
    ...{ replyTo: { channel: 'Mail', target: letterId }, conversation: `mail/${threadId}` },
  };
}

async function answer(runtime: AgentRuntime, { head: { letterId }, threadId = '' }: KeptLetter): Promise<void> {
  const mail = outgoingOf(letterId, { letterId, threadId, mailId: letterId.replace('m-', 'o-') });
  await runtime.parts.write([record('MailRequested', { mail }), record('MailSent', { mailId: mail.mailId })]);
}
