/** What a mailbox costs, where it looks, and the ways to it: sizes, memory, Sent, proxies, the end. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { HEAD_BYTES_MAX, type MailboxSettings } from '@retainer/agent-pod/mail/mailbox';
import { systemClock } from '@retainer/contract/std/system-clock';
import { parseProxy, type Proxy } from '@retainer/contract/std/proxies';
import { startConnectProxy, type ConnectProxyOptions } from '../support/connect-proxy.ts';
import { inTemporaryDirectory } from '../support/agents.ts';
import { makeCertificates } from '../support/certificates.ts';
import { letterOf, MailLife } from '../support/mail-life.ts';
import { handed, mailboxOf, outgoing, senderOf, type TestedMailbox } from '../support/mail-ports.ts';
import { AGENT, noMailServer, startMailServer, type MailServer } from '../support/mail-server.ts';
import { startRoughImapServer } from '../support/rough-imap-server.ts';
import { verifies } from '../verifies.ts';

const MEGABYTE = 1_048_576;
const { signal } = new AbortController();
const ends: (() => unknown)[] = [];
let server: MailServer;

beforeAll(async () => {
  if (noMailServer !== undefined) return console.warn(noMailServer);
  server = await startMailServer();
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});
afterAll(() => server?.remove());

function opened(more: Partial<MailboxSettings> = {}): TestedMailbox {
  const tested = mailboxOf(server, more);
  ends.push(() => tested.mailbox.close());
  return tested;
}

async function readLast({ mailbox }: TestedMailbox): Promise<void> {
  await mailbox.open(signal);
  const place = (await mailbox.list({ uid: 1, sinceMs: 0, max: 1_000 })).at(-1);
  if (place === undefined) throw new Error('no letter');
  expect(await mailbox.read(place)).toBeDefined();
}

function large(bytes: number): string {
  const line = `${'x'.repeat(76)}\r\n`;
  return `From: ada@people.example\r\nSubject: Large\r\n\r\n${line.repeat(Math.ceil(bytes / line.length))}`;
}

async function proxied(
  options: ConnectProxyOptions = {},
): Promise<{ readonly proxy: Proxy; readonly asked: readonly string[] }> {
  const started = await startConnectProxy(options);
  ends.push(() => started.close());
  const proxy = parseProxy({ variable: 'HTTPS_PROXY', value: started.url.replace('://', '://grant:GRANT-WORDS@') });
  if (!proxy.ok) throw new Error(proxy.error);
  return { proxy: proxy.value, asked: started.asked };
}

describe.skipIf(noMailServer !== undefined)(noMailServer ?? 'a mailbox on a real server', () => {
  verifies('mail-servers:sizes-first', 'a letter of 64 MB costs less than 1 MB, on the way and here', async () => {
    await server.deliver(large(64 * MEGABYTE), AGENT.address);
    const tested = opened({ messageBytesMax: 10 * MEGABYTE });
    await tested.mailbox.open(signal);
    const [bytes, memory] = [server.imap.bytesToClients(), process.memoryUsage().arrayBuffers];
    await readLast(tested);
    expect(server.imap.bytesToClients() - bytes).toBeLessThan(MEGABYTE);
    expect(process.memoryUsage().arrayBuffers - memory).toBeLessThan(10 * MEGABYTE);
    expect(tested.read).toMatchObject([{ isWhole: false }]);
    expect(tested.read[0]?.text).toMatch(/Subject: Large\r\n\r\n$/);
    expect(tested.read[0]?.about.sizeBytes).toBeGreaterThan(64 * MEGABYTE);
  });

  verifies('mail-servers:sizes-first', 'one byte below the limit is read whole, and one above is not', async () => {
    await server.deliver(large(100_000), AGENT.address);
    const whole = (await server.letters(AGENT.address)).at(-1)?.raw.replaceAll('\n', '\r\n').length ?? 0;
    const [fits, exceeds] = [opened({ messageBytesMax: whole }), opened({ messageBytesMax: whole - 1 })];
    await readLast(fits);
    await readLast(exceeds);
    expect(fits.read).toMatchObject([{ isWhole: true }]);
    expect(fits.read[0]?.text).toHaveLength(whole);
    expect(exceeds.read).toMatchObject([{ isWhole: false }]);
  });

  verifies('mail-servers:sizes-first', 'a head is cut, too', async () => {
    const heads = `X-Long: ${'y'.repeat(900)}\r\n`.repeat(300);
    await server.deliver(`${heads}Subject: Long head\r\n\r\n${'z'.repeat(2_000)}\r\n`, AGENT.address);
    const tested = opened({ messageBytesMax: 1_024 });
    await readLast(tested);
    expect(tested.read[0]?.text).toHaveLength(HEAD_BYTES_MAX);
  });

  verifies(
    'mail-servers:sizes-first',
    'a server that sends more than it was asked for costs no more, and blocks nothing',
    async () => {
      const certificates = makeCertificates();
      const rough = await startRoughImapServer(certificates.signed, {
        toldBytes: 100,
        textBytes: 3 * MEGABYTE,
        headBytes: 2 * MEGABYTE,
      });
      ends.push(() => rough.close());
      const tested = opened({
        port: rough.port,
        authorities: () => Promise.resolve([certificates.ca]),
        messageBytesMax: MEGABYTE,
      });
      const place = { mailbox: 'INBOX', uidValidity: '7', uid: 1 };
      for (const _what of ['the whole of it', 'its head']) {
        await tested.mailbox.open(signal);
        await expect(tested.mailbox.read(place)).rejects.toMatchObject({ fault: 'AnswerTooLarge' });
        expect(tested.mailbox.health()).toMatchObject({ state: 'Down', reason: 'AnswerTooLarge' });
      }
      await tested.mailbox.open(signal);
      await tested.mailbox.read(place);
      expect(tested.read).toMatchObject([{ text: '', isWhole: false }]);
      expect(rough.asked.filter((command) => command.includes('BODY'))).toHaveLength(2);
    },
  );

  verifies(
    'mail-servers:heals',
    'of a letter that its server refuses each time, until it is read as nothing',
    async () => {
      const certificates = makeCertificates();
      const damaged = { toldBytes: 0, textBytes: 0, headBytes: 0, isDamaged: true } as const;
      const rough = await startRoughImapServer(certificates.signed, damaged);
      ends.push(() => rough.close());
      const tested = opened({ port: rough.port, authorities: () => Promise.resolve([certificates.ca]) });
      const place = { mailbox: 'INBOX', uidValidity: '7', uid: 1 };
      for (let tries = 0; tries < 5; tries += 1) {
        await tested.mailbox.open(signal);
        await expect(tested.mailbox.read(place)).rejects.toMatchObject({ fault: 'UnexpectedAnswer' });
      }
      await tested.mailbox.open(signal);
      await tested.mailbox.read(place);
      expect(tested.read).toMatchObject([{ text: '', isWhole: false, about: { place, sizeBytes: 0 } }]);
    },
  );

  verifies('mail-servers:in-sent', 'by its special use, by its name in another language, or not at all', async () => {
    const { mailbox } = opened();
    const raw = Buffer.from('Message-ID: <o-1.x@retainer.example>\r\nSubject: Mine\r\n\r\nText\r\n');
    expect(await mailbox.isInSent('o-1.x@retainer.example', signal)).toBe(false);
    await server.dovecot.save(AGENT.address, 'Sent', raw);
    expect(await mailbox.isInSent('o-1.x@retainer.example', signal)).toBe(true);
    expect(await mailbox.isInSent('o-2.x@retainer.example', signal)).toBe(false);
    await server.changeImap({ sentName: '"Gesendete Objekte"', sentUse: '' });
    ends.push(() => server.changeImap({ sentName: 'Sent', sentUse: '\\Sent' }));
    await server.dovecot.doveadm('mailbox', 'delete', '-u', AGENT.address, 'Sent');
    expect(await mailbox.isInSent('o-1.x@retainer.example', signal)).toBe(false);
    await server.dovecot.save(AGENT.address, 'Gesendete Objekte', raw);
    expect(await mailbox.isInSent('o-1.x@retainer.example', signal)).toBe(true);
    await server.changeImap({ sentName: 'Elsewhere', sentUse: '' });
    await server.dovecot.doveadm('mailbox', 'delete', '-u', AGENT.address, 'Gesendete Objekte');
    expect(await mailbox.isInSent('o-1.x@retainer.example', signal)).toBeUndefined();
  });

  verifies('mail-servers:proxy', 'it is asked for both, and nobody goes around it', async () => {
    const { proxy, asked } = await proxied();
    const before = [server.imap.connections(), server.smtp.connections()];
    const { mailbox } = opened({ proxy: () => Promise.resolve(proxy) });
    await mailbox.open(signal);
    const sender = senderOf(server, { proxy: () => Promise.resolve(proxy) });
    ends.push(() => sender.close());
    expect(await handed(sender, outgoing(), signal)).toEqual({ kind: 'Sent' });
    const startTls = senderOf(server, {
      proxy: () => Promise.resolve(proxy),
      tls: 'StartTls',
      port: server.startTlsPort,
    });
    ends.push(() => startTls.close());
    expect(await handed(startTls, outgoing(), signal)).toEqual({ kind: 'Sent' });
    const ports = [server.imapPort, server.smtpPort, server.startTlsPort];
    expect(asked).toEqual(ports.map((port) => `localhost:${String(port)}`));
    expect([server.imap.connections(), server.smtp.connections()]).toEqual(before.map((number) => number + 1));
  });

  verifies('mail-servers:proxy', 'one that refuses, and one that is not there, are told apart', async () => {
    const { proxy } = await proxied({ status: 403 });
    const [refused, away] = [
      opened({ proxy: () => Promise.resolve(proxy) }),
      opened({ proxy: () => Promise.resolve({ ...proxy, port: 1 }) }),
    ];
    await expect(refused.mailbox.open(signal)).rejects.toMatchObject({ fault: 'ProxyRefused' });
    await expect(away.mailbox.open(signal)).rejects.toMatchObject({ fault: 'ProxyUnreachable' });
    expect(JSON.stringify([refused.mailbox.health(), away.mailbox.health()])).not.toContain('GRANT-WORDS');
    const sender = senderOf(server, { proxy: () => Promise.resolve(proxy) });
    ends.push(() => sender.close());
    expect(await handed(sender, outgoing(), signal)).toMatchObject({ kind: 'Refused', isPermanent: false });
    expect(sender.health()).toMatchObject({ state: 'Down', reason: 'ProxyRefused' });
  });

  verifies('mail-servers:own-words', 'a mailbox that is not there, and a server that is none', async () => {
    const nowhere = opened({ mailbox: 'Nowhere' });
    await expect(nowhere.mailbox.open(signal)).rejects.toThrow(
      'has no mailbox Nowhere: compare the field imap.mailbox',
    );
    await server.dovecot.doveadm('mailbox', 'create', '-u', AGENT.address, 'Nowhere');
    expect(await nowhere.mailbox.open(signal)).toMatchObject({ mailbox: 'Nowhere', uidNext: 1 });
    const plain = opened({ port: server.dovecot.lmtpPort });
    await expect(plain.mailbox.open(signal)).rejects.toMatchObject({ fault: 'NoTls' });
    const unknown = opened({ host: 'mail.invalid' });
    await expect(unknown.mailbox.open(signal)).rejects.toMatchObject({ fault: 'UnknownHost' });
    const untrusted = opened({ authorities: () => Promise.resolve([]) });
    await expect(untrusted.mailbox.open(signal)).rejects.toMatchObject({ fault: 'CertificateUntrusted' });
  });

  verifies('mail-servers:credentials', 'at each connection, and at once where they are other ones', async () => {
    let [reads, password] = [0, 'wrong'];
    const credentials: MailboxSettings['credentials'] = () => {
      reads += 1;
      return Promise.resolve({ user: AGENT.address, password });
    };
    const long = { initialMs: 3_600_000, factor: 1, ceilingMs: 3_600_000, jitterRatio: 0 };
    const { mailbox } = opened({ credentials, pauses: { again: long, loginAgain: long, steadyMs: 1_000 } });
    await expect(mailbox.open(signal)).rejects.toMatchObject({ fault: 'LoginRefused' });
    expect(reads).toBe(1);
    password = AGENT.password;
    // The pause of an hour ends.
    await mailbox.open(signal);
    expect(mailbox.health()).toMatchObject({ state: 'Up' });
  });

  verifies(
    'mail-servers:credentials',
    'also where a connection that is hours old is made anew, which nobody notices',
    async () => {
      let aheadMs = 0;
      const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs };
      const { mailbox } = opened({ clock, pollIntervalMs: 50 });
      const { uidNext } = await mailbox.open(signal);
      const before = server.imap.connections();
      aheadMs = 7 * 3_600_000;
      await mailbox.changed(signal);
      expect(server.imap.connections()).toBe(before + 1);
      expect(mailbox.health()).toMatchObject({ state: 'Up', way: 'Idle' });
      await server.deliver(large(100), AGENT.address);
      await mailbox.changed(signal);
      expect(await mailbox.list({ uid: uidNext, sinceMs: 0, max: 10 })).toHaveLength(1);
    },
  );

  verifies('mail-servers:closes', 'what waits for a server that says nothing more ends within seconds', async () => {
    await server.deliver(large(100), AGENT.address);
    const { mailbox } = opened();
    await mailbox.open(signal);
    const place = (await mailbox.list({ uid: 1, sinceMs: 0, max: 1_000 })).at(-1);
    if (place === undefined) throw new Error('no letter');
    ends.push(() => server.imap.thaw());
    server.imap.freeze();
    const stopping = new AbortController();
    const waiting = Promise.allSettled([
      mailbox.read(place),
      mailbox.isInSent('o-1.x@retainer.example', stopping.signal),
      mailbox.appendToSent(Buffer.from(large(100)), stopping.signal),
    ]);
    const beganMs = systemClock.monotonicMs();
    stopping.abort(new Error('stopped'));
    await mailbox.close();
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(systemClock.monotonicMs() - beganMs).toBeLessThan(5_000);
  });

  verifies('mail-servers:closes', 'an agent ends within seconds while a copy is looked for in a Sent that hangs', () =>
    inTemporaryDirectory(async (directory) => {
      const warnings: string[] = [];
      const warn = ({ name }: Error): unknown => warnings.push(name);
      process.on('warning', warn);
      ends.push(() => process.off('warning', warn));
      const life = await MailLife.begin({ directory, server });
      ends.push(
        () => server.fail(undefined),
        () => server.imap.thaw(),
      );
      server.fail({ at: 'Text', does: 'LoseAfterTaking' });
      await server.deliver(letterOf({ text: 'What is in your workspace?' }), AGENT.address);
      await life.until('MailHanded');
      const before = server.imap.connections();
      server.imap.freeze();
      await expect.poll(() => server.imap.connections(), { timeout: 10_000 }).toBeGreaterThan(before);
      const beganMs = systemClock.monotonicMs();
      await life.end();
      expect(systemClock.monotonicMs() - beganMs).toBeLessThan(5_000);
      // Nothing is told of it: the next process looks.
      expect(life.all('MailUnknown')).toEqual([]);
      // Each of its components listens to its end: Node takes more than ten listeners for a leak.
      expect(warnings).not.toContain('MaxListenersExceededWarning');
    }),
  );

  verifies('mail:once', 'three letters at a time are one run after the other where one may run', () =>
    inTemporaryDirectory(async (directory) => {
      for (const text of ['One?', 'Two?', 'Three?'])
        await server.deliver(letterOf({ text, id: `${text}@people.example` }), AGENT.address);
      const life = await MailLife.begin({ directory, server, spec: { limits: { concurrentRuns: 1 } } });
      await life.until('RunClosed', 3);
      const ofRuns = life.kinds().filter((kind) => kind === 'RunAdmitted' || kind === 'RunConcluded');
      const each = ['RunAdmitted', 'RunConcluded'];
      expect(ofRuns.slice(0, 6)).toEqual([...each, ...each, ...each]);
      await life.end();
    }),
  );

  verifies('mail-servers:closes', 'a process that used both ends by itself', async () => {
    const { host, imapPort, smtpPort, ca } = server;
    const child = fileURLToPath(new URL('../support/mail-process.ts', import.meta.url));
    const told = JSON.stringify({ host, imapPort, smtpPort, ca, user: AGENT.address, password: AGENT.password });
    const args = ['--import', 'tsx', '--conditions=source', child, told];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
    const [ready = 0, ended = 0] = stdout.trim().split(/\s+/).map(Number);
    expect(ended - ready).toBeLessThan(1_500);
  });
});
