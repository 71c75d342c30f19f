/**
 * Answers letters: the result of a run that a letter began goes to the sender of that letter, and to nobody else.
 *
 * I1  What a gate refused, and what failed, sends one line of ours and no word of a model.
 * I2  An answer is delivered when its fate is in the record, also one that nobody knows: it does not go out twice.
 *
 * Source: springdrift 10; reliability-security 5 (sending).
 */
import type { KeptOutgoing } from '@retainer/mind/parts/mail/mail-state';
import { answerText } from '@retainer/mind/parts/mail/answer-text';
import { mailIdOf, type SendRequest } from '@retainer/mind/parts/mail/outgoing';
import type { MailPort } from '../ports/mail.ts';
import type { Delivery, DeliveryPort } from '../ports/ports.ts';

const FATES: ReadonlySet<KeptOutgoing['status']> = new Set(['Sent', 'Failed', 'Unknown', 'Bounced', 'Withheld']);

export class MailDelivery implements DeliveryPort {
  readonly #mail: Pick<MailPort, 'known' | 'send'>;

  constructor(mail: Pick<MailPort, 'known' | 'send'>) {
    this.#mail = mail;
  }

  async deliver(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const request = this.#requestOf(delivery);
    if (request === undefined) return;
    const outcome = await this.#mail.send(request, signal);
    if (outcome === 'Pending') throw new Error('the mail server has not taken it yet');
  }

  isDelivered(delivery: Delivery): Promise<boolean> {
    const request = this.#requestOf(delivery);
    if (request === undefined) return Promise.resolve(true);
    const kept = this.#mail.known().outgoing.get(mailIdOf(request));
    return Promise.resolve(kept !== undefined && FATES.has(kept.status));
  }

  /** Undefined: its letter is forgotten, or nobody is its sender. */
  #requestOf({ target, deliveryId, runId, body }: Delivery): SendRequest | undefined {
    const head = this.#mail.known().letters.get(target)?.head;
    if (head?.from === undefined) return undefined;
    return {
      ...{ kind: 'Reply', to: [head.from], subject: head.subject, text: answerText(body, runId) },
      ...{ letterId: target, deliveryId, runId },
    };
  }
}
