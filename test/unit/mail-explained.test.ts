/** What `explain` and `audit map` tell of a run that a letter began, on a record that was written by hand. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { AccountRow } from '@retainer/mind/explain/audit/account-row';
import type { RunSpec } from '@retainer/mind/run/event';
import { headOf, letterIdOf, mailIdOf, mailRecord, outgoingOf } from '../support/recorded-mail.ts';
import { writeRecords } from '../support/recorded-jobs.ts';
import { ran } from '../support/recorded-runs.ts';
import { retainerHere } from '../support/retainer-here.ts';
import { runSpec } from '../support/runs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const CAME = Date.parse('2030-03-01T09:00Z');

const runOf = (name: string): string => `mail-${name}`;
const ofLetter = (name: string, from = 'ann@example.org'): RunSpec =>
  runSpec({
    runId: runOf(name),
    cause: { kind: 'Mail', letterId: letterIdOf(name), from, threadId: 't-1' },
    replyTo: { channel: 'Mail', target: letterIdOf(name) },
    conversation: 'mail/t-1',
  });

const words = (text: string) => ({ words: text, enclosed: [] });
const seen = (...given: Parameters<typeof headOf>) => mailRecord(CAME, 'MailSeen', { head: headOf(...given) });
const held = { rule: 'sender/not-allowed', evidence: 'Its sender is not in allowedSenders.' } as const;

const root = temporaryDirectory();
const data = join(root.path, 'data');
beforeAll(async () => {
  mkdirSync(data);
  await writeRecords(data, [
    mailRecord(CAME, 'MailRequested', { mail: outgoingOf('before', { subject: 'Report' }) }, 'older-run'),
    mailRecord(CAME, 'MailSent', { mailId: mailIdOf('before') }, 'older-run'),
    seen('ask', { subject: 'Re: Report', inReplyTo: [outgoingOf('before').messageId] }),
    mailRecord(CAME, 'MailAdmitted', {
      ...{ letterId: letterIdOf('ask'), threadId: 't-1', texts: words('And why?') },
      as: { kind: 'Run', runId: runOf('ask') },
    }),
    ...ran(ofLetter('ask')),
    mailRecord(CAME, 'MailRequested', { mail: outgoingOf('reply', { letterId: letterIdOf('ask') }) }, runOf('ask')),
    mailRecord(
      CAME,
      'MailFailed',
      { mailId: mailIdOf('reply'), reason: '550 no such user', isPermanent: true },
      runOf('ask'),
    ),
    seen('offer', {
      from: 'bob@shop.example',
      authentication: { method: 'None', isAligned: false, evidence: 'Nothing signs it.' },
    }),
    mailRecord(CAME, 'MailHeld', { letterId: letterIdOf('offer'), threadId: 't-2', texts: words('Buy!'), ...held }),
    mailRecord(CAME, 'MailReleased', {
      ...{ letterId: letterIdOf('offer'), runId: runOf('offer'), reason: 'our supplier', by: 'eve', originId: 'o1' },
    }),
    ...ran(ofLetter('offer', 'bob@shop.example')),
    ...ran(ofLetter('ghost')),
    seen('forced', { from: 'bob@shop.example' }),
    mailRecord(CAME, 'MailHeld', { letterId: letterIdOf('forced'), threadId: 't-3', texts: words('Pay!'), ...held }),
    ...ran(ofLetter('forced', 'bob@shop.example')),
  ]);
});
afterAll(() => root.remove());

describe('explain', () => {
  verifies(
    'cli-mail:explained',
    'shows letter, sender, evidence, what it answers, and the fate of what was sent',
    async () => {
      const { code, text } = await retainerHere('explain', runOf('ask'), '--data', data);
      expect(code).toBe(0);
      const lines = text.split('\n');
      expect(lines[0]).toBe(`Run mail-ask: letter ${letterIdOf('ask')} of ann@example.org`);
      for (const line of [
        `letter ${letterIdOf('ask')} of ann@example.org, 1970-01-01 00:00 UTC (mail/3): Re: Report`,
        'known by DKIM of example.org: A valid DKIM signature of example.org.',
        `it answers ${mailIdOf('before')} to ann@example.org: sent`,
        'its thread: t-1',
        `sent: ${mailIdOf('reply')} to ann@example.org: refused: 550 no such user`,
      ])
        expect(lines).toContain(line);
      expect(text).toContain(`the answer to a letter is to be sent: mail ${mailIdOf('reply')}`);
      expect(text).toContain(`mail ${mailIdOf('reply')} was refused`);
      const { text: json } = await retainerHere('explain', runOf('ask'), '--data', data, '-o', 'json');
      expect(JSON.parse(json)).toMatchObject({
        cause: { kind: 'Mail', letterId: letterIdOf('ask') },
        letter: { head: { from: 'ann@example.org' }, replyOf: { status: 'Sent' } },
        mails: [{ status: 'Failed' }],
      });
    },
  );

  verifies(
    'cli-mail:explained',
    'names who released a letter, and says so where the record does not have one',
    async () => {
      const { text } = await retainerHere('explain', runOf('offer'), '--data', data);
      expect(text).toContain("\nreleased by eve: our supplier; its words stay a stranger's\n");
      expect((await retainerHere('explain', runOf('ghost'), '--data', data)).text).toContain(
        '\nthe record does not have this letter: nobody knows who wrote it\n',
      );
    },
  );
});

describe('audit map', () => {
  const mapOf = async (...run: readonly string[]) => {
    const { code, text } = await retainerHere('audit', 'map', ...run, '--data', data, '-o', 'json');
    return { code, ...(JSON.parse(text) as { readonly rows: readonly AccountRow[]; readonly findings: unknown }) };
  };

  verifies('cli-mail:accountable', 'leads from an effect to its letter and to whoever wrote it', async () => {
    for (const rows of [(await mapOf()).rows, (await mapOf(runOf('ask'))).rows])
      expect(rows.find(({ id }) => id === 'mail-ask-d1')).toMatchObject({
        ...{ what: `Mail of ${letterIdOf('ask')}`, missing: [] },
        wanted: {
          letter: {
            letterId: letterIdOf('ask'),
            writer: { from: 'ann@example.org', authentication: { method: 'Dkim', isAligned: true }, seq: 3 },
            let: { kind: 'Known' },
          },
        },
      });
    const { text } = await retainerHere('audit', 'map', runOf('offer'), '--data', data);
    expect(text).toContain(
      `Run mail-offer: letter ${letterIdOf('offer')}, written by bob@shop.example (mail/7), known by nothing, released by eve\n`,
    );
    expect(text).toMatch(/ the letter +/);
  });

  verifies('cli-mail:accountable', 'finds effects of letters that nobody has, and that nobody let in', async () => {
    const { code, findings } = await mapOf();
    expect(code).toBe(5);
    expect(findings).toMatchObject([
      {
        id: 'mail-ghost-d1',
        missing: [{ why: `the record does not have the letter ${letterIdOf('ghost')}, so nobody knows who wrote it` }],
      },
      { id: 'mail-forced-d1', missing: [{ why: `no record lets the letter ${letterIdOf('forced')} begin a run` }] },
    ]);
  });
});
