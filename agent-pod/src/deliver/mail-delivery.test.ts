import type { Outgoing } from '@retainer/mind/parts/mail/mail-records';
import { outgoingOf, overLimit, type SendRequest } from '@retainer/mind/parts/mail/outgoing';
import { describe, expect, it } from 'vitest';
import { MailBook, OWN_ADDRESS } from '../../../test/support/mail-book.ts';
import { verifies } from '../../../test/verifies.ts';
import type { MailPort, SendOutcome } from '../ports/mail.ts';
import type { Delivery, DeliveryBody } from '../ports/ports.ts';
import { MailDelivery } from './mail-delivery.ts';
import { mailText } from './mail-text.ts';

const { signal } = new AbortController();
const never = { sinceMs: 0, state: 'Up' } as const;
const settings = {
  ...{ address: OWN_ADDRESS, allowedRecipients: [], sendsPerHour: 20 },
  ...{ repliesPerThreadPerHour: 5, messagesPerCorrespondentPerDay: 20 },
};

/** The mail of an agent whose server does as it is told. */
class Post {
  readonly book = new MailBook();
  /** `Open`: it takes nothing. */
  fate: 'Sent' | 'Unknown' | 'Failed' | 'Open' = 'Sent';
  readonly asked: SendRequest[] = [];

  readonly port: MailPort = {
    address: OWN_ADDRESS,
    allowedRecipients: [],
    known: () => this.book.state,
    send: (request) => Promise.resolve(this.#send(request)),
    health: () => ({ incoming: never, outgoing: never }),
  };
  readonly delivery = new MailDelivery(this.port);

  get mails(): readonly Outgoing[] {
    return [...this.book.state.outgoing.values()].map(({ mail }) => mail);
  }

  #send(request: SendRequest): SendOutcome {
    this.asked.push(request);
    const made = outgoingOf(this.book.state, request, settings);
    if (!made.ok) return 'Failed';
    const mail = made.value;
    const { mailId } = mail;
    if (!this.book.state.outgoing.has(mailId)) {
      const over = overLimit(this.book.state, mail, settings, this.book.nowMs);
      this.book.take([{ store: 'mail', kind: 'MailRequested', payload: { mail } }]);
      if (over !== undefined) {
        this.book.take([{ store: 'mail', kind: 'MailWithheld', payload: { mailId, limit: over.limit } }]);
        return 'Withheld';
      }
    }
    if (this.fate === 'Open') return 'Pending';
    const why = this.fate === 'Sent' ? {} : { reason: 'X', ...(this.fate === 'Failed' ? { isPermanent: true } : {}) };
    this.book.take([{ store: 'mail', kind: `Mail${this.fate}`, payload: { mailId, ...why } }]);
    return this.fate;
  }
}

function deliveryOf(body: Partial<DeliveryBody>, deliveryId = 'mail-1-d1'): Delivery {
  const whole = { outcome: 'Succeeded', summary: 'Forty-one frost days.', ...body };
  return { deliveryId, channel: 'Mail', runId: 'mail-1', target: 'm-1', body: whole };
}

function post(): Post {
  const made = new Post();
  made.book.letter('m-1', { subject: 'Frost days' });
  return made;
}

describe('the answer to a letter', () => {
  verifies('mail-out:answer', 'is one mail to its sender alone, in its thread', async () => {
    const own = post();
    await own.delivery.deliver(deliveryOf({}), signal);
    await own.delivery.deliver(deliveryOf({}), signal);
    expect(own.mails).toMatchObject([
      {
        kind: 'Reply',
        to: ['ann@people.example'],
        subject: 'Re: Frost days',
        inReplyTo: 'm-1@people.example',
        threadId: 't-m-1',
        letterId: 'm-1',
        text: 'Forty-one frost days.\n\nReference: mail-1',
      },
    ]);
    expect(await own.delivery.isDelivered(deliveryOf({}))).toBe(true);
  });

  verifies('mail-out:answer', 'says what is uncertain or unmet after the result, in plain words', () => {
    const criteria = [
      { index: 1, text: 'The days are counted', required: true, verdict: 'Met', evidence: ['c1'], reason: '' },
      { index: 2, text: 'The source is\nnamed', required: false, verdict: 'Unverified', evidence: [], reason: '' },
    ];
    const body = {
      outcome: 'Accepted',
      summary: ' 41 \n',
      criteria,
      unmet: ['No chart'],
      unsupported: ['It was cold'],
    };
    expect(mailText('mail-1', body)).toEqual({
      kind: 'Reply',
      text: [
        '41',
        'Not done, or not shown:\n- No chart\n- The source is named',
        'Stated above, but nothing shows it:\n- It was cold',
        'Reference: mail-1',
      ].join('\n\n'),
    });
  });

  it('bounds its lists', () => {
    const { text } = mailText('mail-1', {
      outcome: 'Abandoned',
      summary: 's',
      unmet: Array.from({ length: 40 }, (_, at) => `${at} ${'x'.repeat(500)}`),
    });
    expect(text.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(13);
    expect(text).toContain('- and 28 more');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(310);
  });

  for (const outcome of ['Refused', 'Failed', 'Cancelled', 'SomethingNew'])
    verifies('mail-out:fixed-line', `of a run that ended as ${outcome} has nothing of a model in it`, async () => {
      const own = post();
      const told = 'FORBIDDEN';
      const refusal = { gate: 'Output', rule: told, reason: told };
      const body = { outcome, summary: told, reasons: [told], unmet: [told], unsupported: [told], refusal };
      await own.delivery.deliver(deliveryOf(body), signal);
      expect(own.mails).toHaveLength(1);
      expect(own.mails[0]).toMatchObject({ kind: 'Fixed', to: ['ann@people.example'] });
      expect(own.mails[0]?.text).not.toContain(told);
      expect(own.mails[0]?.text).toMatch(/\.\n\nReference: mail-1$/);
    });

  for (const fate of ['Sent', 'Failed', 'Unknown'] as const)
    verifies('mail-out:answer', `counts as delivered when its mail is ${fate}, and is not sent anew`, async () => {
      const own = post();
      own.fate = fate;
      expect(await own.delivery.isDelivered(deliveryOf({}))).toBe(false);
      await own.delivery.deliver(deliveryOf({}), signal);
      expect(await own.delivery.isDelivered(deliveryOf({}))).toBe(true);
      expect(own.mails).toHaveLength(1);
    });

  verifies('mail-out:answer', 'waits while the server takes nothing', async () => {
    const own = post();
    own.fate = 'Open';
    await expect(own.delivery.deliver(deliveryOf({}), signal)).rejects.toThrow('takes nothing');
    expect(await own.delivery.isDelivered(deliveryOf({}))).toBe(false);
    own.fate = 'Sent';
    await own.delivery.deliver(deliveryOf({}), signal);
    expect(own.mails).toHaveLength(1);
  });

  verifies('mail-out:limits', 'is withheld where the letter has its answer, and counts as delivered then', async () => {
    const own = post();
    await own.delivery.deliver(deliveryOf({}), signal);
    const given = deliveryOf({ outcome: 'Cancelled' }, 'mail-1-given-up');
    await own.delivery.deliver(given, signal);
    expect(own.book.of('MailWithheld')).toMatchObject([{ limit: 'repliesPerLetter' }]);
    expect(await own.delivery.isDelivered(given)).toBe(true);
  });

  it('reaches nobody, and is over, where the letter is not in the record any more', async () => {
    const own = new Post();
    await own.delivery.deliver(deliveryOf({}), signal);
    expect(own.asked).toEqual([]);
  });
});
