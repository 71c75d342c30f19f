/** Mutants of approvals and questions by mail, and of agents that write to each other; see `mutant-list.mjs`. */
import { mutantsOfFile as of } from './mutants-of-file.mjs';

const mail = 'packages/mind/src/parts/mail';
const answers = ['test/unit/mail-approvals.test.ts', `${mail}/approval-letter.test.ts`];

export const mailDialogueMutants = [
  ...of(`${mail}/approval-answer.ts`, answers, {
    'mail-dialogue: the code is compared': [
      "({ said, approval }) => !isSameDigest(codeDigestOf(said?.typed?.code ?? ''), approval.codeDigest),",
      '() => false,',
    ],
    'mail-dialogue: whoever was asked answers': ['mail.mail.to.length !== 1 || mail.mail.to[0] !== head.from', 'false'],
    'mail-dialogue: only approvers decide': ["!isListedAddress(head.from ?? '', around.approvers)],", 'false],'],
    'mail-dialogue: a request is decided once': ["['approval/used', isUsed],", ''],
    'mail-dialogue: a late answer decides nothing': ['approval.untilMs <= around.nowMs]', 'false]'],
    'mail-dialogue: the arguments are those that were shown': [
      'waiting(answer)?.argumentsDigest !== answer.approval.argumentsDigest',
      'false',
    ],
    'mail-dialogue: never class 4': [
      '(waiting(answer)?.effectClass ?? NEVER_BY_MAIL_CLASS) >= NEVER_BY_MAIL_CLASS',
      'false',
    ],
    'mail-dialogue: wrong codes are counted': ['ofRequest >= WRONG_CODES_PER_REQUEST_MAX || ', ''],
    'mail-dialogue: both decisions are none': ["['approval/two-decisions', saysBoth],", ''],
    'mail-dialogue: quoted codes are blacked out': ['text: hidden(it.text) }', 'text: it.text }'],
    'mail-dialogue: mistyped codes are blacked out': [': withoutTyped(letter.words);', ': letter.words;'],
  }),
  ...of(`${mail}/approval-letter.ts`, answers, {
    'mail-dialogue: no letter for class 4': ['effectClass < NEVER_BY_MAIL_CLASS && ', ''],
    'mail-dialogue: once to each approver': ['.filter(({ deliveryId }) => !mailed.has(deliveryId));', ';'],
    'mail-dialogue: arguments cannot be followed': [
      'inertText(printable(line), () => false)',
      'inertText(printable(line), () => true)',
    ],
  }),
  ...of(`${mail}/question-letter.ts`, [`${mail}/question-letter.test.ts`], {
    'mail-dialogue: an answer is of whoever was asked': [' && mail.to[0] === head.from', ''],
    'mail-dialogue: what others may not read is not asked': [' && isForOthers !== true', ''],
  }),
  ...of(`${mail}/pairs.ts`, [`${mail}/pairs.test.ts`], {
    'mail-dialogue: hops are counted by the thread': [
      'Math.max(head.hops, thread === undefined ? 0 : exchangedIn(state, thread) + 1)',
      'head.hops',
    ],
    'mail-dialogue: hops are counted by the header': ['Math.max(head.hops, thread', 'Math.max(0, thread'],
    'mail-dialogue: letters that say the same are counted': [
      "return count >= pairExchangesMax ? { why: 'Alike', count } : undefined;",
      'return undefined;',
    ],
    'mail-dialogue: old letters do not count': ['atMs > nowMs - PAIR_WINDOW_MS', 'atMs > 0'],
  }),
  ...of('agent-pod/src/parts/mail/open-dialogue.ts', ['agent-pod/src/parts/mail/open-dialogue.test.ts'], {
    'mail-dialogue: a question tells nothing of others': ['unreadable(it.question) !== undefined', 'false'],
    'mail-dialogue: what earlier cycles read counts': ['hasReadOthers || ', ''],
  }),
  ...of('agent-pod/src/parts/mail/approval-codes.ts', answers, {
    'mail-dialogue: no old mail with another key': ['if (!isSameDigest(codeDigestOf(code), codeDigest))', 'if (false)'],
    'mail-dialogue: the key is private': ['if ((mode & OTHERS_BITS) !== 0)', 'if (false)'],
  }),
];
