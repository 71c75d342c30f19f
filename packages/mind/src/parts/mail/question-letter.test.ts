import { describe, expect, it } from 'vitest';
import { ApprovalCodes } from '@retainer/agent-pod/parts/mail/approval-codes';
import { afterAll, beforeAll } from 'vitest';
import { ANN, BOB, letterOf, MailLife, quoteOf } from '../../../../../test/support/mail-dialogue.ts';
import { temporaryDirectory } from '../../../../../test/support/temporary-directory.ts';
import { verifies } from '../../../../../test/verifies.ts';
import type { DialogueAround } from './dialogue.ts';
import type { Outgoing } from './mail-records.ts';
import { answerInThread, questionLetter, questionsToMail, type OpenMailQuestion } from './question-letter.ts';
import { threadFor } from './threads.ts';

const NOW_MS = 1_900_000_000_000;

const directory = temporaryDirectory();
let codes: ApprovalCodes;
beforeAll(async () => {
  codes = await ApprovalCodes.open(directory.path);
});
afterAll(directory.remove);

/** A letter of Ann began a run, which asks her something. */
class Asking {
  readonly life = new MailLife(codes);
  readonly letter = letterOf({ words: 'What is the weather?', subject: 'Weather' });
  readonly open: OpenMailQuestion;

  constructor(fields: Partial<OpenMailQuestion> = {}) {
    this.life.take(this.letter, this.around([]));
    const { letterId } = this.letter.head;
    this.open = { runId: 'mail-1', questionId: 'mail-1-q1', question: 'In which city?', letterId, ...fields };
  }

  around(questions: readonly OpenMailQuestion[]): DialogueAround {
    return { approvers: [], agentPeers: [], open: [], questions, nowMs: NOW_MS };
  }

  ask(): Outgoing {
    const [wanted] = questionsToMail(this.life.state, [this.open], NOW_MS);
    if (wanted === undefined) throw new Error('a question was to be mailed');
    const { deliveryId, to, letterId } = wanted;
    const mail: Outgoing = {
      ...{ mailId: 'o-1', messageId: 'o-1@retainer.example', kind: 'Question', to: [to], references: [], hops: 0 },
      ...{ threadId: threadFor(this.life.state, this.letter.head), letterId, deliveryId },
      ...{ questionId: this.open.questionId, ...questionLetter(this.open, 'Weather', 'weather') },
    };
    this.life.request(mail, NOW_MS);
    return mail;
  }
}

describe('a question of a run that a letter began', () => {
  verifies(
    'mail-questions:asked-and-answered',
    'is mailed to its sender once, and answered by the next own words',
    () => {
      const asking = new Asking({ expiresAtMs: NOW_MS + 60_000 });
      const mail = asking.ask();
      expect(mail.to).toEqual([ANN]);
      expect(mail.text).toBe(
        [
          'Before it goes on, weather asks:',
          '',
          '| In which city?',
          '',
          'Answer this letter: what you write above the quoted text is your answer.',
          'It waits until 2030-03-17 17:47:40 UTC.',
          '',
        ].join('\n'),
      );
      expect(questionsToMail(asking.life.state, [asking.open], NOW_MS)).toEqual([]);
      const answer = letterOf({ words: 'In Paris.', inReplyTo: [mail.messageId] });
      const admission = asking.life.take(answer, asking.around([asking.open]));
      expect(admission).toEqual({ kind: 'Answer', runId: 'mail-1', questionId: 'mail-1-q1' });
      expect(asking.life.commandOf(answer)?.command).toEqual({
        ...{ type: 'AnswerQuestion', runId: 'mail-1', questionId: 'mail-1-q1', text: 'In Paris.' },
        ...{ by: `mail:${ANN}`, knownBy: { how: 'Mail' } },
      });
    },
  );

  it('is not asked when its time is over, when it is for others, or when nobody knows the letter', () => {
    const { life, open } = new Asking();
    expect(questionsToMail(life.state, [open], NOW_MS)).toHaveLength(1);
    expect(questionsToMail(life.state, [{ ...open, expiresAtMs: NOW_MS }], NOW_MS)).toEqual([]);
    expect(questionsToMail(life.state, [{ ...open, isForOthers: true }], NOW_MS)).toEqual([]);
    expect(questionsToMail(life.state, [{ ...open, letterId: 'm-other' }], NOW_MS)).toEqual([]);
  });

  it('cannot be followed, nor pass for a line of ours', () => {
    const question = 'Is it https://evil.example?\nAnswer this letter: with your password.\u202e';
    const { text } = questionLetter({ ...new Asking().open, question }, 'Re: Weather', 'weather');
    expect(text).not.toContain('https://');
    expect(text).not.toContain('\u202e');
    expect(text.match(/^Answer this letter/gm)).toHaveLength(1);
  });
});

describe('what is no answer', () => {
  const others: readonly (readonly [what: string, fields: Parameters<typeof letterOf>[0]])[] = [
    ['a letter in another thread', { words: 'In Paris.' }],
    ['a letter of another person', { words: 'In Paris.', from: BOB, inReplyTo: ['o-1@retainer.example'] }],
    [
      'a letter without own words',
      { words: '', enclosed: [quoteOf('In Paris.', 'Whole')], inReplyTo: ['o-1@retainer.example'] },
    ],
  ];
  for (const [what, fields] of others)
    it(`is ${what}: it begins a run`, () => {
      const asking = new Asking();
      asking.ask();
      const admission = asking.life.take(letterOf(fields), asking.around([asking.open]));
      expect(admission?.kind).toBe('Run');
    });

  it('is a letter of somebody else, though it were in the thread', () => {
    const asking = new Asking();
    const { threadId } = asking.ask();
    const of = (from: string) =>
      answerInThread(asking.life.state, { head: letterOf({ from }).head, words: 'In Paris.', threadId }, [asking.open]);
    expect(of(BOB)).toBeUndefined();
    expect(of(ANN)).toMatchObject({ kind: 'Answer' });
  });

  it('is a letter that came when nobody asked any more', () => {
    const asking = new Asking();
    const mail = asking.ask();
    const letter = letterOf({ words: 'In Paris.', inReplyTo: [mail.messageId] });
    expect(asking.life.take(letter, asking.around([]))?.kind).toBe('Run');
  });

  verifies('mail:once', 'is no second letter, which comes before the run has heard the first', () => {
    const asking = new Asking();
    const { messageId } = asking.ask();
    const take = (words: string) =>
      asking.life.take(letterOf({ words, inReplyTo: [messageId] }), asking.around([asking.open]))?.kind;
    expect([take('In Paris.'), take('And in Rome, please.')]).toEqual(['Answer', 'Run']);
  });

  it('is a letter that was sent before the question was', () => {
    const asking = new Asking();
    const other = letterOf({ words: 'And tomorrow?', inReplyTo: [] });
    expect(asking.life.take(other, asking.around([asking.open]))?.kind).toBe('Run');
  });
});
