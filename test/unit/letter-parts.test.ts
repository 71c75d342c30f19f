/** Reports, attachments and heads of letters: what a letter has beside words and an author. */
import { describe, expect, it } from 'vitest';
import type { LetterSettings } from '@retainer/agent-pod/mail/letter/limits';
import { readHead, readLetter } from '@retainer/agent-pod/mail/letter/read-letter';
import type { Letter } from '@retainer/mind/parts/mail/letter';
import {
  ADA,
  AGENT,
  ATTACK,
  bytes,
  delivered,
  fields,
  PASSED,
  RECEIVED_AT_MS,
  SERVICE,
  WORK,
} from '../support/crafted-letters/crafted-letter.ts';
import { craftedDns } from '../support/crafted-letters/signing.ts';
import { verifies } from '../verifies.ts';

const settings: LetterSettings = { ownAddress: AGENT, trustedAuthenticationService: SERVICE, resolve: craftedDns };
const arrivalOf = (source: Uint8Array) => ({
  place: { mailbox: 'INBOX', uidValidity: '7', uid: 42 },
  receivedAtMs: RECEIVED_AT_MS,
  sizeBytes: source.length,
});
const read = (lines: readonly string[], more: Partial<LetterSettings> = {}): Promise<Letter> => {
  const source = bytes(lines);
  return readLetter(source, arrivalOf(source), { ...settings, ...more });
};

const report = (status: string, action: string, returned: string): readonly string[] => [
  'Return-Path: <>',
  'From: MAILER-DAEMON@mx.example.org',
  `To: ${AGENT}`,
  'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
  ...['', '--b', '', 'It could not be delivered.'],
  ...['--b', 'Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example.org', ''],
  ...['Final-Recipient: rfc822; ada@example.org', `Action: ${action}`, `Status: ${status}`, ''],
  ...[
    '--b',
    'Content-Type: message/rfc822',
    '',
    `From: ${AGENT}`,
    `Message-ID: <${returned}>`,
    '',
    'Hello.',
    '--b--',
    '',
  ],
];

describe('a report', () => {
  verifies('letters:automatic', 'says which letter of ours did not arrive, and whether it ever will', async () => {
    const failed = await read(report('5.1.1', 'failed', 'o-1.a@agents.example'));
    expect(failed.head.bounceOf).toEqual({ messageId: 'o-1.a@agents.example', status: '5.1.1', isPermanent: true });
    expect(failed.head.automatic).toEqual(['NullReturnPath', 'Report', 'Daemon']);
    const delayed = await read(report('4.4.7', 'delayed', 'o-1.a@agents.example'));
    expect(delayed.head.bounceOf).toEqual({ messageId: 'o-1.a@agents.example', status: '4.4.7', isPermanent: false });
  });

  it('that came back with the header alone says so too', async () => {
    const lines = report('5.7.1 (refused)', 'Failed', 'o-2.b@Agents.Example').map((line) =>
      line.replace('message/rfc822', 'text/rfc822-headers'),
    );
    expect((await read(lines)).head.bounceOf).toEqual({
      messageId: 'o-2.b@Agents.Example',
      status: '5.7.1',
      isPermanent: true,
    });
  });

  it('on a letter that is not ours is none of ours', async () => {
    expect((await read(report('5.1.1', 'failed', 'x@evil.example'))).head.bounceOf).toBeUndefined();
    expect((await read(report('5.1.1', 'failed', 'x@notagents.example.evil'))).head.bounceOf).toBeUndefined();
  });

  it('without a status that is one is not taken for permanent', async () => {
    expect((await read(report('five', 'failed', 'o-3.c@agents.example'))).head.bounceOf).toEqual({
      messageId: 'o-3.c@agents.example',
      status: '0.0.0',
      isPermanent: false,
    });
  });
});

describe('attachments', () => {
  const attached = (head: readonly string[], content: Buffer): readonly string[] => [
    ...fields('Content-Type: multipart/mixed; boundary=b'),
    ...['', '--b', '', WORK],
    ...[
      '--b',
      ...head,
      'Content-Transfer-Encoding: base64',
      '',
      ...(content.toString('base64').match(/.{1,76}/g) ?? ['']),
      '--b--',
      '',
    ],
  ];
  const first = async (head: readonly string[], content: Buffer): Promise<Letter['enclosed'][number]> => {
    const { enclosed } = await read(attached(head, content));
    const [only] = enclosed;
    if (only === undefined || enclosed.length !== 1) throw new Error('there is not one attachment');
    return only;
  };

  it.each([
    ['a portrait', 'image/png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'image/png', ''],
    [
      'a program that says it is a text',
      'text/plain',
      Buffer.from('MZ\x90\0', 'latin1'),
      'application/vnd.microsoft.portable-executable',
      '',
    ],
    ['a program of Linux', 'application/pdf', Buffer.from('\x7fELF\x02'), 'application/x-elf', ''],
    [
      'an old document with macros',
      'text/csv',
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      'application/x-ole-storage',
      '',
    ],
    [
      'an archive',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      Buffer.from('PK\x03\x04'),
      'application/zip',
      '',
    ],
    ['a drawing that runs scripts', 'image/png', Buffer.from('<svg onload="x()">'), 'image/svg+xml', ''],
    ['a script', 'text/plain', Buffer.from('#!/bin/sh\nrm -rf /'), 'application/x-executable-script', ''],
    ['a table', 'text/csv', Buffer.from('a,b\n1,2'), 'text/csv', 'a,b\n1,2'],
    ['a text that says it is a picture', 'image/png', Buffer.from('hello'), 'text/plain', 'hello'],
    ['a page', 'text/html', Buffer.from('<p>hello</p><p hidden>x</p>'), 'text/html', 'hello'],
    ['data', 'application/json', Buffer.from('{"a":1}'), 'application/json', '{"a":1}'],
    ['nothing', 'application/pdf', Buffer.alloc(0), 'text/plain', ''],
  ])('of %s are named by their content', async (...[, said, content, type, text]) => {
    const only = await first([`Content-Type: ${said}; name="x.bin"`, 'Content-Disposition: attachment'], content);
    expect(only).toMatchObject({ kind: 'Attachment', name: 'x.bin', type, text });
    expect(Math.abs(only.sizeBytes - content.length)).toBeLessThanOrEqual(3);
  });

  it.each([
    ['filename="../../etc/passwd"', 'passwd'],
    ['filename="C:\\\\Users\\\\a.txt"', 'a.txt'],
    ["filename*=utf-8''%E2%80%AEtxt.exe", 'txt.exe'],
    ["filename*0*=utf-8''%C3%A4; filename*1=b.txt", 'äb.txt'],
    ['filename="=?utf-8?q?=C3=A4.txt?="', 'ä.txt'],
    ['filename="a\u0007b;c$(d).txt"', 'ab_c_(d).txt'],
    ['filename=".hidden"', 'hidden'],
    ['filename="-rf"', 'rf'],
    [`filename="${'x'.repeat(300)}.txt"`, `${'x'.repeat(116)}.txt`],
  ])('have safe names: %s', async (parameter, name) => {
    expect(
      (await first(['Content-Type: text/plain', `Content-Disposition: attachment; ${parameter}`], Buffer.from('x')))
        .name,
    ).toBe(name);
  });

  it('are cut where they are long, and say so', async () => {
    const only = await first(
      ['Content-Type: text/plain', 'Content-Disposition: attachment; filename=a.txt'],
      Buffer.from('word '.repeat(100_000)),
    );
    expect(only.isCut).toBe(true);
    expect(only.text.length).toBe(131_072);
    expect(Math.abs(only.sizeBytes - 500_000)).toBeLessThan(5000);
  });

  it('are told of up to the limit of the settings', async () => {
    const two = [
      ...fields('Content-Type: multipart/mixed; boundary=b'),
      '',
      '--b',
      'Content-Disposition: attachment; filename=a',
      '',
      'x',
      '--b',
      'Content-Disposition: attachment; filename=b',
      '',
      'x',
      '--b--',
    ];
    expect((await read(two, { attachmentsMax: 1 })).head.faults).toEqual(['TooManyAttachments']);
    expect((await read(two, { attachmentsMax: 2 })).head.faults).toEqual([]);
  });
});

describe('the head', () => {
  it('names what a letter answers, newest last, and to whom it went', async () => {
    const { head } = await read([
      ...fields(
        `To: "Agent, the" <${AGENT}>, Bob <BOB@example.org>`,
        'Cc: Friends: carl@example.org;',
        'In-Reply-To: <a@agents.example> (of Monday)',
        `References: ${Array.from({ length: 120 }, (_, index) => `<${index}@x>`).join(' ')}`,
      ),
      ...['', WORK],
    ]);
    expect(head.to).toEqual([AGENT, 'bob@example.org', 'carl@example.org']);
    expect(head.inReplyTo).toEqual(['a@agents.example']);
    expect(head.references).toHaveLength(100);
    expect(head.references.at(-1)).toBe('119@x');
  });

  it('of a letter that is too large is read alone, the same each time', async () => {
    const header = bytes([...delivered([PASSED]), ...fields('Message-ID: <big@example.org>'), '', '']);
    const arrival = { ...arrivalOf(header), sizeBytes: 50_000_000 };
    const one = await readHead(header, arrival, settings);
    const again = await readHead(
      header,
      { ...arrival, place: { mailbox: 'INBOX', uidValidity: '8', uid: 1 } },
      settings,
    );
    expect(one.head).toMatchObject({
      from: ADA,
      faults: ['TooLarge'],
      sizeBytes: 50_000_000,
      authentication: { isAligned: true, method: 'Results' },
    });
    expect(one).toMatchObject({ words: '', enclosed: [] });
    expect(again.head.letterId).toBe(one.head.letterId);
    expect((await readHead(header, { ...arrival, sizeBytes: 50_000_001 }, settings)).head.letterId).not.toBe(
      one.head.letterId,
    );
  });

  it('is all that is read where the server says that a letter is larger than the limit', async () => {
    const source = bytes([...fields(), '', WORK]);
    expect((await readLetter(source, { ...arrivalOf(source), sizeBytes: 11 * 1024 * 1024 }, settings)).words).toBe('');
    expect((await readLetter(source, arrivalOf(source), { ...settings, messageBytesMax: 100 })).head.faults).toEqual([
      'TooLarge',
    ]);
  });

  it('takes letters to another address of the agent for its own', async () => {
    const lines = [...delivered([PASSED]), ...fields('To: help@agents.example'), '', WORK];
    expect((await read(lines)).head.authentication.isAligned).toBe(false);
    expect((await read(lines, { aliases: ['help@agents.example'] })).head.authentication.isAligned).toBe(true);
  });
});

verifies('letters:own-words', 'a letter as a whole', async () => {
  const letter = await read([
    ...delivered([PASSED]),
    ...fields(
      'Message-ID: <golden@example.org>',
      'Subject: =?utf-8?q?Figures_=E2=80=93_October?=',
      'In-Reply-To: <o-1.a@agents.example>',
      'Content-Type: multipart/mixed; boundary=m',
    ),
    ...['', '--m', 'Content-Type: multipart/alternative; boundary=b', ''],
    ...[
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      '',
      WORK,
      '',
      'On 29 Nov 2026, at 9:00, the agent wrote:',
      '> Which month?',
      '',
    ],
    ...['--b', 'Content-Type: text/html; charset=utf-8', ''],
    ...[
      `<p>${WORK}</p><p style="display:none">${ATTACK}</p><div>On 29 Nov 2026, at 9:00, the agent wrote:</div><blockquote>Which month?</blockquote>`,
      '--b--',
    ],
    ...[
      '--m',
      'Content-Type: text/csv; name=october.csv',
      'Content-Disposition: attachment; filename=october.csv',
      '',
      'day,sum',
      '1,20',
    ],
    ...[
      '--m',
      'Content-Type: message/rfc822',
      '',
      'From: bob@x.example',
      'Subject: Old',
      '',
      'Old words.',
      '--m--',
      '',
    ],
  ]);
  await expect(`${JSON.stringify(letter, undefined, 2)}\n`).toMatchFileSnapshot('../golden/letters/whole.json');
});
