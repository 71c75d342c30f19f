/**
 * Delivers notices: words for a person that no Task waits for. The file in the outbox is the delivery; whoever can tell a person of it
 * at once, such as a terminal, is called besides.
 *
 * I1  The call comes after the file, and once for each delivery. A process that is killed between both leaves the file only.
 */
import type { Delivery, DeliveryPort } from '../ports/ports.ts';
import type { OutboxDelivery } from './outbox-delivery.ts';

/** What is said of a notice elsewhere: never its words. */
export interface DeliveredNotice {
  readonly deliveryId: string;
  readonly target: string;
  readonly runId: string;
  readonly outcome: string;
}

export class NoticeDelivery implements DeliveryPort {
  readonly #outbox: OutboxDelivery;
  readonly #onDelivered: (notice: DeliveredNotice) => void;

  constructor(outbox: OutboxDelivery, onDelivered: (notice: DeliveredNotice) => void) {
    this.#outbox = outbox;
    this.#onDelivered = onDelivered;
  }

  async deliver(delivery: Delivery): Promise<void> {
    if (!(await this.#outbox.keep(delivery))) return;
    const { deliveryId, target, runId, body } = delivery;
    this.#onDelivered({ deliveryId, target, runId, outcome: body.outcome });
  }

  isDelivered(delivery: Delivery): Promise<boolean> {
    return this.#outbox.isDelivered(delivery);
  }
}
