/** The mail of an agent, joined to what it sets off: its inbox, its runs, its questions, its approvals. */
import type { Agent } from '@retainer/contract/api/agent';
import { API_VERSION } from '@retainer/contract/api/names';
import { Task } from '@retainer/contract/api/task';
import type { JournalRecord } from '@retainer/journal/journal';
import { principalOfAddress, readersOf } from '@retainer/mind/gate/provenance/label';
import { approvalQuestions, workQuestions } from '@retainer/mind/cycle/state';
import type { LetterAround, MailSettings } from '@retainer/mind/parts/mail/decide-letter';
import { commandOf, fixedLine } from '@retainer/mind/parts/mail/dialogue';
import {
  WORDS_CHARACTERS_MAX,
  type Enclosed,
  type LetterHead,
  type LetterTexts,
} from '@retainer/mind/parts/mail/letter';
import { mailStore } from '@retainer/mind/parts/mail/mail-store';
import type { KeptLetter } from '@retainer/mind/parts/mail/kept-mail';
import { mailIdOf } from '@retainer/mind/parts/mail/outgoing';
import { runIdOfLetter } from '@retainer/mind/parts/mail/run-of-letter';
import { knownThread } from '@retainer/mind/parts/mail/threads';
import { isTaken } from '@retainer/mind/run/inbox';
import type { RunOrigin } from '@retainer/mind/run/run-cause';
import { admitRun, type Admission } from './admit-runs.ts';
import type { AgentRuntime } from './loop/agent-runtime.ts';
import type { Bell } from './loop/bell.ts';
import { openApprovals, openMailQuestions } from './parts/mail/open-dialogue.ts';
import type { MailPort, MailRunsPort } from './ports/mail.ts';

export interface MailParts {
  readonly admission: Admission;
  /** Rung by records of mail. */
  readonly bell: Bell;
  readonly isWritable: () => boolean;
  readonly nowMs: () => number;
  readonly port: MailPort;
}

type Email = NonNullable<Agent['spec']['channels']['email']>;

/** The source of commands that letters give. */
const MAIL_COMMAND_SOURCE = 'mail';

export function mailSettingsOf({ budgets }: Agent['spec'], email: Email): MailSettings {
  const { address, allowedSenders, agentPeers } = email;
  const { hopsMax, pairExchangesMax } = budgets;
  return { address: address.toLowerCase(), allowedSenders, agentPeers, hopsMax, pairExchangesMax };
}

/** Whether a record may set something off. */
export function isOfMail({ store }: Pick<JournalRecord, 'store'>): boolean {
  return store === mailStore.name;
}

export function mailRunsOf(parts: MailParts, email: Email): MailRunsPort {
  const { admission, bell, isWritable } = parts;
  const { runtime, definition } = admission;
  return {
    settings: mailSettingsOf(definition.agent.spec, email),
    isWorking: () => runtime.isReady && runtime.takesNewRuns && isWritable(),
    around: () => aroundOf(parts, email),
    isBegun: (letter) => isBegun(parts, letter),
    begin: (letter) => begin(parts, letter, email),
    room: () => definition.agent.spec.limits.concurrentRuns - runsAtWork(runtime),
    changed: (signal) => bell.rung(signal),
  };
}

function aroundOf({ admission, nowMs }: MailParts, email: Email): LetterAround {
  const { runtime } = admission;
  const restoredAtMs = runtime.known.secondCopy.restoring?.restoredMs;
  return {
    nowMs: nowMs(),
    ...(restoredAtMs === undefined ? {} : { restoredAtMs }),
    approvers: email.approvers,
    agentPeers: email.agentPeers,
    open: openApprovals(runtime),
    questions: openMailQuestions(runtime, admission.registry.known),
  };
}

/** Of letters. One that waits for a person, or for its delivery, keeps no other letter waiting. */
function runsAtWork(runtime: AgentRuntime): number {
  const waiting = new Set(
    runtime
      .openCycles()
      .filter((state) => approvalQuestions(state).length + workQuestions(state).length > 0)
      .map(({ spec }) => spec.runId),
  );
  return runtime.openRuns().filter(({ spec, concluded, question }) => {
    const isAtWork = concluded === undefined && question === undefined && !waiting.has(spec.runId);
    return spec.cause.kind === 'Mail' && isAtWork;
  }).length;
}

const originIdOf = ({ head }: Pick<KeptLetter, 'head'>): string => `mail:${head.letterId}`;

async function begin({ admission, port }: MailParts, letter: KeptLetter, email: Email): Promise<void> {
  const { head, as } = letter;
  if (as === undefined || isForRun(letter)) return beginRun(admission, letter, email);
  const told = commandOf({ head, words: letter.texts?.words ?? '' }, as);
  if (told !== undefined) await admission.runtime.accept(told.originId, MAIL_COMMAND_SOURCE, told.command);
  const line = fixedLine(head, as);
  // It waits for its server by itself: the record has it.
  if (line !== undefined) await port.send(line, AbortSignal.abort());
}

const isForRun = ({ status, as }: KeptLetter): boolean => status === 'Released' || as?.kind === 'Run';

/**
 * Whether what it sets off is in the record: its command, or the line that answers it. The inbox forgets the oldest origins, and letters
 * are listed for longer where few come.
 */
function isBegun({ admission, port }: MailParts, letter: KeptLetter): boolean {
  const { head, as, isAnswered } = letter;
  const { runtime } = admission;
  const { inbox } = runtime.known;
  if (isAnswered) return true;
  if (as === undefined || isForRun(letter))
    return isTaken(inbox, originIdOf(letter)) || runtime.knowsRun(runIdOfLetter(head.letterId));
  const told = commandOf({ head, words: '' }, as);
  const line = fixedLine(head, as);
  return (
    (told === undefined || isTaken(inbox, told.originId)) &&
    (line === undefined || port.known().outgoing.has(mailIdOf(line)))
  );
}

async function beginRun(admission: Admission, letter: KeptLetter, email: Email): Promise<void> {
  const { head } = letter;
  const runId = runIdOfLetter(head.letterId);
  const task = workOf(admission, letter);
  await admitRun(admission, task, {
    ...{ runId, originId: originIdOf(letter), source: MAIL_COMMAND_SOURCE },
    origin: originOf(letter, email),
  });
}

/** A letter in the form of a Task: the words that a run begins with. */
function workOf({ definition, runtime }: Admission, letter: KeptLetter): Task {
  const { head, texts } = letter;
  const { namespace, name } = definition.agent.metadata;
  const isNew = knownThread(runtime.known.mail, head) === undefined;
  return Task.parse({
    apiVersion: API_VERSION,
    kind: 'Task',
    metadata: { namespace, name: runIdOfLetter(head.letterId) },
    spec: {
      agentRef: { name },
      intent: intentOf(head, texts ?? { words: '', enclosed: [] }, isNew),
      context: contextOf(letter),
    },
  });
}

/** A subject of a thread that goes on says nothing new. One that leaves no room for all words is left out, and `read_message` has it. */
function intentOf({ letterId, subject }: LetterHead, { words }: LetterTexts, isNew: boolean): string {
  if (words === '')
    return `Read the letter ${letterId} with read_message and answer it. Which of its words are its sender’s own cannot be told.`;
  const all = `${subject}\n\n${words}`;
  return isNew && subject !== '' && all.length <= WORDS_CHARACTERS_MAX ? all : words;
}

function contextOf({ head: { letterId, from = 'somebody' }, texts, status }: KeptLetter): string {
  const enclosed = texts?.enclosed ?? [];
  const author =
    status === 'Released'
      ? `This letter, ${letterId}, names ${from} as its author, and nothing proves it.`
      : `${from} wrote this letter, ${letterId}.`;
  const lines = [`${author} Your result is the answer, and nobody else gets it.`];
  if (enclosed.length > 0)
    lines.push(`With it came: ${enclosed.map(enclosedText).join('; ')}. read_message shows them.`);
  return lines.join('\n');
}

/** Names of attachments are strangers' words: they are shown by `read_message` alone. */
function enclosedText({ kind, sizeBytes }: Enclosed): string {
  return `${ENCLOSED_WORDS[kind]} (${sizeBytes} bytes)`;
}

const ENCLOSED_WORDS: Readonly<Record<Enclosed['kind'], string>> = {
  Quote: 'a quoted text',
  Forward: 'a forwarded letter',
  Hidden: 'a text that is hidden from its reader',
  Attachment: 'an attachment',
  Whole: 'the whole letter',
};

function originOf({ head, threadId = '', status }: KeptLetter, email: Email): RunOrigin {
  const { letterId, from = '' } = head;
  const isReleased = status === 'Released';
  // Nothing shows who wrote a released letter: its address alone is no owner.
  const principal = principalOfAddress(from, isReleased ? [] : email.owners);
  return {
    cause: { kind: 'Mail', letterId, from, threadId, ...(isReleased ? { isReleased } : {}) },
    replyTo: { channel: 'Mail', target: letterId },
    conversation: `mail/${threadId}`,
    principal,
    label: {
      source: { kind: 'Person', name: from },
      trust: isReleased ? 'Untrusted' : 'Trusted',
      readers: readersOf(principal),
    },
  };
}
