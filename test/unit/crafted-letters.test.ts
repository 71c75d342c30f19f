/** Row 29: letters that somebody could send, each with what must be known of it. */
import { readLetter } from '@retainer/agent-pod/mail/letter/read-letter';
import type { LetterSettings } from '@retainer/agent-pod/mail/letter/limits';
import { Letter as LetterSchema } from '../support/crafted-letters/letter-schema.ts';
import { describe, expect, it } from 'vitest';
import {
  ADA,
  AGENT,
  RECEIVED_AT_MS,
  SERVICE,
  WORK,
  type CraftedLetter,
} from '../support/crafted-letters/crafted-letter.ts';
import { craftedLetters } from '../support/crafted-letters/crafted-letters.ts';
import { craftedDns } from '../support/crafted-letters/signing.ts';

const letters = await craftedLetters();
/** Letters that the goal asks for. */
const LETTERS_MIN = 150;
/** Milliseconds of the processor for one letter. Source: reliability-security 7 (row 29). */
const LETTER_MS_MAX = 1000;

const settingsFor = ({ isServiceTrusted }: CraftedLetter): LetterSettings => ({
  ownAddress: AGENT,
  resolve: craftedDns,
  ...(isServiceTrusted ? { trustedAuthenticationService: SERVICE } : {}),
});
const arrivalOf = (source: Uint8Array) => ({
  place: { mailbox: 'INBOX', uidValidity: '1', uid: 1 },
  receivedAtMs: RECEIVED_AT_MS,
  sizeBytes: source.length,
});

describe('crafted letters', () => {
  it('are as many as the goal asks for, each of a name of its own', () => {
    expect(letters.length).toBeGreaterThanOrEqual(LETTERS_MIN);
    expect(new Set(letters.map(({ name }) => name)).size).toBe(letters.length);
  });

  it.each(letters.map((letter) => [letter.name, letter] as const))('a letter that %s', async (_name, letter) => {
    const source = letter.source();
    const cpu = process.cpuUsage();
    const read = await readLetter(source, arrivalOf(source), settingsFor(letter));
    const { user, system } = process.cpuUsage(cpu);
    expect((user + system) / 1000).toBeLessThanOrEqual(LETTER_MS_MAX);
    const { expected } = letter;
    expect(LetterSchema.safeParse(read).success).toBe(true);
    expect({
      isAligned: read.head.authentication.isAligned,
      from: read.head.from ?? null,
      automatic: read.head.automatic.toSorted(),
      faults: read.head.faults.toSorted(),
      words: read.words,
    }).toEqual({
      isAligned: expected.isAligned,
      from: expected.from === undefined ? ADA : expected.from,
      automatic: expected.automatic ?? [],
      faults: expected.faults ?? [],
      words: expected.words ?? WORK,
    });
    const { evidence } = read.head.authentication;
    expect(evidence).toContain(expected.evidence ?? '');
    const enclosed = read.enclosed.map(({ text }) => text).join('\n');
    for (const text of expected.enclosed ?? []) {
      expect(enclosed).toContain(text);
      expect(read.words).not.toContain(text);
    }
    if (expected.subject !== undefined) expect(read.head.subject).toBe(expected.subject);
    expect(read.head.hops).toBe(expected.hops ?? 0);
  });
});
