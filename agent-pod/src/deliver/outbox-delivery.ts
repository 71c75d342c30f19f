/**
 * Delivers replies as files below a directory: the Task status of an agent that runs without a cluster.
 *
 * I1  A file is there whole or not at all (temporary name, sync, link, directory sync).
 * I2  The same delivery id is the same file: linking onto an existing name fails, so nothing is delivered twice.
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
    // The name may stand there from a delivery whose confirmation was lost: then it is delivered already.
    await link(temporary, path).catch(ignoreExisting);
    await unlink(temporary);
    await syncDirectory(this.#directory);
  }

  async isDelivered(deliveryId: string): Promise<boolean> {
    return (await stat(this.pathOf(deliveryId)).catch(() => undefined)) !== undefined;
  }

  /** Ids come from Task names, which are safe file names; anything else is named by its hash. */
  pathOf(deliveryId: string): string {
    const isSafe = /^[a-z0-9][a-z0-9.-]{0,200}$/.test(deliveryId);
    const name = isSafe ? deliveryId : createHash('sha256').update(deliveryId).digest('hex');
    return join(this.#directory, `${name}.json`);
  }
}

function ignoreExisting(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
