/**
 * Mails over real servers, and processes that are killed around the text of a mail: what a server may have is never sent again, and what
 * nobody knows is told.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { mail, type MailState } from '@retainer/mind/parts/mail/mail-state';
import type { SendRequest } from '@retainer/mind/parts/mail/outgoing';
import { describe, expect } from 'vitest';
import { inTemporaryDirectory } from '../support/agents.ts';
import type { MailSenderOrders } from '../support/mail-sender-main.ts';
import { ADA, AGENT, noMailServer, startMailServer, type MailServer } from '../support/mail-server.ts';
import { Seeded } from '../support/seeded.ts';
import { testSeed } from '../support/seed.ts';
import { bySize, limitMs } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

const script = fileURLToPath(new URL('../support/mail-sender-main.ts', import.meta.url));
const killsOfLane = bySize({ check: 10, nightly: 100 });

/** How a life ends. `Held`: the server has the text and has not answered. `Lost`: it lost the text. `Sender`: before the text. */
type Moment = 'Held' | 'Lost' | 'Sender' | 'Any';
const MOMENTS: readonly Moment[] = ['Held', 'Lost', 'Sender', 'Any', 'Held'];
/** From `ready` on, in which a mail is handed, sent and recorded on an idle machine. */
const anyMsMax = 600;

class Sender {
  readonly #child: ChildProcess;
  readonly #said = new Set<string>();
  readonly #closed: Promise<unknown>;
  #tell = (): void => undefined;
  #errors = '';

  constructor(orders: MailSenderOrders, number: number) {
    const file = join(orders.dataDirectory, '..', `orders-${number}.json`);
    writeFileSync(file, JSON.stringify(orders));
    const argv = ['--conditions=source', '--import', 'tsx', script, file];
    this.#child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#closed = once(this.#child, 'close');
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#errors += chunk.toString()));
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      this.#said.add(line);
      this.#tell();
    });
    void this.#closed.then(() => this.#tell());
  }

  async says(word: 'ready' | 'settled'): Promise<void> {
    while (!this.#said.has(word)) {
      if (this.#child.exitCode !== null) throw new Error(`it ended before it was ${word}: ${this.#errors}`);
      await new Promise<void>((resolve) => (this.#tell = resolve));
    }
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }
}

class Lane {
  readonly #server: MailServer;
  readonly #directory: string;
  #lives = 0;

  constructor(server: MailServer, directory: string) {
    this.#server = server;
    this.#directory = directory;
    mkdirSync(join(directory, 'data'));
  }

  live(isSending: boolean): Sender {
    this.#lives += 1;
    const callId = `call-${this.#lives}`;
    const request: SendRequest = {
      kind: 'Tool',
      to: [ADA.address],
      subject: callId,
      text: `This is ${callId}.`,
      callId,
    };
    const { host, imapPort, smtpPort, ca } = this.#server;
    const email = {
      address: AGENT.address,
      ...{ imap: { host, port: imapPort }, smtp: { host, port: smtpPort }, credentialsSecretRef: { name: 'mail' } },
      ...{ allowedRecipients: [ADA.address], sendsPerHour: 1000, messagesPerCorrespondentPerDay: 1000 },
    };
    const { address: user, password } = AGENT;
    const requests = isSending ? [request] : [];
    return new Sender(
      { dataDirectory: join(this.#directory, 'data'), email, user, password, ca, requests },
      this.#lives,
    );
  }

  /** One life, ended around the text of its mail. */
  async killedAt(moment: Moment, random: Seeded): Promise<void> {
    const server = this.#server;
    if (moment === 'Held') server.fail({ at: 'Text', does: 'Hold' });
    if (moment === 'Lost') server.fail({ at: 'Text', does: 'LoseBeforeTaking' });
    const before = { ...server.reached };
    const life = this.live(true);
    await life.says('ready');
    if (moment === 'Held') await server.held();
    if (moment === 'Lost') await until(() => server.reached.Text > before.Text);
    if (moment === 'Sender') await until(() => server.reached.Sender > before.Sender);
    await sleep(moment === 'Any' ? random.below(anyMsMax) : random.below(30));
    await life.kill();
    server.release();
    server.fail(undefined);
  }

  async state(): Promise<MailState> {
    const reader = await openRecords(join(this.#directory, 'data'));
    const state = mail.start();
    for await (const record of reader.read('mail')) mail.take(state, record);
    return state;
  }
}

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { interval: 2 }).toBe(true);
}

const idIn = (raw: string): string => /^Message-ID: <([^>]+)>/im.exec(raw)?.[1] ?? '';

function counts(ids: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const id of ids) found.set(id, (found.get(id) ?? 0) + 1);
  return found;
}

/** Lives on one record, each ended around the text of its mail, and a last one that settles what they left. */
async function expectNoneTwice(isKeepingSent: boolean): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    const server = await startMailServer({ isKeepingSent });
    const random = new Seeded(testSeed + (isKeepingSent ? 0 : 1));
    try {
      const lane = new Lane(server, directory);
      for (let kill = 0; kill < killsOfLane; kill += 1)
        await lane.killedAt(MOMENTS[kill % MOMENTS.length] ?? 'Any', random);
      const last = lane.live(false);
      await last.says('settled');
      const sent = expectFates(await lane.state(), server, isKeepingSent);
      await expect
        .poll(async () => {
          const copies = counts((await server.letters(AGENT.address, 'Sent')).map(({ raw }) => idIn(raw)));
          return sent.map((id) => copies.get(id));
        })
        .toEqual(sent.map(() => 1));
      await last.kill();
    } finally {
      await server.remove();
    }
  });
}

/** @returns Message-IDs of mails that were sent */
function expectFates({ outgoing }: MailState, server: MailServer, isKeepingSent: boolean): readonly string[] {
  const mails = [...outgoing.values()];
  const taken = counts(server.sent.map(({ raw }) => idIn(raw)));
  expect(Math.max(...taken.values())).toBe(1);
  // The text of no mail came twice, taken or lost.
  expect(server.reached.Text).toBeLessThanOrEqual(mails.length);
  expect(mails.filter(({ status }) => status !== 'Sent' && status !== 'Unknown')).toEqual([]);
  for (const { mail: of, status } of mails) {
    if (status === 'Sent') expect(taken.get(of.messageId)).toBe(1);
    // What the server keeps is found.
    if (isKeepingSent && taken.has(of.messageId)) expect(status).toBe('Sent');
  }
  const unknown = mails.filter(({ status }) => status === 'Unknown');
  expect(unknown.length).toBeGreaterThanOrEqual(killsOfLane / MOMENTS.length / 2);
  const sent = mails.filter(({ status }) => status === 'Sent').map((it) => it.mail.messageId);
  expect(sent.length).toBeGreaterThan(0);
  return sent;
}

describe.skipIf(noMailServer !== undefined)(noMailServer ?? 'mails over real servers', () => {
  verifies(
    'mail-out:no-blind-resend',
    `of processes that are killed around the text ${2 * killsOfLane} times are sent once, or unknown and told so`,
    async () => {
      // One server keeps copies, the other one does not.
      await Promise.all([expectNoneTwice(true), expectNoneTwice(false)]);
    },
    limitMs(900_000, 10),
  );
});
