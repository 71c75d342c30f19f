/** The server for outgoing mail, a real one, with the faults that it has: what came of each letter, and what health says. */
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import type { SmtpSender } from '@retainer/agent-pod/mail/sender';
import type { ServerFault } from '@retainer/agent-pod/mail/server-fault';
import {
  ADA,
  AGENT,
  BOB,
  noMailServer,
  startMailServer,
  type MailServer,
  type SmtpFault,
} from '../support/mail-server.ts';
import { handed, outgoing, senderOf } from '../support/mail-ports.ts';
import { verifies } from '../verifies.ts';

const { signal } = new AbortController();
const ends: (() => unknown)[] = [];
let server: MailServer;

beforeAll(async () => {
  if (noMailServer !== undefined) return console.warn(noMailServer);
  server = await startMailServer();
});
afterEach(async () => {
  server?.fail(undefined);
  for (const end of ends.splice(0).toReversed()) await end();
});
afterAll(() => server?.remove());

function started(more: Parameters<typeof senderOf>[1] = {}): SmtpSender {
  const sender = senderOf(server, more);
  ends.push(() => sender.close());
  return sender;
}

const STAGES: Readonly<Record<string, SmtpFault['at']>> = {
  'the login': 'Login',
  'the sender': 'Sender',
  'the recipient': 'Recipient',
  'the text': 'Text',
};

type Row = readonly [stage: string, code: number, isPermanent: boolean, words: string, health?: ServerFault];
const REFUSALS: readonly Row[] = [
  ['the login', 535, false, 'refuses the user name or the password', 'LoginRefused'],
  ['the login', 454, false, 'cannot serve now', 'ServerUnavailable'],
  ['the sender', 553, true, 'refuses to send for this address'],
  ['the sender', 450, false, 'does not take the letter now'],
  ['the sender', 552, true, 'for its size'],
  ['the recipient', 550, true, 'refuses a recipient'],
  ['the recipient', 450, false, 'does not take the letter now'],
  ['the recipient', 452, false, 'mailbox of a recipient is full'],
  ['the recipient', 552, true, 'mailbox of a recipient is full'],
  ['the text', 554, true, 'refuses the letter'],
  ['the text', 451, false, 'does not take the letter now'],
  ['the text', 552, true, 'for its size'],
  ['the text', 421, false, 'cannot serve now', 'ServerUnavailable'],
];

describe.skipIf(noMailServer !== undefined)(noMailServer ?? 'a sender at a real server', () => {
  verifies('mail-servers:sent-once', 'a letter arrives as it was built, at once and by STARTTLS', async () => {
    const ways = [started(), started({ tls: 'StartTls', port: server.startTlsPort })];
    for (const [at, sender] of ways.entries()) {
      expect(await handed(sender, outgoing({ text: `Words ${String(at)}.\n.\nAfter a dot.` }), signal)).toEqual({
        kind: 'Sent',
      });
      expect(sender.health()).toMatchObject({ state: 'Up' });
      const arrived = (await server.letters(ADA.address)).at(-1)?.raw ?? '';
      expect(arrived).toContain(`Words ${String(at)}.`);
      expect(arrived).toContain('After a dot.');
      expect(server.sent.at(-1)).toMatchObject({ user: AGENT.address, from: AGENT.address, to: [ADA.address] });
    }
  });

  for (const [stage, code, isPermanent, words, health] of REFUSALS) {
    verifies('mail-servers:own-words', `${String(code)} at ${stage} is refused, and was sent to nobody`, async () => {
      const sender = started();
      const before = server.sent.length;
      server.fail({ at: STAGES[stage] ?? 'Text', code, text: 'SERVER-WORDS' });
      const result = await handed(sender, outgoing(), signal);
      expect(result).toMatchObject({ kind: 'Refused', isPermanent });
      expect(result).toMatchObject({ reason: expect.stringContaining(words) as unknown });
      expect(server.sent).toHaveLength(before);
      expect(sender.health()).toMatchObject(health === undefined ? { state: 'Up' } : { state: 'Down', reason: health });
      expect(JSON.stringify([handed, sender.health()])).not.toMatch(/SERVER-WORDS|Passw0rd|The report/);
      server.fail(undefined);
      // By itself, without another letter.
      await expect.poll(() => sender.health().state).toBe('Up');
    });
  }

  for (const does of ['LoseBeforeTaking', 'LoseAfterTaking'] as const) {
    verifies('mail-servers:sent-once', `a connection that breaks in the text (${does}) leaves it unknown`, async () => {
      const sender = started();
      const before = server.sent.length;
      server.fail({ at: 'Text', does });
      expect(await handed(sender, outgoing(), signal)).toMatchObject({ kind: 'Unknown' });
      // Nobody can tell the two apart here.
      expect(server.sent.length - before).toBe(does === 'LoseAfterTaking' ? 1 : 0);
      server.fail(undefined);
      await expect.poll(() => sender.health().state).toBe('Up');
    });
  }

  verifies(
    'mail-servers:sent-once',
    'one that breaks before the text was refused, and one that is stopped in it is unknown',
    async () => {
      const sender = started();
      server.smtp.refuse();
      ends.push(() => server.smtp.admit());
      expect(await handed(sender, outgoing(), signal)).toMatchObject({ kind: 'Refused', isPermanent: false });
      expect(sender.health()).toMatchObject({ state: 'Down', reason: 'ConnectionLost' });
      server.smtp.admit();
      await expect.poll(() => sender.health().state).toBe('Up');
      server.fail({ at: 'Text', does: 'Hold' });
      const stopping = new AbortController();
      const handing = handed(sender, outgoing(), stopping.signal);
      await server.held();
      stopping.abort(new Error('stopped'));
      expect(await handing).toMatchObject({ kind: 'Unknown' });
      expect(await handed(sender, outgoing(), stopping.signal)).toMatchObject({ kind: 'Refused', isPermanent: false });
    },
  );

  verifies('mail-servers:all-or-nobody', 'where one of two is refused, the other gets nothing', async () => {
    const sender = started();
    const before = server.sent.length;
    const to = [ADA.address, 'nobody at all'];
    expect(await handed(sender, outgoing({ to }), signal)).toMatchObject({ kind: 'Refused', isPermanent: true });
    server.refuseRecipient(BOB.address, 550);
    const result = await handed(sender, outgoing({ to: [ADA.address, BOB.address] }), signal);
    expect(result).toMatchObject({ kind: 'Refused', isPermanent: true });
    server.refuseRecipient(BOB.address, 450);
    const later = await handed(sender, outgoing({ to: [ADA.address, BOB.address] }), signal);
    expect(later).toMatchObject({ kind: 'Refused', isPermanent: false });
    expect(server.sent).toHaveLength(before);
    server.refuseRecipient(BOB.address, undefined);
    expect(await handed(sender, outgoing({ to: [ADA.address, BOB.address] }), signal)).toEqual({ kind: 'Sent' });
  });

  const certificates = {
    expired: 'CertificateExpired',
    otherHost: 'NameMismatch',
    selfSigned: 'CertificateUntrusted',
  } as const;
  for (const tls of ['Implicit', 'StartTls'] as const) {
    verifies('mail-servers:tls', `nobody logs in with ${tls} and a wrong certificate`, async () => {
      const sender = started({ tls, port: tls === 'Implicit' ? server.smtpPort : server.startTlsPort });
      ends.push(() => server.changeSmtpCertificate('signed'));
      const { Login: before } = server.reached;
      for (const name of ['expired', 'otherHost', 'selfSigned'] as const) {
        server.changeSmtpCertificate(name);
        expect(await handed(sender, outgoing(), signal)).toMatchObject({ kind: 'Refused', isPermanent: false });
        expect(sender.health()).toMatchObject({ state: 'Down', reason: certificates[name] });
      }
      expect(server.reached.Login).toBe(before);
      server.changeSmtpCertificate('signed');
      await expect.poll(() => sender.health().state).toBe('Up');
    });
  }

  verifies('mail-servers:tls', 'a server without STARTTLS gets no password', async () => {
    const { Login: before } = server.reached;
    const sender = started({ tls: 'StartTls', port: server.plainPort });
    expect(await handed(sender, outgoing(), signal)).toMatchObject({ kind: 'Refused', isPermanent: false });
    expect(sender.health()).toMatchObject({ state: 'Down', reason: 'NoTls' });
    expect(server.reached.Login).toBe(before);
  });

  verifies(
    'mail-servers:own-words',
    'a wrong password is told before anything is sent, and other ones heal it',
    async () => {
      let password = 'wrong';
      const sender = started({ credentials: () => Promise.resolve({ user: AGENT.address, password }) });
      sender.start();
      await expect.poll(() => sender.health()).toMatchObject({ state: 'Down', reason: 'LoginRefused' });
      ({ password } = AGENT);
      await expect.poll(() => sender.health().state).toBe('Up');
    },
  );

  verifies(
    'mail-servers:credentials',
    'letters do not try a password that was refused, and the next one at once',
    async () => {
      let password = 'wrong';
      const long = { initialMs: 3_600_000, factor: 1, ceilingMs: 3_600_000, jitterRatio: 0 };
      const sender = started({
        credentials: () => Promise.resolve({ user: AGENT.address, password }),
        pauses: { again: long, loginAgain: long, steadyMs: 1_000 },
      });
      const refused = { kind: 'Refused', isPermanent: false };
      expect(await handed(sender, outgoing(), signal)).toMatchObject(refused);
      const before = server.smtp.connections();
      for (let letters = 0; letters < 3; letters += 1)
        expect(await handed(sender, outgoing(), signal)).toMatchObject(refused);
      expect(server.smtp.connections()).toBe(before);
      ({ password } = AGENT);
      expect(await handed(sender, outgoing(), signal)).toEqual({ kind: 'Sent' });
    },
  );
});
