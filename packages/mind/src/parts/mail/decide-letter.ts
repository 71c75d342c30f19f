/**
 * What becomes of a letter: the records of it, before anything is done. The table is read from the top; the first row that holds
 * decides.
 *
 * I1  A letter begins work only if its sender is listed and authenticated; a person may release one that is held.
 * I2  No letter of a list, of a program that is no peer, or of this agent itself is answered.
 * I3  The same letter is decided once, wherever it lies and however often it comes; once more, if nothing showed who wrote the first
 *     copy and something shows it of a later one.
 *
 * Source: reliability-security 5 (who, loops, duplicates); springdrift 10, 15 (2, 4, 29), 17 (E1 to E3).
 */
import { recordIn } from '../../part/record-in.ts';
import type { PartRecord } from '../../part/store.ts';
import { isListedAddress } from '../../gate/provenance/mail-address.ts';
import { withoutCodes } from './approval-answer.ts';
import { admissionOf, type DialogueAround } from './dialogue.ts';
import type { AutomaticSign, Letter, LetterHead, LetterTexts } from './letter.ts';
import type { Admission, DroppedRule, HeldRule } from './mail-records.ts';
import { mailStore } from './mail-store.ts';
import type { MailState } from './mail-state.ts';
import { judgePeer, type Circle } from './pairs.ts';
import { runIdOfLetter } from './run-of-letter.ts';
import { threadFor } from './threads.ts';

/** Of `channels.email` and `budgets`. */
export interface MailSettings {
  readonly address: string;
  readonly allowedSenders: readonly string[];
  readonly agentPeers: readonly string[];
  readonly hopsMax: number;
  readonly pairExchangesMax: number;
}

/** A day of letters from one sender that begin work: a person writes fewer. More wait for a person. */
export const LETTERS_PER_SENDER_PER_DAY_MAX = 100;
const DAY_MS = 86_400_000;

/** Characters of the texts of a letter that is not admitted. The server still has all of it. */
const HELD_WORDS_MAX = 8_192;
const HELD_ENCLOSED_MAX = 8;
const HELD_ENCLOSED_CHARACTERS_MAX = 2_048;

/** What the record of mail does not tell. */
export interface LetterAround extends DialogueAround {
  /** When the record was restored from an older copy, milliseconds since 1970. Absent: never. */
  readonly restoredAtMs?: number;
}

interface Asked {
  readonly state: MailState;
  readonly head: LetterHead;
  readonly settings: MailSettings;
  readonly around: LetterAround;
}

type Verdict =
  | { readonly as: 'Held'; readonly rule: HeldRule; readonly evidence: string }
  | { readonly as: 'Dropped'; readonly rule: DroppedRule; readonly evidence: string };

/** @returns the records of one append, the decision last: a letter whose decision is missing is read again */
export function decideLetter(
  state: MailState,
  letter: Letter,
  settings: MailSettings,
  around: LetterAround,
): readonly PartRecord[] {
  const { head } = letter;
  const { letterId, place } = head;
  if (state.seen.has(letterId) && !isProvenLater(state, head))
    return [recordIn(mailStore, 'MailRepeated', { letterId, place })];
  const recorded = withoutCodes(state, letter);
  const texts = { words: recorded.words, enclosed: [...recorded.enclosed] };
  const seen = recordIn(mailStore, 'MailSeen', { head: recorded.head });
  const asked: Asked = { state, head, settings, around };
  const verdict = verdictOn(asked);
  const threadId = threadFor(state, head);
  if (verdict?.as === 'Dropped') {
    const { rule, evidence } = verdict;
    return [seen, ...bounced(state, head), recordIn(mailStore, 'MailDropped', { letterId, rule, evidence })];
  }
  const hold = (rule: HeldRule, evidence: string): PartRecord =>
    recordIn(mailStore, 'MailHeld', { letterId, threadId, texts: shortened(texts), rule, evidence });
  if (verdict !== undefined) return [seen, hold(verdict.rule, verdict.evidence)];
  const isOfProgram = isOfPeer(asked);
  const circle = isOfProgram ? judgePeer(state, letter, settings, around.nowMs) : undefined;
  if (circle !== undefined) return [seen, tripped(head, threadId, circle), hold('pair/tripped', circleText(circle))];
  const run: Admission = { kind: 'Run', runId: runIdOfLetter(letterId) };
  const admission = admissionOf(state, letter, threadId, around) ?? run;
  const program = isOfProgram ? { isOfProgram: true as const } : {};
  return [seen, recordIn(mailStore, 'MailAdmitted', { letterId, threadId, texts, as: admission, ...program })];
}

/** A forged copy that comes first keeps no letter of its author from being read. */
function isProvenLater({ letters }: MailState, { letterId, authentication }: LetterHead): boolean {
  const before = letters.get(letterId);
  const isOpen = before?.status === 'Held' || before?.status === 'Dropped';
  return isOpen && authentication.isAligned && before.head.authentication.isAligned !== true;
}

function verdictOn(asked: Asked): Verdict | undefined {
  for (const row of rows) {
    const evidence = row.holds(asked);
    if (evidence !== undefined) return { ...row.verdict, evidence };
  }
  return undefined;
}

const hasSign = ({ head }: Asked, ...signs: readonly AutomaticSign[]): boolean =>
  head.automatic.some((it) => signs.includes(it));

const isOfPeer = ({ head, settings }: Asked): boolean =>
  head.from !== undefined && isListedAddress(head.from, settings.agentPeers);

interface Row {
  readonly verdict:
    | { readonly as: 'Held'; readonly rule: HeldRule }
    | { readonly as: 'Dropped'; readonly rule: DroppedRule };
  /** Why, in our words; undefined: it does not hold. */
  holds(asked: Asked): string | undefined;
}

const rows: readonly Row[] = [
  {
    verdict: { as: 'Dropped', rule: 'mailbox/before-agent' },
    holds: ({ state, head: { place, receivedAtMs } }) =>
      receivedAtMs < (state.mailboxes.get(place.mailbox)?.sinceMs ?? -Infinity)
        ? 'It came before the agent read this mailbox.'
        : undefined,
  },
  {
    verdict: { as: 'Dropped', rule: 'automatic/own' },
    holds: (asked) => (hasSign(asked, 'Own') ? 'The agent itself wrote it.' : undefined),
  },
  {
    verdict: { as: 'Dropped', rule: 'automatic/bounce' },
    holds: (asked) =>
      asked.head.bounceOf !== undefined || hasSign(asked, 'Report', 'NullReturnPath', 'Daemon')
        ? 'A mail server or a no-reply address wrote it.'
        : undefined,
  },
  {
    verdict: { as: 'Dropped', rule: 'automatic/list' },
    holds: (asked) => (hasSign(asked, 'List', 'Bulk') ? 'It came by a list, or to many.' : undefined),
  },
  {
    verdict: { as: 'Dropped', rule: 'automatic/stranger' },
    holds: (asked) =>
      hasSign(asked, 'AutoSubmitted') && !isOfPeer(asked) ? 'A program wrote it that is not in agentPeers.' : undefined,
  },
  {
    verdict: { as: 'Held', rule: 'limits/exceeded' },
    holds: ({ head }) => {
      const limits = head.faults.filter((it) => it !== 'NoSender' && it !== 'SeveralSenders');
      return limits.length === 0 ? undefined : `It exceeds what the agent reads: ${limits.join(', ')}.`;
    },
  },
  {
    verdict: { as: 'Held', rule: 'sender/not-one' },
    holds: ({ head }) => (head.from === undefined ? 'Its From names not exactly one address.' : undefined),
  },
  {
    verdict: { as: 'Held', rule: 'sender/not-allowed' },
    holds: ({ head: { from = '' }, settings: { allowedSenders } }) =>
      isListedAddress(from, allowedSenders) ? undefined : 'Its sender is not in allowedSenders.',
  },
  {
    verdict: { as: 'Held', rule: 'sender/not-aligned' },
    holds: ({ head: { authentication } }) => (authentication.isAligned ? undefined : authentication.evidence),
  },
  {
    verdict: { as: 'Held', rule: 'sender/too-many' },
    holds: ({ state, head: { from }, around: { nowMs } }) => {
      const lately = state.admitted.filter((it) => it.from === from && it.atMs > nowMs - DAY_MS);
      return lately.length < LETTERS_PER_SENDER_PER_DAY_MAX
        ? undefined
        : `Its sender wrote ${lately.length} letters within a day, and ${LETTERS_PER_SENDER_PER_DAY_MAX} begin work.`;
    },
  },
  {
    verdict: { as: 'Held', rule: 'mailbox/restored' },
    // What the lost machine answered after its last copy, nobody knows.
    holds: ({ head: { receivedAtMs }, around: { restoredAtMs = -Infinity } }) =>
      receivedAtMs < restoredAtMs
        ? 'The record was restored from an earlier copy, and the letter may have been answered after that.'
        : undefined,
  },
  {
    verdict: { as: 'Held', rule: 'pair/tripped' },
    holds: (asked) =>
      isOfPeer(asked) && asked.state.pairs.get(asked.head.from ?? '')?.tripped !== undefined
        ? 'This agent and its peer went in circles. Release a letter of the peer to let them go on.'
        : undefined,
  },
];

function bounced({ threadOf, outgoing }: MailState, { letterId, bounceOf }: LetterHead): readonly PartRecord[] {
  const mailId = bounceOf === undefined ? undefined : threadOf.get(bounceOf.messageId)?.mailId;
  if (bounceOf?.isPermanent !== true || mailId === undefined || !outgoing.has(mailId)) return [];
  return [recordIn(mailStore, 'MailBounced', { mailId, letterId, status: bounceOf.status })];
}

function circleText({ why, count }: Circle): string {
  return why === 'Hops'
    ? `This agent and its peer have answered each other ${count} times without a person.`
    : `This agent and its peer exchanged ${count} letters that say the same.`;
}

function tripped({ from: peer = '' }: LetterHead, threadId: string, { why, count }: Circle): PartRecord {
  return recordIn(mailStore, 'MailTripped', { peer, threadId, why, count });
}

function shortened({ words, enclosed }: LetterTexts): LetterTexts {
  return {
    words: words.slice(0, HELD_WORDS_MAX),
    enclosed: enclosed.slice(0, HELD_ENCLOSED_MAX).map((it) => ({
      ...it,
      text: it.text.slice(0, HELD_ENCLOSED_CHARACTERS_MAX),
      isCut: it.isCut || it.text.length > HELD_ENCLOSED_CHARACTERS_MAX,
    })),
  };
}
