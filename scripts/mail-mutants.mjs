/**
 * Of the list of mutants: lines on which it stands that a letter begins work once, and a mail of ours goes out once, to whoever it may.
 * That alignment is taken from the topmost results alone is in `letter-mutants.mjs`.
 */
import { mutantsOfFile as of } from './mutants-of-file.mjs';

const mind = 'packages/mind/src/parts/mail';
const pod = 'agent-pod/src/parts/mail';

/** The mails that were sent before this process count for nothing. */
const SINCE_START =
  '{ ...this.#state, sends: this.#state.sends.slice(Object.assign(this, { sentBefore: this.sentBefore ?? this.#state.sends.length }).sentBefore) }';

export const mailMutants = [
  ...of(`${mind}/decide-letter.ts`, [`${mind}/decide-letter.test.ts`], {
    'mail: the sender must be listed': [
      "isListedAddress(from, allowedSenders) ? undefined : 'Its sender is not in allowedSenders.'",
      'isListedAddress(from, allowedSenders) ? undefined : undefined',
    ],
    'mail: the sender must be shown to be the author': [
      '(authentication.isAligned ? undefined : authentication.evidence)',
      '(authentication.isAligned ? undefined : undefined)',
    ],
    'mail: a letter is decided once': ['if (state.seen.has(letterId) && !isProvenLater(state, head))', 'if (false)'],
    'mail: a program that is no peer is not answered': ["hasSign(asked, 'AutoSubmitted') && !isOfPeer(asked)", 'false'],
    'mail: a bounce is not answered': ["hasSign(asked, 'Report', 'NullReturnPath', 'Daemon')", 'false'],
  }),
  ...of(`${pod}/mailbox-reader.ts`, [`${pod}/mailbox-reader.test.ts`], {
    'mail: flagged when it is durable': [
      'await parts.write(decideLetter(this.#state(), letter, runs.settings, runs.around()));\n    await mailbox.flag([place]);',
      'await mailbox.flag([place]);\n    await parts.write(decideLetter(this.#state(), letter, runs.settings, runs.around()));',
    ],
    'mail: a mailbox with other numbers is read anew': [
      'if (known?.uidValidity === uidValidity) return;',
      'if (known !== undefined) return;',
    ],
    'mail: whoever reads hears of the stop': ['void close();', 'undefined;'],
  }),
  ...of(`${pod}/outbox.ts`, [`${pod}/outbox.test.ts`], {
    'mail: replies are counted over processes': ['overLimit(this.#state,', `overLimit(${SINCE_START},`],
    'mail: what is handed is in the record first': [
      "await this.#write([recordIn(mailStore, 'MailHanded', { mailId })]);",
      '',
    ],
    'mail: what is handed is not sent again': [
      "it.status === 'Open' && !this",
      "['Open', 'Handed'].includes(it.status) && !this",
    ],
    'mail: what a lost machine may have sent is not sent again': ['&& requestedAtMs < restoredMs', '&& false'],
    'mail: the same mail is requested once': ['if (this.#state.outgoing.has(mailIdOf(request))) return true;', ''],
  }),
  ...of(`${pod}/sent-folder.ts`, [`${pod}/outbox.test.ts`], {
    'mail: Sent has one copy': [
      '=== false)\n        await mailbox.append',
      '!== undefined)\n        await mailbox.append',
    ],
    'mail: a Sent that is away says nothing of a mail': ["if (found === 'Away' && ", "if (found === 'None' && "],
  }),
  ...of(`${mind}/outgoing.ts`, [`${mind}/outgoing.test.ts`], {
    'mail: a tool writes to allowedRecipients alone': [
      "if (mail.kind === 'Tool' && !mail",
      "if (mail.kind === 'Fixed' && !mail",
    ],
    'mail: an answer goes to the sender of its letter': [
      'to.length === 1 && to[0] === letter.head.from',
      'to.length === 1',
    ],
    'mail: a letter has one answer': ['if (isSecondAnswer(state, mail))', 'if (false)'],
    'mail: hops are counted without a header': ['thread === undefined ? 0 : exchangedIn(state, thread)', '0'],
  }),
];
