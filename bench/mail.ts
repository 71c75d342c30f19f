/**
 * What mail costs at its servers, and in the record: `npm run bench:mail`. The servers need Dovecot.
 *
 * Half of so many mails are letters, and half are their answers, four of each in a thread: they are folded as records in memory, and from
 * the disk.
 *
 * A letter is delivered by LMTP; a bare connection and the agent's mailbox wait for it side by side. Then letters of growing sizes are
 * read one after the other in a process of their own, which tells its peak of memory.
 *
 * Source: reliability-security 7 (row 29: a message within 1 s and 64 MB; 100,000 mails fold within 1.5 s).
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { foldRecord } from '@retainer/agent-pod/loop/fold-record';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { NewRecord } from '@retainer/journal/journal';
import { openJournal } from '@retainer/journal/open-journal';
import { mail, type MailState } from '@retainer/mind/parts/mail/mail-state';
import { Projections } from '@retainer/mind/projections/projections';
import { ImapFlow } from 'imapflow';
import { headOf } from '../test/support/mail-book.ts';
import { handed, mailboxOf, outgoing, senderOf } from '../test/support/mail-ports.ts';
import { AGENT, noMailServer, startMailServer, type MailServer } from '../test/support/mail-server.ts';
import { bySize } from './bench-size.ts';
import { quantile, row } from './figures.ts';

const LETTERS = bySize({ smoke: 3, full: 50 });
const SENT = bySize({ smoke: 3, full: 50 });
const SIZES_MB = bySize({ smoke: [1], full: [1, 10, 64] });
const MAILS = bySize({ smoke: 1_000, full: 100_000 });
const FOLDS = bySize({ smoke: 2, full: 7 });
/** Letters of one thread, and people who write. */
const THREAD_LETTERS = 4;
const PEOPLE = 50;
const TEXT = 'Please look at the logs of the night, and say what is new. '.repeat(5);
/** Records of one append: a mail alone is one, and waits for the disk. */
const APPENDED = 500;
const MEGABYTE = 1_048_576;
const GOAL_MB = 64;
const GOAL_MS = 1_000;
const GOAL_FOLD_MS = 1_500;

const { signal } = new AbortController();
const ms = (value: number): string => `${value.toFixed(0)} ms`;

await benchFold();
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

/** A letter that begins a run, and its answer. */
function exchange(at: number, timeMs: number): readonly NewRecord[] {
  const [letterId, mailId, threadId] = [`m-${at}`, `o-${at}`, `t-${Math.floor(at / THREAD_LETTERS)}`];
  const from = `p${at % PEOPLE}@people.example`;
  const record = (kind: string, payload: NewRecord['payload']): NewRecord => ({
    ...{ store: 'mail', kind, principal: 'agent', timeMs, payload },
  });
  const answer = {
    ...{
      mailId,
      messageId: `${mailId}.x@agents.example`,
      kind: 'Reply',
      to: [from],
      subject: 'Re: The report',
      text: TEXT,
    },
    ...{ references: [], threadId, letterId, hops: 1, deliveryId: `mail-${at}` },
  };
  return [
    record('MailSeen', {
      head: headOf(letterId, { place: { mailbox: 'INBOX', uidValidity: '1', uid: at + 1 }, from }),
    }),
    record('MailAdmitted', {
      ...{ letterId, threadId, texts: { words: TEXT, enclosed: [] }, as: { kind: 'Run', runId: `mail-${at}` } },
    }),
    record('MailRequested', { mail: answer }),
    record('MailHanded', { mailId }),
    record('MailSent', { mailId }),
  ];
}

async function benchFold(): Promise<void> {
  const startMs = Date.now() - MAILS;
  const records = Array.from({ length: MAILS / 2 }, (_, at) => exchange(at, startMs + at)).flat();
  const times: number[] = [];
  for (let round = 0; round < FOLDS; round += 1) times.push(timeOfFold(records));
  const what = `${MAILS.toLocaleString('en')} mails`;
  row(
    `${what}, folded, p50`,
    ms(quantile(times, 0.5)),
    `p95 ${ms(quantile(times, 0.95))}; ${records.length.toLocaleString('en')} records; goal ${ms(GOAL_FOLD_MS)}`,
  );
  const directory = await mkdtemp(join(tmpdir(), 'retainer-bench-mail-'));
  try {
    await write(directory, records);
    const reader = await openRecords(directory);
    const projections = new Projections();
    const readMs = performance.now();
    await foldRecord(reader, projections, Date.now());
    if (projections.states.mail.seen.size !== MAILS / 2) throw new Error('letters are missing');
    row('the same, read from the disk', ms(performance.now() - readMs), 'once; without a cache of the states');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function timeOfFold(records: readonly NewRecord[]): number {
  const state: MailState = mail.start();
  const startMs = performance.now();
  for (const [seq, { store, kind, payload, timeMs = 0 }] of records.entries())
    mail.take(state, { store, kind, seq, timeMs, payload });
  const tookMs = performance.now() - startMs;
  if (state.seen.size !== MAILS / 2) throw new Error('letters are missing');
  return tookMs;
}

async function write(directory: string, records: readonly NewRecord[]): Promise<void> {
  const journal = await openJournal({
    ...{ directory: join(directory, 'journal'), stores: agentStores, agentUid: 'default/ada', clock: systemClock },
  });
  for (let at = 0; at < records.length; at += APPENDED) await journal.append(records.slice(at, at + APPENDED));
  await journal.close();
}
