/**
 * Delivers the result of a run that a letter began: one answer to the letter, to its sender alone.
 *
 * I1  It is delivered when the record tells what came of the mail: sent, refused for good, unknown or withheld. So nobody answers the
 *     same letter twice, and a run whose server is away waits.
 * I2  Of a run that was refused or that failed, the answer is a line of ours.
 *
 * Source: springdrift 10, 15 (34); reliability-security 5.
 */
import { mailIdOf } from '@retainer/mind/parts/mail/outgoing';
import type { MailPort } from '../ports/mail.ts';
import type { Delivery, DeliveryPort } from '../ports/ports.ts';
import { mailText } from './mail-text.ts';

export class MailDelivery implements DeliveryPort {
  readonly #mail: Pick<MailPort, 'known' | 'send'>;

  constructor(mail: Pick<MailPort, 'known' | 'send'>) {
    this.#mail = mail;
  }

  async deliver(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { deliveryId, runId, target: letterId, body } = delivery;
    const head = this.#mail.known().letters.get(letterId)?.head;
    // Nobody is there who could get it; the record has the result.
    if (head?.from === undefined) return;
    const { kind, text } = mailText(runId, body);
    const request = { kind, to: [head.from], subject: head.subject, text, letterId, deliveryId, runId };
    const outcome = await this.#mail.send(request, signal);
    if (outcome === 'Pending') throw new Error('its mail server takes nothing at the moment');
  }

  isDelivered({ deliveryId }: Delivery): Promise<boolean> {
    const status = this.#mail.known().outgoing.get(mailIdOf({ kind: 'Reply', to: [], deliveryId }))?.status;
    return Promise.resolve(status !== undefined && status !== 'Open' && status !== 'Handed');
  }
}
