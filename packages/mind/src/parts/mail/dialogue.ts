/** What people's letters say on what the agent asked them: on an approval, or a question. One admission, and its command for the inbox. */
import {
  decisionCommand,
  judgeAnswer,
  noApprovalText,
  type ApprovalAround,
  type ToldCommand,
} from './approval-answer.ts';
import type { Letter, LetterHead } from './letter.ts';
import type { Admission, NoApprovalRule, Outgoing } from './mail-records.ts';
import type { MailState } from './mail-state.ts';
import { answerCommand, answerInThread, type OpenMailQuestion } from './question-letter.ts';

export interface DialogueAround extends ApprovalAround {
  readonly questions: readonly OpenMailQuestion[];
}

/**
 * Undefined: it says nothing on either, so it begins a run.
 *
 * @param letter    as it came. What is recorded of it is without its codes (`withoutCodes`)
 * @param threadId  of the letter
 */
export function admissionOf(
  state: MailState,
  letter: Letter,
  threadId: string,
  around: DialogueAround,
): Admission | undefined {
  return judgeAnswer(state, letter, around) ?? answerInThread(state, { ...letter, threadId }, around.questions);
}

/** What an admitted letter tells a machine; undefined: nothing. */
export function commandOf(letter: Pick<Letter, 'head' | 'words'>, admission: Admission): ToldCommand | undefined {
  switch (admission.kind) {
    case 'Approval':
      return decisionCommand(letter.head.from ?? '', admission);
    case 'Answer':
      return answerCommand(letter, admission);
    case 'NoApproval':
    case 'Run':
      return undefined;
  }
}

/** No line of ours goes to a program, or to whoever may be another one. */
const UNANSWERED: ReadonlySet<NoApprovalRule> = new Set(['approval/by-program', 'approval/not-aligned']);

type FixedLine = Pick<Outgoing, 'kind' | 'to' | 'subject' | 'text'> &
  Required<Pick<Outgoing, 'letterId' | 'deliveryId'>>;

/** The one line that answers a letter which decided nothing; undefined: none does. */
export function fixedLine({ letterId, from, subject }: LetterHead, admission: Admission): FixedLine | undefined {
  if (admission.kind !== 'NoApproval' || from === undefined || UNANSWERED.has(admission.rule)) return undefined;
  return {
    kind: 'Fixed' as const,
    to: [from],
    subject: /^\s*re:/i.test(subject) ? subject : `Re: ${subject}`,
    text: noApprovalText(admission),
    letterId,
    deliveryId: `no-approval:${letterId}`,
  };
}
