import { readdir, readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import type { Delivery } from '../ports/ports.ts';
import { OutboxDelivery } from './outbox-delivery.ts';

const directory = temporaryDirectory();
afterEach(() => directory.remove());

function deliveryOf(deliveryId: string, reply: string): Delivery {
  return { deliveryId, runId: 'r', target: 't', reply } as unknown as Delivery;
}

describe('OutboxDelivery', () => {
  it('knows what was delivered, and delivers it once', async () => {
    const outbox = new OutboxDelivery(`${directory.path}/outbox`);
    expect(await outbox.isDelivered({ deliveryId: 'r-d1' })).toBe(false);
    await outbox.deliver(deliveryOf('r-d1', 'first'));
    expect(await outbox.isDelivered({ deliveryId: 'r-d1' })).toBe(true);
    expect(await outbox.isDelivered({ deliveryId: 'r-d2' })).toBe(false);
    await outbox.deliver(deliveryOf('r-d1', 'second'));
    expect(await readdir(`${directory.path}/outbox`)).toEqual(['r-d1.json']);
    expect(JSON.parse(await readFile(outbox.pathOf('r-d1'), 'utf8'))).toMatchObject({ reply: 'first' });
  });

  it('gives an id that is no file name another one', () => {
    const outbox = new OutboxDelivery('/outbox');
    for (const id of ['../escape', 'a/b', '', 'A'.repeat(300)])
      expect(outbox.pathOf(id)).toMatch(/^\/outbox\/[0-9a-f]{64}\.json$/);
  });
});
