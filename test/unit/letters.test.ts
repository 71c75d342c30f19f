/** What every letter has in common, whatever its bytes are. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TRY_AGAIN } from '@retainer/agent-pod/mail/letter/authenticate';
import type { DnsResolver, LetterSettings } from '@retainer/agent-pod/mail/letter/limits';
import { readHead, readLetter } from '@retainer/agent-pod/mail/letter/read-letter';
import { ENCLOSED_CHARACTERS_MAX, type Letter } from '@retainer/mind/parts/mail/letter';
import {
  ADA,
  AGENT,
  bytes,
  delivered,
  fields,
  FAILED,
  PASSED,
  RECEIVED_AT_MS,
  SERVICE,
  WORK,
} from '../support/crafted-letters/crafted-letter.ts';
import { craftedLetters } from '../support/crafted-letters/crafted-letters.ts';
import { Letter as LetterSchema } from '../support/crafted-letters/letter-schema.ts';
import { craftedDns, signed } from '../support/crafted-letters/signing.ts';
import { verifies } from '../verifies.ts';

const settings: LetterSettings = { ownAddress: AGENT, trustedAuthenticationService: SERVICE, resolve: craftedDns };

const read = (source: Uint8Array, more: Partial<LetterSettings> = {}): Promise<Letter> =>
  readLetter(
    source,
    { place: { mailbox: 'INBOX', uidValidity: '1', uid: 1 }, receivedAtMs: RECEIVED_AT_MS, sizeBytes: source.length },
    { ...settings, ...more },
  );

/** Small letters of every group, to be mutated. */
const SMALL_BYTES = 4000;
const letters = await craftedLetters();
const small = letters.filter(({ name }) => !/MiB|deep|[0-9],000|150/.test(name)).map(({ source }) => source());
const seeds = small.filter(({ length }) => length < SMALL_BYTES);

/** Pieces that mean something to programs. */
const TOKENS = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  '--b',
  '--',
  '"',
  '(',
  ')',
  '<',
  '>',
  ';',
  ':',
  '=',
  '\\',
  '=?utf-8?q?',
  '?=',
  'From: x@evil.example\r\n',
  `Authentication-Results: ${PASSED}\r\n`,
  'Content-Type: multipart/mixed; boundary=b\r\n',
  '<!--',
  '</blockquote>',
  '> ',
  '\u202e',
  '\ud800',
];

type Mutation = readonly [at: number, length: number, token: number];

function mutated(source: Uint8Array, mutations: readonly Mutation[]): Uint8Array {
  let bytesNow = Buffer.from(source);
  for (const [at, length, token] of mutations) {
    const start = Math.floor(at * bytesNow.length);
    const piece = Buffer.from(TOKENS[token % TOKENS.length] ?? '', 'utf8');
    bytesNow = Buffer.concat([bytesNow.subarray(0, start), piece, bytesNow.subarray(start + length)]);
  }
  return bytesNow;
}

const mutations = fc.array(
  fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat({ max: 40 }), fc.nat({ max: TOKENS.length })),
  { minLength: 1, maxLength: 6 },
);

/** What holds for every letter. */
function expectSound(letter: Letter): void {
  expect(LetterSchema.safeParse(letter).success).toBe(true);
  expect(letter.head.letterId).toMatch(/^m-[0-9a-f]{20}$/);
  expect(letter.head.subject).not.toMatch(/[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u);
  expect(letter.words).not.toMatch(/(?![\n\t])[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Surrogate}]/u);
  expect(letter.enclosed.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(ENCLOSED_CHARACTERS_MAX);
  expect(letter.head.authentication.evidence).toMatch(/^[ -~\u2019]*\.$/u);
  if (letter.head.from === undefined) expect(letter.head.faults.length).toBeGreaterThan(0);
  if (letter.head.from === undefined) expect(letter.head.authentication.isAligned).toBe(false);
  if (letter.enclosed.some(({ kind }) => kind === 'Whole')) expect(letter.words).toBe('');
  if (letter.head.faults.length > 0) expect(letter.words.length).toBeLessThanOrEqual(8192);
}

describe('any letter', () => {
  verifies('letters:total', 'is read, whatever its bytes are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (source) => {
        expectSound(await read(source));
        expectSound(
          await readHead(
            source,
            { place: { mailbox: 'I', uidValidity: '1', uid: 1 }, receivedAtMs: 0, sizeBytes: 1e9 },
            settings,
          ),
        );
      }),
    );
  });

  verifies('letters:total', 'is read, however a letter was damaged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...seeds), mutations, async (source, changes) => {
        expectSound(await read(mutated(source, changes)));
      }),
      { numRuns: 400 },
    );
  });

  verifies(
    'letters:authenticated',
    'proves nothing of its author by what stands below the provider’s word',
    async () => {
      const attack = fc.array(
        fc.constantFrom(
          `Authentication-Results: ${PASSED}`,
          `Authentication-Results: ${SERVICE}; dkim=pass header.d=example.org`,
          `Received: from x by ${SERVICE}; now`,
          `From: ${ADA}`,
          'X-A: b',
          `ARC-Authentication-Results: i=1; ${PASSED}`,
          'DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=s1; h=from; bh=x; b=y',
        ),
        { maxLength: 8 },
      );
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(FAILED, `${SERVICE}; none`, `${SERVICE}; spf=pass smtp.mailfrom=x@evil.example`),
          attack,
          async (word, lines) => {
            const letter = await read(bytes([...delivered([word]), ...lines, ...fields(), '', WORK]));
            expect(letter.head.authentication.isAligned).toBe(false);
          },
        ),
      );
    },
  );

  verifies(
    'letters:authenticated',
    'proves nothing of its author once any byte that was signed is another',
    async () => {
      const source = Buffer.from(await signed(bytes([...fields(), '', WORK, ''])));
      const unsigned = await read(source, {});
      expect(unsigned.head.authentication.isAligned).toBe(true);
      const from = source.indexOf('From: Ada');
      await fc.assert(
        fc.asyncProperty(
          fc.nat({ max: source.length - from - 3 }),
          fc.integer({ min: 1, max: 255 }),
          async (offset, difference) => {
            const other = Buffer.from(source);
            const index = from + offset;
            const before = other[index] ?? 0;
            other[index] = before ^ difference;
            // White space and the case of names may change: the relaxed form does not cover them.
            fc.pre(!/[\s]/.test(String.fromCharCode(before)) && !/[\s]/.test(String.fromCharCode(before ^ difference)));
            fc.pre(difference !== 0x20);
            expect((await read(other)).head.authentication.isAligned).toBe(false);
          },
        ),
      );
    },
  );
});

describe('the id of a letter', () => {
  const text = (lines: readonly string[], end: string): Uint8Array => Buffer.from(lines.join(end));
  const lines = [...fields('Message-ID: <one@example.org>'), '', WORK, '', 'Thanks.', ''];

  verifies(
    'letters:identity',
    'does not depend on line ends, white space at ends, or what servers put above',
    async () => {
      const ids = await Promise.all(
        [
          text(lines, '\r\n'),
          text(lines, '\n'),
          text([...lines, '', ' ', ''], '\r\n'),
          text(
            lines
              .map((line) => (line.includes(':') ? line : `${line}  `))
              .map((line) => (line.trim() === '' ? '' : line)),
            '\r\n',
          ),
          bytes([...delivered([PASSED]), ...lines]),
        ].map(async (source) => (await read(source)).head.letterId),
      );
      expect(new Set(ids).size).toBe(1);
    },
  );

  it('depends on the Message-ID and on the words', async () => {
    const first = await read(text(lines, '\r\n'));
    const otherId = await read(
      text([...fields('Message-ID: <two@example.org>'), ...lines.slice(lines.indexOf(''))], '\r\n'),
    );
    const otherWords = await read(text([...lines, 'More.'], '\r\n'));
    expect(new Set([first, otherId, otherWords].map(({ head }) => head.letterId)).size).toBe(3);
    expect(first.head.bodyDigest).toBe(otherId.head.bodyDigest);
  });
});

describe('a look-up that fails', () => {
  verifies('letters:passing', 'leaves the author unknown until it answers', async () => {
    const source = await signed(bytes([...fields(), '', WORK, '']));
    const silent: DnsResolver = () => Promise.reject(Object.assign(new Error('no answer'), { code: 'ESERVFAIL' }));
    const first = await read(source, { resolve: silent });
    expect(first.head.authentication).toMatchObject({ method: 'None', isAligned: false });
    expect(first.head.authentication.evidence).toContain(TRY_AGAIN);
    const later = await read(source);
    expect(later.head.authentication).toMatchObject({ method: 'Dkim', isAligned: true, domain: 'example.org' });
    expect(later.head.letterId).toBe(first.head.letterId);
  });

  verifies('letters:passing', 'of the DMARC record leaves the author unknown too', async () => {
    const source = await signed(bytes([...fields(), '', WORK, '']));
    const halfSilent: DnsResolver = (name, type) =>
      name.startsWith('_dmarc.')
        ? Promise.reject(Object.assign(new Error('no answer'), { code: 'ETIMEOUT' }))
        : craftedDns(name, type);
    const { authentication } = (await read(source, { resolve: halfSilent })).head;
    expect(authentication.isAligned).toBe(false);
    expect(authentication.evidence).toContain(TRY_AGAIN);
  });

  it('costs few look-ups, whatever signatures a letter brings', async () => {
    const asked: string[] = [];
    const counting: DnsResolver = (name, type) => {
      asked.push(name);
      return craftedDns(name, type);
    };
    const signatures = Array.from(
      { length: 50 },
      (_, index) =>
        `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=k${index}.example.org; s=s; h=from; bh=x; b=y`,
    );
    await read(bytes([...signatures, ...fields(), '', WORK]), { resolve: counting });
    expect(asked.length).toBeLessThanOrEqual(8);
  });
});
