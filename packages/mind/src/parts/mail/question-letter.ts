/**
 * Questions of a run that a letter began: asked by mail, answered by the sender's next words in that thread.
 *
 * I1  A question goes to the sender of the letter alone, once, and only while the run waits for it.
 * I2  An answer is the sender's own new words. Where they cannot be told from what others wrote, the letter answers nothing.
 *
 * Source: springdrift 10, 17; design 4 (questions).
 */
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { printable, printableLines } from '@retainer/contract/std/printable';
import { utcSecond } from '@retainer/contract/std/utc-date';
import { inertText } from '../../gate/provenance/inert.ts';
import type { ToldCommand } from './approval-answer.ts';
import type { LetterText } from './approval-letter.ts';
import type { LetterHead, LetterTexts } from './letter.ts';
import type { Admission } from './mail-records.ts';
import type { MailState } from './mail-state.ts';

/** Characters of a question in a letter: two of what a tool may ask. */
const QUESTION_CHARACTERS_MAX = 2_048;

/** Of a run whose answer goes to a letter. */
export interface OpenMailQuestion {
  readonly runId: string;
  readonly questionId: string;
  /** The agent's own words. */
  readonly question: string;
  /** That began the run. */
  readonly letterId: string;
  /** Absent: it waits as long as the run does. */
  readonly expiresAtMs?: number;
  /** It holds what the letter's sender may not read: nobody is asked it by mail. */
  readonly isForOthers?: true;
}

export interface WantedQuestion {
  /** Of this question: the same mail, however often it is wanted. */
  readonly deliveryId: string;
  readonly to: string;
  readonly letterId: string;
  readonly question: OpenMailQuestion;
}

export function questionsToMail(
  { outgoing, letters }: Pick<MailState, 'outgoing' | 'letters'>,
  open: readonly OpenMailQuestion[],
  nowMs: number,
): readonly WantedQuestion[] {
  const mailed = new Set([...outgoing.values()].map(({ mail }) => mail.deliveryId));
  return open
    .filter(({ expiresAtMs = Infinity, isForOthers }) => expiresAtMs > nowMs && isForOthers !== true)
    .flatMap((question) => {
      const { letterId, questionId } = question;
      const to = letters.get(letterId)?.head.from;
      return to === undefined ? [] : [{ deliveryId: `question:${questionId}`, to, letterId, question }];
    })
    .filter(({ deliveryId }) => !mailed.has(deliveryId));
}

/** @param subject  of the letter that it goes on from */
export function questionLetter(question: OpenMailQuestion, subject: string, agent: string): LetterText {
  const { question: asked, expiresAtMs } = question;
  const lines = printableLines(headAndTail(asked, QUESTION_CHARACTERS_MAX));
  return {
    subject: /^\s*re:/i.test(subject) ? subject : `Re: ${subject}`,
    text: [
      `Before it goes on, ${printable(agent)} asks:`,
      '',
      ...lines.map((line) => `| ${inertText(line, () => false).text}`),
      '',
      'Answer this letter: what you write above the quoted text is your answer.',
      ...(expiresAtMs === undefined ? [] : [`It waits until ${utcSecond(expiresAtMs)}.`]),
      '',
    ].join('\n'),
  };
}

/** Undefined: the letter answers no question, so something else becomes of it. @param threadId  of the letter */
export function answerInThread(
  { outgoing, letters }: Pick<MailState, 'outgoing' | 'letters'>,
  { head, words, threadId }: Pick<LetterTexts, 'words'> & { readonly head: LetterHead; readonly threadId: string },
  open: readonly OpenMailQuestion[],
): Extract<Admission, { readonly kind: 'Answer' }> | undefined {
  if (words.trim() === '' || head.automatic.length > 0) return undefined;
  const asked = new Set(
    [...outgoing.values()].flatMap(({ mail }) =>
      mail.threadId === threadId && mail.to.length === 1 && mail.to[0] === head.from ? [mail.questionId] : [],
    ),
  );
  const question = open.find(
    ({ questionId, letterId }) => asked.has(questionId) && letters.get(letterId)?.threadId === threadId,
  );
  if (question === undefined || isAnswered(letters, question.questionId)) return undefined;
  return { kind: 'Answer', runId: question.runId, questionId: question.questionId };
}

/** The run may not have heard it yet. A second letter is words of its own, and must not be lost as an answer that nobody waits for. */
function isAnswered(letters: MailState['letters'], questionId: string): boolean {
  return [...letters.values()].some(({ as }) => as?.kind === 'Answer' && as.questionId === questionId);
}

/** What an admitted answer tells. @param from  of the letter */
export function answerCommand(
  { head: { from = '' }, words }: { readonly head: Pick<LetterHead, 'from'> } & Pick<LetterTexts, 'words'>,
  { runId, questionId }: Extract<Admission, { readonly kind: 'Answer' }>,
): ToldCommand {
  return {
    originId: `mail-answer:${questionId}`,
    command: {
      type: 'AnswerQuestion',
      runId,
      questionId,
      text: words,
      by: `mail:${from}`,
      knownBy: { how: 'Mail' },
    },
  };
}
