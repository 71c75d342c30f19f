/** What reading costs for the letters that are made to cost most, each in a process of its own. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { mimeLetters } from '../support/crafted-letters/mime-letters.ts';
import { verifies } from '../verifies.ts';

const MEBIBYTE = 1024 * 1024;
/** Source: reliability-security 7 (row 29). */
const LETTER_MS_MAX = 1000;
const LETTER_BYTES_MAX = 64 * MEBIBYTE;
/** Those that cost most of their kind; the unit test of the crafted letters measures the time of all. */
const COSTLY = [
  ...[
    'has 10 MiB of line ends',
    'has 10 MiB of quotes',
    'has 10 MiB of closing tags',
    'has 10 MiB of what is nearly a boundary',
  ],
  ...['has 10 MiB in an attachment', 'claims to be signed as relaxed/relaxed, with 190,000 lines to mend'],
  ...[
    'claims to be signed as relaxed/relaxed, with 49,000 blank lines',
    'claims to be signed as simple/simple, with 10 MiB on one line',
  ],
];
const bombs = mimeLetters()
  .map(({ name }) => name)
  .filter((name) => COSTLY.includes(name));

it('is looked for by names that exist', () => {
  expect(bombs).toHaveLength(COSTLY.length);
});

describe('a letter that is a bomb', () => {
  for (const name of bombs) {
    verifies('letters:limits', `costs little: ${name}`, () => {
      const output = execFileSync(
        process.execPath,
        [
          '--expose-gc',
          '--conditions=source',
          '--import',
          'tsx',
          'test/support/crafted-letters/measure-letter.ts',
          name,
        ],
        { encoding: 'utf8' },
      );
      const { cpuMs, grownBytes } = JSON.parse(output) as { cpuMs: number; grownBytes: number };
      expect(cpuMs).toBeLessThanOrEqual(LETTER_MS_MAX);
      expect(grownBytes).toBeLessThanOrEqual(LETTER_BYTES_MAX);
    });
  }
});
