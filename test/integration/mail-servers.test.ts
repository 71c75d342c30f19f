/** The server for incoming mail, a real one, with the faults that it has: each is told in its own words, and heals by itself. */
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { faultText, type ServerFault } from '@retainer/agent-pod/mail/server-fault';
import { FollowedMailbox } from '../support/followed-mailbox.ts';
import { mailboxOf } from '../support/mail-ports.ts';
import { AGENT, noMailServer, startMailServer, type MailServer } from '../support/mail-server.ts';
import { verifies } from '../verifies.ts';

const SOON = { livenessMs: 150, answerMs: 400, silenceMs: 5_000 };
const MEGABYTE = 1_048_576;

let server: MailServer;
let count = 0;
const ends: (() => unknown)[] = [];
const stopping = new AbortController();
const { signal } = stopping;

/** A letter that no other one equals. */
function letterWith(more = ''): { readonly raw: string; readonly mark: string } {
  count += 1;
  const mark = `Letter number ${String(count)}.`;
  const raw = `From: ada@people.example\r\nTo: ${AGENT.address}\r\nSubject: SUBJECT-WORDS ${String(count)}\r\nMessage-ID: <${String(count)}@people.example>\r\n\r\n${mark}\r\n${more}`;
  return { raw, mark };
}

async function delivered(): Promise<string> {
  const { raw, mark } = letterWith();
  await server.deliver(raw, AGENT.address);
  return mark;
}

/** Follows it as the agent does, until the test ends. */
function followed(more: Parameters<typeof mailboxOf>[1] = {}): FollowedMailbox {
  const following = new FollowedMailbox(mailboxOf(server, { limits: SOON, ...more }));
  ends.push(() => following.close());
  return following;
}

beforeAll(async () => {
  if (noMailServer !== undefined) return console.warn(noMailServer);
  server = await startMailServer();
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});
afterAll(() => server?.remove());

interface Fault {
  readonly what: string;
  readonly fault: ServerFault;
  readonly make: () => unknown;
  readonly mend: () => unknown;
}

let password = AGENT.password;
let holder: FollowedMailbox | undefined;

/** What is made is made really: by an administrator of the server, or on the way to it. */
const FAULTS: readonly Fault[] = [
  {
    what: 'an administrator ends the session',
    fault: 'ConnectionLost',
    make: () => server.kick(AGENT.address),
    mend: () => undefined,
  },
  {
    what: 'a router cuts the connection',
    fault: 'ConnectionLost',
    make: () => server.imap.cut(),
    mend: () => undefined,
  },
  {
    what: 'nothing comes back any more',
    fault: 'NoAnswer',
    make: () => server.imap.freeze(),
    mend: () => server.imap.thaw(),
  },
  {
    what: 'each connection ends at once',
    fault: 'ConnectionLost',
    make: () => {
      server.imap.refuse();
      server.imap.cut();
    },
    mend: () => server.imap.admit(),
  },
  ...(['expired', 'otherHost', 'selfSigned'] as const).map((certificate) => ({
    what: `the certificate is ${certificate}`,
    fault: { expired: 'CertificateExpired', otherHost: 'NameMismatch', selfSigned: 'CertificateUntrusted' }[
      certificate
    ] as ServerFault,
    make: () => server.changeImap({ certificate }),
    mend: () => server.changeImap({ certificate: 'signed' }),
  })),
  {
    what: 'the password was changed',
    fault: 'LoginRefused',
    make: () => server.setPassword(AGENT.address, 'another-Passw0rd-of-tests'),
    mend: () => void (password = 'another-Passw0rd-of-tests'),
  },
  {
    what: 'the Secret is empty',
    fault: 'CredentialsMissing',
    make: () => {
      password = '';
      return server.kick(AGENT.address);
    },
    mend: () => void (password = 'another-Passw0rd-of-tests'),
  },
  {
    what: 'another program has the only connection that the server allows',
    fault: 'TooManyConnections',
    make: async () => {
      server.imap.refuse();
      await server.changeImap({ connectionsMax: 1 });
      const { imapPort: port } = server.dovecot;
      holder = followed({ port, credentials: () => Promise.resolve({ user: AGENT.address, password }) });
      await expect.poll(() => holder?.health().state).toBe('Up');
      server.imap.admit();
    },
    mend: async () => {
      await holder?.close();
      await server.changeImap({ connectionsMax: 100 });
    },
  },
  {
    what: 'the mailbox is full',
    fault: 'MailboxFull',
    make: async () => {
      await server.deliver(letterWith('x'.repeat(4_000)).raw, AGENT.address);
      await server.changeImap({ quotaBytes: 2_048 });
      // Really: it takes no letter more.
      await expect(delivered()).rejects.toThrow(/Quota/);
    },
    mend: () => server.changeImap({ quotaBytes: 100 * MEGABYTE }),
  },
  {
    what: 'the letters are numbered anew',
    fault: 'NumberedAnew',
    make: () => server.setUidValidity(AGENT.address, 4_711 + count),
    mend: () => undefined,
  },
];

describe.skipIf(noMailServer !== undefined)(noMailServer ?? 'a mailbox on a real server', () => {
  verifies(
    'mail-servers:read',
    'its letters are read byte for byte, marked as seen, and stay where they are',
    async () => {
      const { mailbox, read } = mailboxOf(server);
      ends.push(() => mailbox.close());
      const marks = [await delivered(), await delivered(), await delivered()];
      const { uidValidity, uidNext } = await mailbox.open(signal);
      const places = await mailbox.list({ uid: 1, sinceMs: 0, max: 100 });
      expect(places.map(({ uid }) => uid)).toEqual([uidNext - 3, uidNext - 2, uidNext - 1]);
      expect(places[0]).toMatchObject({ mailbox: 'INBOX', uidValidity });
      expect(await mailbox.list({ uid: uidNext - 1, sinceMs: 0, max: 100 })).toEqual(places.slice(2));
      expect(await mailbox.list({ uid: uidNext, sinceMs: 0, max: 100 })).toEqual([]);
      expect(await mailbox.list({ uid: 1, sinceMs: 0, max: 2 })).toEqual(places.slice(0, 2));
      expect(await mailbox.list({ uid: 1, sinceMs: Date.now() + 2_000, max: 100 })).toEqual([]);
      for (const place of places) await mailbox.read(place);
      const before = await server.letters(AGENT.address);
      expect(before.flatMap(({ flags }) => flags).filter((flag) => flag !== '\\Recent')).toEqual([]);
      expect(read.map(({ text }) => text.replaceAll('\r\n', '\n'))).toEqual(before.map(({ raw }) => raw));
      expect(read.every(({ text }, at) => text.includes(marks[at] ?? '-'))).toBe(true);
      await mailbox.flag(places.slice(0, 2));
      const after = await server.letters(AGENT.address);
      expect(after.map(({ flags }) => flags.includes('\\Seen'))).toEqual([true, true, false]);
      expect(after.map(({ uid, raw }) => ({ uid, raw }))).toEqual(before.map(({ uid, raw }) => ({ uid, raw })));
      expect(await mailbox.read({ mailbox: 'INBOX', uidValidity, uid: 999 })).toBeUndefined();
    },
  );

  verifies('mail-servers:numbered-anew', 'a number of before is no letter, and is not flagged', async () => {
    const { mailbox } = mailboxOf(server, { limits: SOON });
    ends.push(() => mailbox.close());
    await delivered();
    await mailbox.open(signal);
    const place = (await mailbox.list({ uid: 1, sinceMs: 0, max: 100 })).at(-1);
    if (place === undefined) throw new Error('no letter');
    await server.setUidValidity(AGENT.address, 1_000 + count);
    await expect(mailbox.changed(signal)).rejects.toThrow();
    expect((await mailbox.open(signal)).uidValidity).not.toBe(place.uidValidity);
    expect(mailbox.health()).toMatchObject({ state: 'Up', reason: 'NumberedAnew' });
    expect(await mailbox.read(place)).toBeUndefined();
    await mailbox.flag([place]);
    expect((await server.letters(AGENT.address)).at(-1)?.flags).not.toContain('\\Seen');
  });

  for (const { what, fault, make, mend } of FAULTS) {
    verifies('mail-servers:heals', `although ${what}, and says so in between`, async () => {
      const following = followed({ credentials: () => Promise.resolve({ user: AGENT.address, password }) });
      await following.until(await delivered());
      await make();
      await expect.poll(() => following.told.map(({ reason }) => reason)).toContain(fault);
      const told = following.told.find(({ reason }) => reason === fault);
      const { host, imapPort: port } = server;
      expect(told?.message).toBe(faultText(fault, { host, port, mailbox: 'INBOX' }));
      expect(JSON.stringify(following.told)).not.toMatch(/SUBJECT-WORDS|Passw0rd|Quota|Disconnected|4711/);
      await mend();
      await following.until(await delivered());
      await expect.poll(() => following.health()).toMatchObject({ state: 'Up', way: 'Idle' });
      await expect.poll(() => following.health().reason).toBeUndefined();
    });
  }

  verifies('mail-servers:half-open', 'within the time of a sign of life and its answer', async () => {
    const { mailbox } = mailboxOf(server, {
      limits: { livenessMs: 500, answerMs: 500, silenceMs: 60_000 },
      credentials: () => Promise.resolve({ user: AGENT.address, password }),
    });
    ends.push(() => mailbox.close());
    await mailbox.open(signal);
    await expect(mailbox.changed(AbortSignal.timeout(300))).rejects.toThrow();
    server.imap.freeze();
    ends.push(() => server.imap.thaw());
    const startMs = performance.now();
    await expect(mailbox.changed(signal)).rejects.toMatchObject({ fault: 'NoAnswer' });
    // One more for a machine that does other things too.
    expect(performance.now() - startMs).toBeLessThan(500 + 500 + 1_000);
  });

  verifies('mail-servers:told', 'a server without IDLE is asked, and told of', async () => {
    await server.changeImap({ hasIdle: false });
    ends.push(() => server.changeImap({ hasIdle: true }));
    const following = followed({
      pollIntervalMs: 300,
      credentials: () => Promise.resolve({ user: AGENT.address, password }),
    });
    await following.until(await delivered());
    await following.until(await delivered());
    expect(following.health()).toMatchObject({ state: 'Up', way: 'Poll', reason: 'NoIdle' });
    expect(following.health().message).toContain('pollInterval');
  });

  verifies('mail-servers:read', 'after all this nothing was deleted, moved or copied', async () => {
    const letters = await server.letters(AGENT.address);
    expect(letters.length).toBeGreaterThan(FAULTS.length);
    expect(letters.flatMap(({ flags }) => flags).filter((flag) => !['\\Seen', '\\Recent'].includes(flag))).toEqual([]);
    // Dovecot writes each of them down.
    const words =
      server.dovecot.log().match(/Info: (delete|undelete|expunge|copy|save|mailbox_delete|mailbox_rename)\b/g) ?? [];
    expect(words.filter((word) => !word.endsWith('save'))).toEqual([]);
    expect(words.length).toBeGreaterThanOrEqual(letters.length);
  });
});
