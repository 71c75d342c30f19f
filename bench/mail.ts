/**
 * What mail costs at its servers: `npm run bench:mail`. It needs Dovecot.
 *
 * A letter is delivered by LMTP; a bare connection and the agent's mailbox wait for it side by side. Then letters of growing sizes are
 * read one after the other in a process of their own, which tells its peak of memory.
 *
 * Source: reliability-security 7 (row 29: a message within 1 s and 64 MB).
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ImapFlow } from 'imapflow';
import { handed, mailboxOf, outgoing, senderOf } from '../test/support/mail-ports.ts';
import { AGENT, noMailServer, startMailServer, type MailServer } from '../test/support/mail-server.ts';
import { bySize } from './bench-size.ts';
import { quantile, row } from './figures.ts';

const LETTERS = bySize({ smoke: 3, full: 50 });
const SENT = bySize({ smoke: 3, full: 50 });
const SIZES_MB = bySize({ smoke: [1], full: [1, 10, 64] });
const MEGABYTE = 1_048_576;
const GOAL_MB = 64;
const GOAL_MS = 1_000;

const { signal } = new AbortController();
const ms = (value: number): string => `${value.toFixed(0)} ms`;

if (noMailServer === undefined) {
  const server = await startMailServer();
  try {
    await benchNotice(server);
    await benchSending(server);
    for (const sizeMb of SIZES_MB) await benchMemory(server, sizeMb);
  } finally {
    await server.remove();
  }
} else {
  console.log(`no figures: ${noMailServer}`);
}

/** From the end of the delivery to the server's notice, and to `changed`. */
async function benchNotice(server: MailServer): Promise<void> {
  const { mailbox } = mailboxOf(server);
  const bare = new ImapFlow({
    host: server.host,
    port: server.imapPort,
    secure: true,
    auth: { user: AGENT.address, pass: AGENT.password },
    tls: { ca: server.ca },
    logger: false,
  });
  await bare.connect();
  await bare.mailboxOpen('INBOX');
  await mailbox.open(signal);
  const [notices, changes, reads]: [number[], number[], number[]] = [[], [], []];
  let uid = 1;
  for (let count = 0; count < LETTERS; count += 1) {
    const noticed = new Promise<number>((resolve) => bare.once('exists', () => resolve(performance.now())));
    const changed = mailbox.changed(signal).then(() => performance.now());
    // As new as that of the agent: a server tells a new one later.
    await bare.noop();
    bare.idle().catch(() => undefined);
    await server.deliver(`Subject: Letter ${String(count)}\r\n\r\nText\r\n`, AGENT.address);
    const startMs = performance.now();
    notices.push((await noticed) - startMs);
    changes.push((await changed) - startMs);
    const [place] = await mailbox.list({ uid, sinceMs: 0, max: 10 });
    if (place === undefined) throw new Error('no letter');
    await mailbox.read(place);
    uid = place.uid + 1;
    reads.push(performance.now() - startMs);
  }
  bare.close();
  await mailbox.close();
  const [notice, change, read] = [notices, changes, reads].map((times) => quantile(times, 0.5));
  row(
    'the notice of the server, p50',
    ms(notice ?? 0),
    `${String(LETTERS)} letters; p95 ${ms(quantile(notices, 0.95))}`,
  );
  row('new mail to changed, p50', ms(change ?? 0), `p95 ${ms(quantile(changes, 0.95))}; beside the notice`);
  row(
    'new mail to a letter that was read, p50',
    ms(read ?? 0),
    `p95 ${ms(quantile(reads, 0.95))}; goal ${ms(GOAL_MS)}`,
  );
}

async function benchSending(server: MailServer): Promise<void> {
  const sender = senderOf(server);
  const times: number[] = [];
  for (let count = 0; count < SENT; count += 1) {
    const startMs = performance.now();
    const { kind } = await handed(sender, outgoing({ messageId: `o-${String(count)}@retainer.example` }), signal);
    if (kind !== 'Sent') throw new Error(kind);
    times.push(performance.now() - startMs);
  }
  await sender.close();
  row('a letter handed over, p50', ms(quantile(times, 0.5)), `p95 ${ms(quantile(times, 0.95))}; a connection each`);
}

/** The limit of the mailbox is 10 MB, as manifests have it by default. */
async function benchMemory(server: MailServer, sizeMb: number): Promise<void> {
  const line = `${'x'.repeat(76)}\r\n`;
  const body = line.repeat(Math.floor((sizeMb * MEGABYTE - 1_024) / line.length));
  await server.deliver(`Subject: Large\r\n\r\n${body}`, AGENT.address);
  const child = fileURLToPath(new URL('../test/support/mail-memory-process.ts', import.meta.url));
  const { host, imapPort, ca } = server;
  const told = JSON.stringify({ host, imapPort, ca, user: AGENT.address, password: AGENT.password });
  const args = ['--import', 'tsx', '--conditions=source', child, told];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { idleMb, openMb, grownMb, readBytes } = JSON.parse(stdout) as Record<
    'idleMb' | 'openMb' | 'grownMb' | 'readBytes',
    number
  >;
  row(
    `peak of memory over a letter of ${String(sizeMb)} MB`,
    `+${grownMb.toFixed(0)} MB`,
    `${String(readBytes)} bytes of it read; goal ${String(GOAL_MB)} MB; an open mailbox +${(openMb - idleMb).toFixed(0)} MB`,
  );
}
