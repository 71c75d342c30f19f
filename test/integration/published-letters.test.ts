/**
 * Letters of published test suites. They are part of no repository of ours: `RETAINER_LETTERS` names a directory that has them.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readLetter } from '@retainer/agent-pod/mail/letter/read-letter';
import { AGENT, RECEIVED_AT_MS } from '../support/crafted-letters/crafted-letter.ts';
import { Letter as LetterSchema } from '../support/crafted-letters/letter-schema.ts';
import { craftedDns } from '../support/crafted-letters/signing.ts';
import { lettersIn } from '../support/letters-in.ts';

const directory = process.env['RETAINER_LETTERS'];
const why = directory === undefined ? ' (skipped: RETAINER_LETTERS names no directory)' : '';
/** Milliseconds of the processor for one letter. */
const LETTER_MS_MAX = 1000;

describe.skipIf(directory === undefined)(`published letters${why}`, () => {
  const paths = directory === undefined ? [] : lettersIn(directory);

  it('are there', () => {
    expect(paths.length).toBeGreaterThan(0);
  });

  it.each(paths)('%s is read', async (path) => {
    const source = readFileSync(path);
    const before = process.cpuUsage();
    const arrival = {
      place: { mailbox: 'INBOX', uidValidity: '1', uid: 1 },
      receivedAtMs: RECEIVED_AT_MS,
      sizeBytes: source.length,
    };
    const letter = await readLetter(source, arrival, { ownAddress: AGENT, resolve: craftedDns });
    const { user, system } = process.cpuUsage(before);
    expect(LetterSchema.safeParse(letter).success).toBe(true);
    expect((user + system) / 1000).toBeLessThanOrEqual(LETTER_MS_MAX);
  });
});
