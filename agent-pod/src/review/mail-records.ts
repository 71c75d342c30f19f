/** The mail of an agent, as its record has it: read with no agent running, and never changed here. */
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import type { LetterTexts } from '@retainer/mind/parts/mail/letter';
import { mailKinds } from '@retainer/mind/parts/mail/mail-records';
import { type KeptLetter, type KeptOutgoing } from '@retainer/mind/parts/mail/kept-mail';
import { mail as mailProjection, type MailState } from '@retainer/mind/parts/mail/mail-state';
import { answeredMail } from '@retainer/mind/parts/mail/threads';

type Reader = Pick<JournalReader, 'read'>;

/** Of the store that has all mail. */
const STORE = 'mail';

export interface RecordedLetter extends KeptLetter {
  readonly letterId: string;
  /** That it began, or that its sender's question or approval belongs to. Absent: there is none. */
  readonly runId?: string;
  /** Whose letters of a kind are held after two programs wrote to each other without end. Absent: nothing tripped. */
  readonly isTripped?: true;
}

/** Letters and mails that are listed, oldest first each. */
export interface RecordedMail {
  readonly letters: readonly RecordedLetter[];
  readonly mails: readonly KeptOutgoing[];
}

/** One letter with all that the record has of it. */
export interface LetterStory extends RecordedLetter {
  /** Place of its head in the store `mail`. */
  readonly seq: number;
  readonly texts?: LetterTexts;
  /** How often it was found again at another place. */
  readonly repeats: number;
  /** Mails of ours that answer it, oldest first. */
  readonly answers: readonly KeptOutgoing[];
  /** The mail of ours that it names as the one before it. Absent: it answers none that the record has. */
  readonly replyOf?: KeptOutgoing;
}

/** The newest ones; the record has all. */
export async function mailIn(reader: Reader): Promise<RecordedMail> {
  const state = await foldedMail(reader);
  return {
    letters: [...state.letters.values()].map((letter) => asRecorded(letter, state)),
    mails: [...state.outgoing.values()],
  };
}

async function foldedMail(reader: Reader): Promise<MailState> {
  const state = mailProjection.start();
  for await (const record of reader.read(STORE)) mailProjection.take(state, record);
  return state;
}

function asRecorded(letter: KeptLetter, { pairs }: Pick<MailState, 'pairs'>): RecordedLetter {
  const runId = runOf(letter);
  const isTripped = letter.head.from !== undefined && pairs.get(letter.head.from)?.tripped !== undefined;
  return {
    ...letter,
    letterId: letter.head.letterId,
    ...(runId === undefined ? {} : { runId }),
    ...(isTripped ? { isTripped } : {}),
  };
}

function runOf({ as, release }: KeptLetter): string | undefined {
  if (release !== undefined) return release.runId;
  return as?.kind === 'Run' || as?.kind === 'Answer' ? as.runId : undefined;
}

/**
 * One letter, also of those that are too old to be listed, whose texts the fold has forgotten.
 *
 * @returns undefined if the record does not have it
 */
export async function letterStory(reader: Reader, letterId: string): Promise<LetterStory | undefined> {
  const found = new Found(letterId);
  for await (const record of reader.read(STORE)) found.take(record);
  return found.story();
}

/** The fold of one letter and of the mails around it: the state of all mail forgets old letters, this one does not. */
class Found {
  readonly #letterId: string;
  readonly #own = mailProjection.start();
  #seq: number | undefined;
  #texts: LetterTexts | undefined;
  #repeats = 0;

  constructor(letterId: string) {
    this.#letterId = letterId;
  }

  take(record: JournalRecord): void {
    const { kind, payload } = record;
    const letterId = letterIdOf(record);
    if (letterId !== undefined && letterId !== this.#letterId && kind !== 'MailRequested') return;
    mailProjection.take(this.#own, record);
    if (letterId !== this.#letterId) return;
    if (kind === 'MailSeen') this.#seq = record.seq;
    if (kind === 'MailRepeated') this.#repeats += 1;
    if (kind === 'MailAdmitted') this.#texts = mailKinds.MailAdmitted.parse(payload).texts;
    if (kind === 'MailHeld') this.#texts = mailKinds.MailHeld.parse(payload).texts;
  }

  story(): LetterStory | undefined {
    const letter = this.#own.letters.get(this.#letterId);
    if (letter === undefined || this.#seq === undefined) return undefined;
    const mails = [...this.#own.outgoing.values()];
    const replyOf = answeredMail(this.#own, letter.head);
    return {
      ...asRecorded(letter, this.#own),
      seq: this.#seq,
      ...(this.#texts === undefined ? {} : { texts: this.#texts }),
      repeats: this.#repeats,
      answers: mails.filter(({ mail }) => mail.letterId === this.#letterId),
      ...(replyOf === undefined ? {} : { replyOf }),
    };
  }
}

/** The letter that a record is about. */
function letterIdOf({ payload }: JournalRecord): string | undefined {
  const { letterId, head } = payload as { readonly letterId?: string; readonly head?: { readonly letterId: string } };
  return letterId ?? head?.letterId;
}

/** What a run sent, oldest first: its reply, and what its tools and questions sent. */
export async function mailsOfRun(reader: Reader, runId: string): Promise<readonly KeptOutgoing[]> {
  const { mails } = await mailIn(reader);
  return mails.filter((it) => it.runId === runId || it.mail.deliveryId?.startsWith(`${runId}-`) === true);
}
