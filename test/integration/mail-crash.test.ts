/** Recorded days with letters, cut off anywhere: the next process goes on, with one run and one answer for each letter. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { KeptOutgoing } from '@retainer/mind/parts/mail/kept-mail';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { inTemporaryDirectory } from '../support/agents.ts';
import { cutRecord, ordersFrom, payloadsIn } from '../support/cut-record.ts';
import { letterOf, MailLife } from '../support/mail-life.ts';
import { AGENT, noMailServer, startMailServer, type MailServer } from '../support/mail-server.ts';
import { bySize } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

/** Prefixes of the record that are tried, evenly; Infinity: every one. */
const PREFIXES = bySize({ check: 8, nightly: Infinity });

const TEXTS = ['What is in your workspace?', 'And what was there before?', 'Then look once more.'] as const;
/** A mail that is not in Sent is unknown after 30 s. */
const ANSWERED = { timeout: 60_000, interval: 20 } as const;

interface Day {
  readonly server: MailServer;
  readonly directory: string;
  readonly letters: number;
}

const answerTo = ({ mail }: MailLife, id: string): KeptOutgoing | undefined =>
  [...mail.outgoing.values()].find((it) => mail.letters.get(it.mail.letterId ?? '')?.head.messageId === id);

/** Each letter comes when the one before it is answered, and answers that; one that the record has comes once more. */
async function live(day: Day): Promise<MailLife> {
  const life = await MailLife.begin(day);
  let answers: readonly string[] = [];
  for (const [at, text] of TEXTS.slice(0, day.letters).entries()) {
    const id = `letter-${at}@people.example`;
    await day.server.deliver(letterOf({ text, id, answers }), AGENT.address);
    await expect.poll(() => answerTo(life, id)?.status, ANSWERED).toMatch(/^(?:Sent|Unknown)$/);
    answers = [answerTo(life, id)?.mail.messageId ?? ''];
  }
  await expect.poll(() => life.agent.runtime.openRuns(), ANSWERED).toEqual([]);
  return life;
}

/** Of mails that are handed in a record, and whether it has their result. */
async function handedIn(directory: string): Promise<ReadonlyMap<string, boolean>> {
  const idsOf = async (kind: string): Promise<readonly string[]> =>
    (await payloadsIn(directory, kind)).map((it) => (it as { mailId: string }).mailId);
  const sent = await idsOf('MailSent');
  return new Map((await idsOf('MailHanded')).map((id) => [id, sent.includes(id)]));
}

describe.skipIf(noMailServer !== undefined)(noMailServer ?? 'a crash anywhere in a day with letters', () => {
  let server: MailServer;
  beforeAll(async () => {
    server = await startMailServer();
  });
  afterAll(() => server?.remove());

  const emptied = (mailbox: string) =>
    server.dovecot.doveadm('expunge', '-u', AGENT.address, 'mailbox', mailbox, 'all');

  /** @param isKept  what was sent lies in Sent */
  const crash = async (letters: number, isKept: boolean): Promise<void> =>
    inTemporaryDirectory(async (root) => {
      const whole = join(root, 'whole');
      await (await live({ server, directory: whole, letters })).end();
      const orders = ordersFrom(whole, 'MailboxOpened');
      const step = Math.max(1, Math.floor(orders.length / PREFIXES));
      for (const order of orders.filter((_, at) => at % step === 0)) {
        const directory = join(root, `cut-${order}`);
        cutRecord(whole, order, directory);
        const handed = await handedIn(directory);
        await emptied('INBOX');
        if (!isKept) await emptied('Sent');
        const before = server.sent.length;
        const life = await live({ server, directory, letters });
        await life.end();
        const { outgoing, letters: seen, threads } = life.mail;
        const after = `after ${order} of ${orders.at(-1)}`;
        const isUnknown = (id: string): boolean => !isKept && handed.get(id) === false;
        expect([seen.size, threads.size, outgoing.size], after).toEqual([letters, 1, letters]);
        for (const { mail, status } of outgoing.values())
          expect(status, after).toBe(isUnknown(mail.mailId) ? 'Unknown' : 'Sent');
        // What a server may have had is not sent again, and everything else once.
        expect(server.sent.length - before, after).toBe(letters - handed.size);
        expect(await payloadsIn(directory, 'RunAdmitted'), after).toHaveLength(letters);
        expect(await payloadsIn(directory, 'MailRequested'), after).toHaveLength(letters);
        rmSync(directory, { recursive: true });
      }
    });

  verifies('mail:crash-anywhere', 'a letter has one run and one answer', () => crash(1, true));
  verifies('mail:crash-anywhere', 'an answer that is not in Sent is told as unknown, and not sent again', () =>
    crash(1, false),
  );
  verifies('mail:crash-anywhere', 'three letters of a session are answered once each, in one thread', () =>
    crash(3, true),
  );
});
