/**
 * Delivers results as files in a directory: in place of the Task status for an agent without a cluster.
 *
 * I1  A file exists completely or not at all (temporary name, sync, link, directory sync).
 * I2  One file per delivery id: linking onto an existing name fails, so nothing is delivered twice.
 */
import { createHash } from 'node:crypto';
import { link, mkdir, open, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Delivery, DeliveryPort } from '../ports/ports.ts';

export class OutboxDelivery implements DeliveryPort {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async deliver(delivery: Delivery): Promise<void> {
    await this.keep(delivery);
  }

  /** @returns whether it is new: false if its file stood there */
  async keep(delivery: Delivery): Promise<boolean> {
    await mkdir(this.#directory, { recursive: true });
    const path = this.pathOf(delivery.deliveryId);
    const temporary = `${path}.${process.pid}.tmp`;
    const file = await open(temporary, 'w');
    try {
      await file.writeFile(`${JSON.stringify(delivery, undefined, 2)}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
    // The file may exist from a delivery whose confirmation was lost.
    const isNew = await link(temporary, path).then(() => true, isExisting);
    await unlink(temporary);
    await syncDirectory(this.#directory);
    return isNew;
  }

  async isDelivered({ deliveryId }: Pick<Delivery, 'deliveryId'>): Promise<boolean> {
    return (await stat(this.pathOf(deliveryId)).catch(() => undefined)) !== undefined;
  }

  /** Ids that are not safe file names are replaced by their hash. */
  pathOf(deliveryId: string): string {
    const isSafe = /^[a-z0-9][a-z0-9.-]{0,200}$/.test(deliveryId);
    const name = isSafe ? deliveryId : createHash('sha256').update(deliveryId).digest('hex');
    return join(this.#directory, `${name}.json`);
  }
}

/** @throws any other error. @returns false: nothing new was made */
function isExisting(error: unknown): false {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  return false;
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
