/** The outbox over the real fold of its records, with a server and a Sent that a test makes fail. */
import type { PartRecord } from '@retainer/mind/part/store';
import type { SendRequest, SendSettings } from '@retainer/mind/parts/mail/outgoing';
import { describe, expect, it } from 'vitest';
import { MailBook, OWN_ADDRESS } from '../../../../test/support/mail-book.ts';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { verifies } from '../../../../test/verifies.ts';
import { buildLetter } from '../../mail/build-letter.ts';
import type { Handed, Handing, SenderPort, SendOutcome } from '../../ports/mail.ts';
import { Outbox, type OutboxParts } from './outbox.ts';

const HOUR_MS = 3_600_000;
const settings: SendSettings = {
  address: OWN_ADDRESS,
  allowedRecipients: ['*@firm.example'],
  sendsPerHour: 20,
  repliesPerThreadPerHour: 5,
  messagesPerCorrespondentPerDay: 20,
};
const letter: SendRequest = { kind: 'Tool', to: ['bob@firm.example'], subject: 'Hello', text: 'Hi.', callId: 'c-1' };

/** What the server makes of one mail. `NotReached`: before anything of it went. */
type Fate = 'Sent' | 'Lost' | 'NotReached' | 'Later' | 'Never';

const HANDED: Readonly<Record<Fate, Handed>> = {
  Sent: { kind: 'Sent' },
  Lost: { kind: 'Unknown', reason: 'BrokenWhileSent' },
  NotReached: { kind: 'Refused', reason: 'ConnectionRefused', isPermanent: false },
  Later: { kind: 'Refused', reason: 'TryLater', isPermanent: false },
  Never: { kind: 'Refused', reason: 'RecipientRefused', isPermanent: true },
};

const builtAt: OutboxParts['build'] = (mail, dateMs) => buildLetter(mail, { address: OWN_ADDRESS, dateMs });

class Post {
  readonly clock = manualClock();
  readonly book: MailBook;
  /** Texts that the server had, oldest first. */
  readonly texts: string[] = [];
  readonly sent: string[] = [];
  hands = 0;
  fates: Fate[] = [];
  isWorking = true;
  isAway = false;
  hasSent = true;
  /** Whether the server keeps a copy by itself. */
  keepsCopies = true;
  looks = 0;
  /** The volume is full for records of this kind, which ends the work. */
  fullFrom: string | undefined;
  readonly over = new AbortController();
  readonly outbox: Outbox;
  #building = 0;
  #running: Promise<void> = Promise.resolve();

  constructor(book = new MailBook(), more: Partial<OutboxParts> = {}) {
    this.book = book;
    this.book.nowMs = this.clock.nowMs();
    const parts = {
      known: book.parts.known,
      write: (records: readonly PartRecord[]): Promise<void> => {
        book.nowMs = this.clock.nowMs();
        if (records[0]?.kind !== this.fullFrom) return book.parts.write(records);
        this.isWorking = false;
        return Promise.reject(new Error('the volume is full'));
      },
    };
    this.outbox = new Outbox({
      ...{ clock: this.clock, parts, settings, sender: this.#sender(), isWorking: () => this.isWorking },
      mailbox: { isInSent: (id) => this.#isInSent(id), appendToSent: (message) => this.#append(message) },
      ...more,
      build: (mail, dateMs) => this.#build((more.build ?? builtAt)(mail, dateMs)),
    });
  }

  #build(building: Promise<Uint8Array>): Promise<Uint8Array> {
    this.#building += 1;
    return building.finally(() => (this.#building -= 1));
  }

  begin(): void {
    this.#running = this.outbox.component().run(this.over.signal);
  }

  async end(): Promise<void> {
    this.over.abort();
    await this.#running;
  }

  /** Lets time pass until it holds, and none while a mail is built: that takes real time. */
  async until(holds: () => boolean, stepMs = 1_000): Promise<void> {
    for (let turn = 0; turn < 2_000; turn += 1) {
      for (let at = 0; at < 10 || this.#building > 0; at += 1) await new Promise((resolve) => setImmediate(resolve));
      if (holds()) return;
      this.clock.advance(stepMs);
    }
    throw new Error(`it never held: ${this.book.kinds().join(' ')}`);
  }

  async send(request: SendRequest, stepMs = 1_000): Promise<SendOutcome> {
    let outcome: SendOutcome | undefined;
    const sending = this.outbox.send(request, this.over.signal).then((it) => (outcome = it));
    await this.until(() => outcome !== undefined, stepMs);
    return sending;
  }

  #sender(): SenderPort {
    return {
      start: () => undefined,
      hand: async (_mail, handing) => {
        this.hands += 1;
        const fate = this.fates.shift() ?? 'Sent';
        if (fate !== 'NotReached') await this.#text(fate, handing);
        return HANDED[fate];
      },
      health: () => ({ state: 'Up', sinceMs: 0 }),
      close: () => Promise.resolve(),
    };
  }

  async #text(fate: Fate, { message, beforeText }: Handing): Promise<void> {
    await beforeText();
    // The record has it before the server has any of it.
    expect(this.book.kinds().at(-1)).toBe('MailHanded');
    const text = Buffer.from(message).toString();
    this.texts.push(text);
    if (fate === 'Sent' && this.keepsCopies) this.sent.push(text);
  }

  #isInSent(messageId: string): Promise<boolean | undefined> {
    this.looks += 1;
    if (this.isAway) return Promise.reject(new Error('away'));
    return Promise.resolve(this.hasSent ? this.sent.some((it) => it.includes(`<${messageId}>`)) : undefined);
  }

  #append(message: Uint8Array): Promise<void> {
    if (this.isAway) return Promise.reject(new Error('away'));
    this.sent.push(Buffer.from(message).toString());
    return Promise.resolve();
  }
}

async function withPost(
  use: (post: Post) => Promise<void>,
  ...given: ConstructorParameters<typeof Post>
): Promise<void> {
  const post = new Post(...given);
  post.begin();
  await use(post);
  await post.end();
}

describe('a mail that is sent', () => {
  verifies('mail-out:intent-first', 'is requested, handed and sent, each before the next', () =>
    withPost(async (post) => {
      expect(await post.send(letter)).toBe('Sent');
      expect(post.book.kinds()).toEqual(['MailRequested', 'MailHanded', 'MailSent']);
      expect(post.texts).toHaveLength(1);
      expect(post.texts[0]).toContain('Subject: Hello');
    }),
  );

  verifies('mail-out:same-reason-same-mail', 'is sent once, however often it is asked for, also at the same time', () =>
    withPost(async (post) => {
      const all = await Promise.all([post.send(letter), post.send(letter), post.send({ ...letter, text: 'Other.' })]);
      expect([...all, await post.send(letter)]).toEqual(['Sent', 'Sent', 'Sent', 'Sent']);
      expect([post.hands, post.texts.length]).toEqual([1, 1]);
    }),
  );

  verifies('mail-out:copy-in-sent', 'has one copy in Sent, by the server or by us', async () => {
    for (const keepsCopies of [true, false])
      await withPost(async (post) => {
        post.keepsCopies = keepsCopies;
        await post.send(letter);
        const before = post.looks;
        await post.until(() => post.looks > before);
        await post.until(() => post.sent.length === 1);
        expect(post.sent[0]).toBe(post.texts[0]);
      });
  });

  verifies('mail-out:copy-in-sent', 'gets its copy by the next process, if the first one ended before', async () => {
    const first = new Post();
    first.keepsCopies = false;
    first.begin();
    await first.send(letter);
    await first.end();
    expect(first.sent).toEqual([]);
    const second = new Post(first.book);
    second.clock.advance(first.clock.nowMs() - second.clock.nowMs());
    second.begin();
    await second.until(() => second.sent.length === 1);
    expect(second.sent).toEqual(first.texts);
    expect(second.hands).toBe(0);
    await second.end();
  });
});

describe('a server that refuses', () => {
  verifies('mail-out:tried-again', 'for a while: the mail is tried with growing pauses, and each try is recorded', () =>
    withPost(async (post) => {
      post.fates = ['NotReached', 'Later', 'Later'];
      const delivery: SendRequest = { ...letter, kind: 'Question', deliveryId: 'd-1' };
      const { callId: _, ...request } = delivery;
      const startMs = post.clock.nowMs();
      expect(await post.send(request)).toBe('Sent');
      expect(post.hands).toBe(4);
      expect(post.clock.nowMs() - startMs).toBeGreaterThanOrEqual(15_000 + 30_000 + 60_000);
      expect(post.book.of('MailFailed')).toMatchObject([
        { reason: 'ConnectionRefused', isPermanent: false },
        { reason: 'TryLater', isPermanent: false },
        { reason: 'TryLater', isPermanent: false },
      ]);
      expect(post.texts).toHaveLength(3);
    }),
  );

  verifies('mail-out:tried-again', 'for a day: the mail has failed for good', () =>
    withPost(async (post) => {
      post.fates = Array.from({ length: 1_000 }, () => 'Later' as const);
      const { callId: _, ...request } = letter;
      expect(await post.send({ ...request, deliveryId: 'd-1' }, 60_000)).toBe('Failed');
      expect(post.book.of('MailFailed').at(-1)).toMatchObject({ isPermanent: true });
      expect(post.hands).toBeLessThan(40);
    }),
  );

  verifies('mail-out:tried-again', 'for good: it is tried once', () =>
    withPost(async (post) => {
      post.fates = ['Never'];
      expect(await post.send(letter)).toBe('Failed');
      expect(post.hands).toBe(1);
    }),
  );

  it('lets a call of a tool go on after the first try, and sends the mail later', () =>
    withPost(async (post) => {
      post.fates = ['NotReached'];
      expect(await post.send(letter)).toBe('Pending');
      await post.until(() => post.texts.length === 1);
      expect(await post.send(letter)).toBe('Sent');
    }));
});

describe('what a server said while the volume was full', () => {
  for (const [fate, kind, status] of [
    ['Sent', 'MailSent', 'Sent'],
    ['Later', 'MailFailed', 'Open'],
    ['Never', 'MailFailed', 'Failed'],
  ] as const)
    verifies('mail-out:no-blind-resend', `is recorded when there is room: ${fate}`, () =>
      withPost(async (post) => {
        // No copy would show it.
        post.keepsCopies = false;
        post.fates = [fate];
        post.fullFrom = kind;
        const sending = post.outbox.send(letter, post.over.signal);
        await post.until(() => !post.isWorking);
        for (let turn = 0; turn < 60; turn += 1) post.clock.advance(1_000);
        post.fullFrom = undefined;
        post.isWorking = true;
        await post.until(() => post.book.kinds().includes(kind));
        expect([...post.book.state.outgoing.values()].map((it) => it.status)).toEqual([status]);
        expect(post.hands).toBe(1);
        post.over.abort();
        await sending;
      }),
    );
});

describe('a mail whose fate nobody told', () => {
  verifies('mail-out:no-blind-resend', 'is found in Sent', () =>
    withPost(async (post) => {
      post.fates = ['Lost'];
      const sending = post.send(letter);
      await post.until(() => post.texts.length === 1);
      post.sent.push(post.texts[0] ?? '');
      expect(await sending).toBe('Sent');
      expect(post.book.of('MailSent')).toMatchObject([{ foundInSent: true }]);
      expect(post.hands).toBe(1);
    }),
  );

  for (const [where, reason] of [
    ['is not in Sent', 'NotInSent'],
    ['has no Sent to be in', 'NoSentFolder'],
    ['has a Sent that is away', 'SentNotReached'],
  ] as const)
    verifies('mail-out:no-blind-resend', `is unknown for good, if it ${where}`, () =>
      withPost(async (post) => {
        post.fates = ['Lost'];
        post.hasSent = reason !== 'NoSentFolder';
        post.isAway = reason === 'SentNotReached';
        const { callId: _, ...request } = letter;
        expect(await post.send({ ...request, deliveryId: 'd-1' })).toBe('Unknown');
        expect(post.book.of('MailUnknown')).toMatchObject([{ reason }]);
        post.isAway = false;
        await post.until(() => true);
        expect(await post.send({ ...request, deliveryId: 'd-1' })).toBe('Unknown');
        expect(post.hands).toBe(1);
      }),
    );

  verifies('mail-out:no-blind-resend', 'waits for a Sent that is away for a while', () =>
    withPost(async (post) => {
      post.fates = ['Lost'];
      post.isAway = true;
      const { callId: _, ...request } = letter;
      const sending = post.send({ ...request, deliveryId: 'd-1' });
      await post.until(() => post.looks >= 20);
      post.sent.push(post.texts[0] ?? '');
      post.isAway = false;
      expect(await sending).toBe('Sent');
    }),
  );
});

/** The whole life of one mail, as its record grows. */
async function wholeRecord(keepsCopies = true): Promise<Post> {
  const post = new Post();
  post.keepsCopies = keepsCopies;
  post.fates = ['Later', 'Sent'];
  post.begin();
  const { callId: _, ...request } = letter;
  expect(await post.send({ ...request, deliveryId: 'd-1' })).toBe('Sent');
  await post.end();
  return post;
}

describe('a record that ends anywhere', () => {
  for (const serverHadIt of [true, false])
    verifies(
      'mail-out:no-blind-resend',
      `is gone on with: handed is looked for, anything else is sent (in Sent: ${serverHadIt})`,
      async () => {
        const whole = await wholeRecord();
        const kinds = ['MailRequested', 'MailHanded', 'MailFailed', 'MailHanded', 'MailSent'];
        expect(whole.book.kinds()).toEqual(kinds);
        for (let length = 1; length <= kinds.length; length += 1) {
          const book = new MailBook();
          book.take(whole.book.records.slice(0, length));
          const next = new Post(book);
          const isHanded = kinds[length - 1] === 'MailHanded';
          if (serverHadIt && isHanded) next.sent.push(...whole.texts);
          next.begin();
          const isOver = (): boolean =>
            [...book.state.outgoing.values()].every(({ status }) => status !== 'Open' && status !== 'Handed');
          await next.until(isOver);
          const fate = [...book.state.outgoing.values()].map(({ status }) => status);
          expect(next.hands, `after ${length}`).toBe(isHanded || length === kinds.length ? 0 : 1);
          expect(fate, `after ${length}`).toEqual([isHanded && !serverHadIt ? 'Unknown' : 'Sent']);
          await next.end();
        }
      },
    );

  verifies(
    'mail-out:no-blind-resend',
    'of a machine that is lost is not trusted to have all: what was open is looked for',
    async () => {
      const { book } = await wholeRecord();
      const copied = new MailBook();
      copied.take(book.records.slice(0, 1));
      const next = new Post(copied, { restoredAtMs: () => copied.nowMs + 1 });
      next.begin();
      await next.until(() => copied.kinds().at(-1) === 'MailUnknown');
      expect(next.hands).toBe(0);
      await next.end();
    },
  );
});

describe('the limits of the outbox', () => {
  verifies(
    'mail-out:limits',
    'withhold a mail, also after a new start, and let the next one go an hour later',
    async () => {
      const first = new Post();
      first.begin();
      for (let at = 0; at < 20; at += 1)
        expect(await first.send({ ...letter, callId: `c-${at}`, to: [`b${at}@firm.example`] }, 1)).toBe('Sent');
      await first.end();
      const second = new Post(first.book);
      second.clock.advance(first.clock.nowMs() - second.clock.nowMs());
      second.begin();
      expect(await second.send({ ...letter, callId: 'c-more' }, 1)).toBe('Withheld');
      expect(second.book.of('MailWithheld')).toMatchObject([{ limit: 'sendsPerHour' }]);
      expect(second.hands).toBe(0);
      second.clock.advance(HOUR_MS);
      // What was withheld stays so.
      expect(await second.send({ ...letter, callId: 'c-more' }, 1)).toBe('Withheld');
      expect(await second.send({ ...letter, callId: 'c-later' }, 1)).toBe('Sent');
      await second.end();
    },
  );

  verifies('mail-out:limits', 'hold where a crash cut off that a mail was withheld', () =>
    withPost(async (post) => {
      for (let at = 0; at < 20; at += 1) await post.send({ ...letter, callId: `c-${at}` }, 1);
      expect(await post.send({ ...letter, callId: 'c-more' }, 1)).toBe('Withheld');
      const cut = new MailBook();
      cut.take(post.book.records.slice(0, -1));
      expect(cut.kinds().at(-1)).toBe('MailRequested');
      const next = new Post(cut);
      next.begin();
      await next.until(() => cut.kinds().at(-1) === 'MailWithheld');
      expect(next.hands).toBe(0);
      await next.end();
    }),
  );

  verifies(
    'mail-tools:recipients-hard',
    'withhold a tool’s mail to whoever is not listed, and nothing reaches a server',
    () =>
      withPost(async (post) => {
        expect(await post.send({ ...letter, to: ['eve@evil.example'] })).toBe('Withheld');
        expect(await post.send({ ...letter, callId: 'c-2', to: ['no address'] })).toBe('Failed');
        expect(post.hands).toBe(0);
      }),
  );
});

it('ends with its process, and begins nothing while the agent may begin nothing', async () => {
  const post = new Post();
  post.isWorking = false;
  post.begin();
  const sending = post.outbox.send(letter, post.over.signal);
  await post.until(() => post.clock.nowMs() > 100_000);
  expect(post.hands).toBe(0);
  await post.end();
  expect(await sending).toBe('Pending');
});

it('tells a mail that no header takes, and goes on with the others', () =>
  withPost(
    async (post) => {
      expect(await post.send(letter)).toBe('Failed');
      expect(await post.send({ ...letter, callId: 'c-2' })).toBe('Sent');
      expect(post.book.of('MailFailed')).toMatchObject([{ reason: 'NoMail', isPermanent: true }]);
    },
    new MailBook(),
    {
      build: (mail, dateMs) =>
        buildLetter(
          { ...mail, subject: mail.callId === 'c-1' ? 'a\r\nb' : mail.subject },
          { address: OWN_ADDRESS, dateMs },
        ),
    },
  ));
