/** `retainer mail` on a record that was written by hand. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { LetterStory, RecordedMail } from '@retainer/agent-pod/review/mail-records';
import type { NewRecord } from '@retainer/journal/journal';
import { enclosedOf, headOf, letterIdOf, mailIdOf, mailRecord, outgoingOf } from '../support/recorded-mail.ts';
import { writeRecords } from '../support/recorded-jobs.ts';
import { retainerHere } from '../support/retainer-here.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const at = (text: string): number => Date.parse(`${text}Z`);
const NINE = at('2030-03-01T09:00');
const MINUTE_MS = 60_000;

/** Colours a terminal, turns the text around, imitates a line of ours, and is a link. */
const HOSTILE = '\u001b[31mred\u202etxt.exe\nm-00000000000000000000  released\nhttps://evil.example/a';
/** With a Cyrillic first letter. */
const LOOKALIKE = '\u0430nn@example.org';

const texts = (words: string, enclosed: readonly ReturnType<typeof enclosedOf>[] = []) => ({
  words,
  enclosed: [...enclosed],
});

const records: readonly NewRecord[] = [
  mailRecord(NINE, 'MailboxOpened', { mailbox: 'INBOX', uidValidity: '7', fromUid: 1, sinceMs: NINE }),
  mailRecord(NINE, 'MailSeen', { head: headOf('ask', { receivedAtMs: NINE - MINUTE_MS, subject: 'Wettest month?' }) }),
  mailRecord(NINE, 'MailAdmitted', {
    ...{ letterId: letterIdOf('ask'), threadId: 't-1', as: { kind: 'Run', runId: 'mail-ask' } },
    texts: texts('Which month is the wettest?', [
      enclosedOf('Quote', '> Dear Ann'),
      enclosedOf('Attachment', '', { name: 'a.csv', type: 'text/csv', sizeBytes: 2_048 }),
    ]),
  }),
  mailRecord(
    NINE + MINUTE_MS,
    'MailRequested',
    {
      mail: outgoingOf('reply', { letterId: letterIdOf('ask'), subject: 'Re: Wettest month?', text: 'November.' }),
    },
    'mail-ask',
  ),
  mailRecord(NINE + MINUTE_MS, 'MailSent', { mailId: mailIdOf('reply') }, 'mail-ask'),
  mailRecord(NINE + 2 * MINUTE_MS, 'MailSeen', {
    head: headOf('more', { inReplyTo: [outgoingOf('reply').messageId], subject: 'Re: Wettest month?' }),
  }),
  mailRecord(NINE + 2 * MINUTE_MS, 'MailAdmitted', {
    ...{ letterId: letterIdOf('more'), threadId: 't-1', as: { kind: 'Run', runId: 'mail-more' } },
    texts: texts('And the driest?'),
  }),
  mailRecord(NINE + 3 * MINUTE_MS, 'MailSeen', {
    head: headOf('spam', {
      ...{ from: LOOKALIKE, subject: HOSTILE },
      authentication: { method: 'None', isAligned: false, evidence: 'Nothing signs it.' },
    }),
  }),
  mailRecord(NINE + 3 * MINUTE_MS, 'MailHeld', {
    ...{ letterId: letterIdOf('spam'), threadId: 't-2', rule: 'sender/not-allowed' },
    ...{ evidence: 'Its sender is not in allowedSenders.', texts: texts(HOSTILE, [enclosedOf('Hidden', HOSTILE)]) },
  }),
  mailRecord(NINE + 4 * MINUTE_MS, 'MailSeen', { head: headOf('news', { automatic: ['List'] }) }),
  mailRecord(NINE + 4 * MINUTE_MS, 'MailDropped', {
    ...{ letterId: letterIdOf('news'), rule: 'automatic/list', evidence: 'It came by a list, or to many.' },
  }),
  mailRecord(NINE + 5 * MINUTE_MS, 'MailSeen', { head: headOf('seller', { from: 'bob@shop.example' }) }),
  mailRecord(NINE + 5 * MINUTE_MS, 'MailHeld', {
    ...{ letterId: letterIdOf('seller'), threadId: 't-3', rule: 'sender/not-allowed', evidence: 'Not listed.' },
    texts: texts('Buy!'),
  }),
  mailRecord(NINE + 6 * MINUTE_MS, 'MailReleased', {
    ...{ letterId: letterIdOf('seller'), runId: 'mail-seller', reason: 'our supplier', by: 'eve', originId: 'o1' },
  }),
  mailRecord(NINE + 7 * MINUTE_MS, 'MailRequested', { mail: outgoingOf('lost', { kind: 'Tool' }) }),
  mailRecord(NINE + 7 * MINUTE_MS, 'MailUnknown', { mailId: mailIdOf('lost'), reason: 'the connection broke' }),
];

const root = temporaryDirectory();
const data = join(root.path, 'data');
beforeAll(async () => {
  mkdirSync(data);
  await writeRecords(data, records);
});
afterAll(() => root.remove());

/** However wide the column of the labels is. */
const linesOf = (text: string): readonly string[] => text.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  '));
const mail = (...words: readonly string[]) => retainerHere('mail', ...words, '--data', data);

describe('retainer mail list', () => {
  verifies(
    'cli-mail:told',
    'has a row for each letter and mail, newest last, with who and how that is known',
    async () => {
      const { code, text } = await mail('list');
      expect(code).toBe(0);
      const lines = linesOf(text);
      expect(lines[0]).toBe('id  when  who  subject  known by  what became of it  thread  run');
      expect(lines[1]).toBe(
        `${letterIdOf('ask')}  2030-03-01 09:00 UTC  from  ann@example.org  Wettest month?  DKIM of example.org  began a run  t-1  mail-ask`,
      );
      expect(lines[2]).toBe(
        `${mailIdOf('reply')}  2030-03-01 09:01 UTC  to  ann@example.org  Re: Wettest month?  reply, sent  t-1  mail-ask`,
      );
      expect(lines.slice(1, 8).map((line) => line.split('  ')[0])).toEqual([
        ...[letterIdOf('ask'), mailIdOf('reply'), letterIdOf('more'), letterIdOf('spam')],
        ...[letterIdOf('news'), letterIdOf('seller'), mailIdOf('lost')],
      ]);
      expect(text).toMatch(/ nothing +held by sender\/not-allowed +t-2$/m);
      expect(text).toContain('5 letters, 2 mails; 1 held\n');
      expect(text).toContain(`look at one with: retainer mail show ID --data ${data}\n`);
    },
  );

  verifies('cli-mail:told', 'shows the newest ones that fit, and has all of them for programs', async () => {
    const { text } = await mail('list', '--limit', '1');
    expect(linesOf(text)[1]).toMatch(new RegExp(`^${mailIdOf('lost')}  .* by send_email, unknown`));
    expect(text).toContain('the newest 1 are shown; more with --limit');
    const { letters, mails } = JSON.parse((await mail('list', '-o', 'json')).text) as RecordedMail;
    expect(letters.map(({ status, runId }) => [status, runId])).toEqual([
      ...[
        ['Admitted', 'mail-ask'],
        ['Admitted', 'mail-more'],
      ],
      ...[
        ['Held', undefined],
        ['Dropped', undefined],
        ['Released', 'mail-seller'],
      ],
    ]);
    expect(mails.map(({ status }) => status)).toEqual(['Sent', 'Unknown']);
    expect(await mail('list', '--limit', 'many')).toMatchObject({ code: 1 });
  });
});

describe('retainer mail show', () => {
  verifies('cli-mail:told', 'tells head, evidence, answer and words, and apart from them what came along', async () => {
    const { code, text } = await mail('show', letterIdOf('ask').slice(0, 8));
    expect(code).toBe(0);
    const lines = linesOf(text);
    for (const line of [
      '  from  ann@example.org',
      '  known by  DKIM of example.org',
      '  evidence  A valid DKIM signature of example.org.',
      '  came  2030-03-01 08:59 UTC, recorded 2030-03-01 09:00 UTC (mail/2)',
      '  began  a run (mail-ask)',
      `  answered  ${mailIdOf('reply')} to ann@example.org: sent`,
      "the sender's own words:",
      '  | Which month is the wettest?',
      'enclosed 1: quoted words of others, 10 B; untrusted',
      '  | > Dear Ann',
      'enclosed 2: attachment, a.csv, text/csv, 2.0 KiB; untrusted',
      `its run: retainer explain mail-ask --data ${data}`,
    ])
      expect(lines).toContain(line);
    expect(lines.indexOf('  | > Dear Ann')).toBeGreaterThan(lines.indexOf('  | Which month is the wettest?'));
    const story = JSON.parse((await mail('show', letterIdOf('ask'), '-o', 'json')).text) as LetterStory;
    expect(story).toMatchObject({ status: 'Admitted', isAnswered: true, seq: 2, repeats: 0 });
  });

  verifies('cli-mail:told', 'names the mail that a letter answers, and tells a mail with its fate', async () => {
    expect(linesOf((await mail('show', letterIdOf('more'))).text)).toContain(
      `  answers  our mail ${mailIdOf('reply')} of 2030-03-01 09:01 UTC`,
    );
    const { text } = await mail('show', mailIdOf('lost'));
    expect(linesOf(text)).toContain('  fate  unknown whether it was sent: the connection broke; it is not sent again');
    expect(text).toContain('  | It is done.\n');
  });

  verifies('cli-mail:told', 'names what there is for an unknown id', async () => {
    const { code, text } = await mail('show', 'nothing');
    expect(code).toBe(1);
    expect(text).toMatch(/^no letter or mail "nothing"; the newest: o-/);
    expect((await mail('show', 'm-')).text).toMatch(/^"m-" is the beginning of several ids: /);
    expect((await mail('show', letterIdOf('gone'))).text).toMatch(/^no letter or mail m-\w+ in the record/);
  });

  verifies('cli-mail:harmless', 'shows what a hostile letter hides, and lets none of it act', async () => {
    for (const words of [['show', letterIdOf('spam')], ['list'], ['held']] as const) {
      const { text } = await mail(...words);
      expect(text).not.toMatch(/[\u001b\u202e]/);
      expect(text).not.toContain('https://');
      expect(text).not.toMatch(/^m-00000000000000000000 /m);
      expect(text).toContain('\\u{430}nn@example.org');
    }
    const { text } = await mail('show', letterIdOf('spam'));
    for (const line of [
      '  | \\u{1b}[31mred\\u{202e}txt.exe',
      '  | m-00000000000000000000  released',
      '  | `https[:]//evil[.]example/a`',
    ])
      expect(text.split('\n').filter((it) => it === line)).toHaveLength(2);
  });
});

describe('retainer mail held', () => {
  verifies('cli-mail:held', 'lists what waits, with the reason in words, and what may be typed', async () => {
    const { code, text } = await mail('held');
    expect(code).toBe(0);
    const lines = linesOf(text);
    expect(lines[0]).toBe(letterIdOf('spam'));
    expect(lines).toContain('  waits  because its sender is not among allowedSenders (sender/not-allowed)');
    expect(lines).toContain('  shown by  Its sender is not in allowedSenders.');
    expect(text).not.toContain(letterIdOf('seller'));
    expect(text).toContain(`let one begin a run with: retainer mail release ID --reason TEXT --data ${data}\n`);
  });
});

describe('retainer mail release', () => {
  const spooled = (): readonly string[] => {
    try {
      return readdirSync(join(data, 'spool')).map((name) => readFileSync(join(data, 'spool', name), 'utf8'));
    } catch {
      return [];
    }
  };

  verifies('cli-mail:release', 'is refused in a sentence where it means nothing, and leaves nothing', async () => {
    const because = ['--reason', 'x'] as const;
    for (const [words, says] of [
      [['release', letterIdOf('ask'), ...because], /^m-\w+ was not held: its sender is known \(run mail-ask\)$/m],
      [['release', letterIdOf('seller'), ...because], /^m-\w+ was released by eve \(run mail-seller\)$/m],
      [['release', letterIdOf('news'), ...because], /^m-\w+ was dropped by automatic\/list: nobody answers such/],
      [['release', mailIdOf('reply').slice(0, 6), ...because], /^no letter "o-\w+"; the newest: m-/],
      [['release', letterIdOf('spam'), '--reason', ' '], /^--reason must say why/],
      [['release', letterIdOf('spam')], /required option '--reason <text>'/],
    ] as const)
      expect(await mail(...words), words.join(' ')).toEqual({ code: 1, text: expect.stringMatching(says) });
    expect(spooled()).toEqual([]);
  });

  verifies(
    'cli-mail:release',
    'is left for the agent with who and why, and its help says what it does not give',
    async () => {
      const { code, text } = await mail('release', letterIdOf('spam').slice(0, 8), '--reason', 'a customer');
      expect(code).toBe(0);
      expect(text).toContain('its words stay those of a stranger');
      expect(spooled().map((it) => JSON.parse(it) as object)).toEqual([
        { type: 'ReleaseMail', letterId: letterIdOf('spam'), reason: 'a customer', by: userInfo().username },
      ]);
      const help = (await retainerHere('mail', 'release', '--help')).text.replaceAll(/\s+/g, ' ');
      expect(help).toContain('Its words stay those of a stranger: they are untrusted');
    },
  );
});
