/** Row 29, through the agent: every crafted letter is read and decided as an agent does it, and none of a forger's begins anything. */
import { readLetter } from '@retainer/agent-pod/mail/letter/read-letter';
import { decideLetter, type LetterAround, type MailSettings } from '@retainer/mind/parts/mail/decide-letter';
import type { Letter } from '@retainer/mind/parts/mail/letter';
import { describe, expect } from 'vitest';
import { AGENT, RECEIVED_AT_MS, SERVICE, type CraftedLetter } from '../support/crafted-letters/crafted-letter.ts';
import { craftedLetters } from '../support/crafted-letters/crafted-letters.ts';
import { craftedDns } from '../support/crafted-letters/signing.ts';
import { MailBook } from '../support/mail-book.ts';
import { verifies } from '../verifies.ts';

/** Letters that the goal asks for. */
const LETTERS_MIN = 150;

async function readOf({ source, isServiceTrusted }: CraftedLetter, uid: number): Promise<Letter> {
  const bytes = source();
  return readLetter(
    bytes,
    { place: { mailbox: 'INBOX', uidValidity: '1', uid }, receivedAtMs: RECEIVED_AT_MS, sizeBytes: bytes.length },
    {
      ...{ ownAddress: AGENT, resolve: craftedDns },
      ...(isServiceTrusted ? { trustedAuthenticationService: SERVICE } : {}),
    },
  );
}

interface Decided {
  readonly crafted: CraftedLetter;
  readonly kinds: readonly string[];
}

/** What becomes of each, one after the other in one record. Everybody is on the list, by domain: who wrote it is all that counts. */
async function decided(letters: readonly CraftedLetter[]): Promise<readonly Decided[]> {
  const book = new MailBook();
  book.nowMs = RECEIVED_AT_MS;
  const around: LetterAround = { nowMs: RECEIVED_AT_MS, approvers: [], agentPeers: [], open: [], questions: [] };
  const all: Decided[] = [];
  for (const [at, crafted] of letters.entries()) {
    const letter = await readOf(crafted, at + 1);
    const { from = '' } = letter.head;
    const settings: MailSettings = {
      address: AGENT,
      allowedSenders: [`*@${from.slice(from.lastIndexOf('@') + 1)}`],
      agentPeers: [],
      hopsMax: 10,
      pairExchangesMax: 10,
    };
    // Of one sender more letters than a day allows are held by that alone.
    book.state.admitted.length = 0;
    const records = decideLetter(book.state, letter, settings, around);
    book.take(records);
    all.push({ crafted, kinds: records.map(({ kind }) => kind) });
  }
  return all;
}

describe('crafted letters', () => {
  verifies('mail:forged', 'of an unauthenticated sender begin nothing, whoever is on the list', async () => {
    const letters = await craftedLetters();
    const all = await decided(letters);
    expect(all.length).toBeGreaterThanOrEqual(LETTERS_MIN);
    const admitted = all.filter(({ kinds }) => kinds.includes('MailAdmitted'));
    const mayBegin = ({ expected }: CraftedLetter): boolean =>
      expected.isAligned &&
      expected.from !== null &&
      (expected.automatic ?? []).length === 0 &&
      (expected.faults ?? []).length === 0;
    expect(admitted.filter(({ crafted }) => !mayBegin(crafted)).map(({ crafted }) => crafted.name)).toEqual([]);
    // The list works: the honest ones begin something.
    const honest = all.filter(({ crafted, kinds }) => mayBegin(crafted) && !kinds.includes('MailRepeated'));
    expect(honest.filter(({ kinds }) => !kinds.includes('MailAdmitted')).map(({ crafted }) => crafted.name)).toEqual(
      [],
    );
    expect(honest.length).toBeGreaterThan(LETTERS_MIN / 10);
  });
});
