/** Gives each reply to the adapter of its channel. */
import type { Delivery, DeliveryPort } from '../ports/ports.ts';

export class DeliveryRouter implements DeliveryPort {
  readonly #adapters: Readonly<Record<Delivery['channel'], DeliveryPort>>;

  constructor(adapters: Readonly<Record<Delivery['channel'], DeliveryPort>>) {
    this.#adapters = adapters;
  }

  deliver(delivery: Delivery, signal: AbortSignal): Promise<void> {
    return this.#adapters[delivery.channel].deliver(delivery, signal);
  }

  isDelivered(delivery: Delivery): Promise<boolean> {
    return this.#adapters[delivery.channel].isDelivered(delivery);
  }
}
