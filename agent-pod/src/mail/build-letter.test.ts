/** The builder of mails, judged by a parser that knows nothing of it. */
import { invariant } from '@retainer/contract/std/invariant';
import type { Outgoing } from '@retainer/mind/parts/mail/mail-records';
import { bodyText, isMailAddress, isMessageId, isOneLine, oneLine } from '@retainer/mind/parts/mail/header-values';
import * as fc from 'fast-check';
import PostalMime, { type Email } from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { bySize } from '../../../test/support/test-size.ts';
import { verifies } from '../../../test/verifies.ts';
import { buildLetter, UnfitMailError } from './build-letter.ts';

const address = 'ada@agents.example';
const dateMs = Date.UTC(2026, 10, 29, 12);

function mailOf(more: Partial<Outgoing> = {}): Outgoing {
  return {
    mailId: 'o-0123456789abcdef0123',
    messageId: 'o-0123456789abcdef0123.0a1b2c@agents.example',
    kind: 'Reply',
    to: ['ann@people.example'],
    subject: 'Re: The report',
    text: 'It is done.\nSee below.',
    references: [],
    threadId: 't-1',
    hops: 1,
    ...more,
  };
}

const built = (mail: Outgoing): Promise<Buffer> => buildLetter(mail, { address, dateMs });
const read = async (mail: Outgoing): Promise<Email> => PostalMime.parse(await built(mail));

const HEADERS = [
  ...['auto-submitted', 'content-transfer-encoding', 'content-type', 'date', 'from', 'message-id', 'mime-version'],
  ...['subject', 'to', 'x-retainer-hops'],
];
const names = ({ headers }: Email): readonly string[] => headers.map(({ key }) => key).toSorted();

/** Texts that try to be more than one header: line ends, NULs, addresses, encoded words, and any characters between them. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          '\r\n',
          '\n',
          '\r',
          '\0',
          '\u2028',
          '\u0085',
          '\r\n\r\n',
          'Bcc: eve@evil.example',
          'To:',
          ',',
          ';',
          '<',
          '>',
          '"',
        ],
        ...[
          '=?utf-8?q?=0d=0aBcc:_eve=40evil.example?=',
          ' eve@evil.example',
          'Content-Type: text/html',
          '.',
          '\u202e',
          '(',
          '@',
        ],
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));
const runs = { numRuns: bySize({ quick: 300, check: 2_000, nightly: 20_000 }) };

describe('buildLetter', () => {
  verifies('mail-out:strict-builder', 'makes one plain text with these headers alone', async () => {
    const mail = mailOf({ text: 'Grüße – 1 < 2\n\n.\nFrom here\n' });
    const letter = await read(mail);
    expect(names(letter)).toEqual(HEADERS);
    expect(letter).toMatchObject({
      from: { address },
      to: [{ address: 'ann@people.example' }],
      subject: 'Re: The report',
      messageId: `<${mail.messageId}>`,
      date: new Date(dateMs).toISOString(),
      attachments: [],
    });
    expect(letter.html).toBeUndefined();
    expect(letter.text?.replaceAll('\r\n', '\n')).toBe(mail.text);
    expect(await built(mail)).toEqual(await built(mail));
  });

  verifies('mail-out:loop-headers', 'says that a program wrote it, and how many have answered', async () => {
    const value = async (mail: Outgoing, key: string) => (await read(mail)).headers.find((it) => it.key === key)?.value;
    expect(await value(mailOf({ hops: 3 }), 'x-retainer-hops')).toBe('3');
    expect(await value(mailOf(), 'auto-submitted')).toBe('auto-replied');
    expect(await value(mailOf({ kind: 'Tool' }), 'auto-submitted')).toBe('auto-generated');
  });

  verifies('mail-out:threading', 'names what it answers, and what came before that', async () => {
    const letter = await read(
      mailOf({ inReplyTo: 'b@people.example', references: ['a@x.example', 'b@people.example'] }),
    );
    expect(letter).toMatchObject({
      inReplyTo: '<b@people.example>',
      references: '<a@x.example> <b@people.example>',
    });
  });

  verifies('mail-out:strict-builder', 'takes a hundred references, and folds them', async () => {
    const references = Array.from({ length: 100 }, (_, at) => `${'x'.repeat(60)}.${at}@people.example`);
    const letter = await read(mailOf({ references }));
    expect(letter.references?.split(/\s+/)).toEqual(references.map((id) => `<${id}>`));
  });

  verifies(
    'mail-out:strict-builder',
    'refuses each value that does not fit, or builds it without a trace',
    async () => {
      const place = fc.constantFrom('subject', 'to', 'messageId', 'inReplyTo', 'references');
      let refused = 0;
      await fc.assert(
        fc.asyncProperty(place, hostile, async (field, text) => {
          const value = field === 'to' || field === 'references' ? [text] : text;
          const mail = mailOf({ [field]: value });
          const isFit =
            field === 'subject' ? isOneLine(text) : field === 'to' ? isMailAddress(text) : isMessageId(text);
          if (!isFit) {
            refused += 1;
            await expect(built(mail)).rejects.toThrow(UnfitMailError);
            return;
          }
          const letter = await read(mail);
          expect(names(letter).filter((it) => it !== 'in-reply-to' && it !== 'references')).toEqual(HEADERS);
          expect(letter.to).toHaveLength(1);
          expect(letter.bcc ?? []).toEqual([]);
        }),
        runs,
      );
      expect(refused).toBeGreaterThan(runs.numRuns / 4);
    },
  );

  verifies(
    'mail-out:strict-builder',
    'builds any subject that was put on one line, and it comes out as it went in',
    async () => {
      await fc.assert(
        fc.asyncProperty(hostile, async (text) => {
          const subject = oneLine(`Re: ${text}`);
          const letter = await read(mailOf({ subject }));
          expect(names(letter)).toEqual(HEADERS);
          expect(letter.subject).toBe(subject);
          expect([letter.to?.length, letter.cc, letter.bcc]).toEqual([1, undefined, undefined]);
        }),
        runs,
      );
    },
  );

  verifies('mail-out:strict-builder', 'sends any text as a text, and nothing of it is a header or a part', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        const bytes = await built(mailOf({ text }));
        const letter = await PostalMime.parse(bytes);
        expect(names(letter)).toEqual(HEADERS);
        expect(letter.attachments).toEqual([]);
        expect(letter.text?.replaceAll('\r\n', '\n').trimEnd()).toBe(bodyText(text).trimEnd());
        expect(
          bytes
            .toString('latin1')
            .split('\r\n')
            .every((line) => line.length <= 998 && !/[\r\n\0]/.test(line)),
        ).toBe(true);
      }),
      runs,
    );
  });

  it('refuses an agent whose own address is none, and a date that is none', async () => {
    await expect(buildLetter(mailOf(), { address: 'Ada <ada@x.example>', dateMs })).rejects.toThrow(UnfitMailError);
    await expect(buildLetter(mailOf(), { address, dateMs: NaN })).rejects.toThrow(UnfitMailError);
    await expect(built(mailOf({ to: [] }))).rejects.toThrow('a recipient is no bare address');
  });
});

describe('an address of a mail', () => {
  it.each([
    ['ann@people.example', true],
    ["o'neil+a.b_c-d@sub.people.example", true],
    ['ann@localhost', true],
    ['Ann <ann@people.example>', false],
    ['ann@people.example, eve@evil.example', false],
    ['"ann@people.example"@evil.example', false],
    ['ann@people.example\n', false],
    ['ann@-people.example', false],
    ['a..b@people.example', false],
    ['gr\u00fc\u00dfe@people.example', false],
    [`${'a'.repeat(65)}@people.example`, false],
  ])('%j: %s', (text, expected) => {
    expect(isMailAddress(text)).toBe(expected);
  });

  it('is never one for a text with a space, a comma, a bracket or a control character', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        if (/[\s,;:<>()[\]"\\\p{Cc}]/u.test(text)) invariant(!isMailAddress(text), text);
      }),
    );
  });
});
