/** The mail of an agent, joined to what it sets off: its inbox, its runs, its questions, its approvals. */
import type { Agent } from '@retainer/contract/api/agent';
import { API_VERSION } from '@retainer/contract/api/names';
import { Task } from '@retainer/contract/api/task';
import type { JournalRecord } from '@retainer/journal/journal';
import { principalOfAddress, readersOf } from '@retainer/mind/gate/provenance/label';
import type { LetterAround, MailSettings } from '@retainer/mind/parts/mail/decide-letter';
import type { Enclosed, LetterHead, LetterTexts } from '@retainer/mind/parts/mail/letter';
import { mailStore } from '@retainer/mind/parts/mail/mail-store';
import type { KeptLetter } from '@retainer/mind/parts/mail/mail-state';
import { runIdOfLetter } from '@retainer/mind/parts/mail/run-of-letter';
import { knownThread } from '@retainer/mind/parts/mail/threads';
import { isTaken, type Command } from '@retainer/mind/run/inbox';
import type { RunOrigin } from '@retainer/mind/run/run-cause';
import { admitRun, type Admission } from './admit-runs.ts';
import type { Bell } from './loop/bell.ts';
import type { MailRunsPort } from './ports/mail.ts';

export interface MailParts {
  readonly admission: Admission;
  /** Rung by records of mail. */
  readonly bell: Bell;
  readonly isWritable: () => boolean;
  readonly nowMs: () => number;
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
    around: () => aroundOf(parts),
    isBegun: (letter) => isTaken(runtime.known.inbox, originIdOf(letter)),
    begin: (letter) => begin(admission, letter, email),
    changed: (signal) => bell.rung(signal),
  };
}

function aroundOf({ admission, nowMs }: MailParts): LetterAround {
  const { runtime } = admission;
  const restoredAtMs = runtime.known.secondCopy.restoring?.restoredMs;
  return {
    nowMs: nowMs(),
    ...(restoredAtMs === undefined ? {} : { restoredAtMs }),
    peer: () => undefined,
    answers: () => undefined,
  };
}

const originIdOf = ({ head }: Pick<KeptLetter, 'head'>): string => `mail:${head.letterId}`;

async function begin(admission: Admission, letter: KeptLetter, email: Email): Promise<void> {
  const { runtime } = admission;
  const { head, as, status } = letter;
  if (status === 'Released' || as?.kind === 'Run') return beginRun(admission, letter, email);
  const command = commandOf(letter);
  if (command !== undefined) await runtime.accept(originIdOf({ head }), MAIL_COMMAND_SOURCE, command);
}

function commandOf({ head, as, texts }: KeptLetter): Command | undefined {
  const { from = '', authentication } = head;
  const person = { by: `mail:${from}`, knownBy: { how: 'Mail' } } as const;
  if (as?.kind === 'Answer') {
    const { runId, questionId } = as;
    return { type: 'AnswerQuestion', runId, questionId, text: texts?.words ?? '', ...person };
  }
  if (as?.kind === 'Approval') {
    const { requestId, argumentsDigest, decision } = as;
    const reason = `by letter ${head.letterId}: ${authentication.evidence}`;
    return { type: 'DecideApproval', requestId, argumentsDigest, decision, reason, ...person };
  }
  return undefined;
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
function workOf({ definition, runtime }: Admission, { head, texts }: KeptLetter): Task {
  const { namespace, name } = definition.agent.metadata;
  const isNew = knownThread(runtime.known.mail, head) === undefined;
  return Task.parse({
    apiVersion: API_VERSION,
    kind: 'Task',
    metadata: { namespace, name: runIdOfLetter(head.letterId) },
    spec: {
      agentRef: { name },
      intent: intentOf(head, texts ?? { words: '', enclosed: [] }, isNew),
      context: contextOf(head, texts?.enclosed ?? []),
    },
  });
}

/** A subject of a thread that goes on says nothing new. */
function intentOf({ letterId, subject }: LetterHead, { words }: LetterTexts, isNew: boolean): string {
  if (words === '')
    return `Read the letter ${letterId} with read_message and answer it. Which of its words are its sender’s own cannot be told.`;
  return isNew && subject !== '' ? `${subject}\n\n${words}` : words;
}

function contextOf({ letterId, from = 'somebody' }: LetterHead, enclosed: readonly Enclosed[]): string {
  const lines = [`${from} wrote this letter, ${letterId}. Your result is the answer, and nobody else gets it.`];
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
