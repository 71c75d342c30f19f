import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { verifies } from '../../test/verifies.ts';
import { deliveryOf } from './delivery-of-agent.ts';
import type { DeliveredNotice } from './deliver/notice-delivery.ts';
import type { Delivery } from './ports/ports.ts';

const directory = temporaryDirectory();
afterEach(() => directory.remove());

const never = new AbortController().signal;
const nobody = { journal: { append: () => Promise.reject(new Error('nothing is recorded')) }, openRuns: () => [] };

function reply(channel: Delivery['channel'], deliveryId: string): Delivery {
  const body = { outcome: 'Succeeded', summary: 'SECRET' };
  return { deliveryId, channel, runId: 'r', target: 'ann', body };
}

verifies(
  'cause:reply-goes-to-its-channel',
  'a notice is a file, told once without its words, over a new process and a lost confirmation',
  async () => {
    const told: DeliveredNotice[] = [];
    const statuses: string[] = [];
    const open = () =>
      deliveryOf(
        {
          dataDirectory: directory.path,
          delivery: {
            deliver: ({ deliveryId }) => Promise.resolve(void statuses.push(deliveryId)),
            isDelivered: () => Promise.resolve(false),
          },
          onNoticeDelivered: (notice) => told.push(notice),
        },
        nobody,
      );
    const notice = reply('Notice', 'job-a-1');
    const first = open();
    expect(await first.isDelivered(notice)).toBe(false);
    await first.deliver(notice, never);
    await first.deliver(reply('TaskStatus', 'r-d1'), never);
    const second = open();
    expect(await second.isDelivered(notice)).toBe(true);
    expect(await second.isDelivered(reply('TaskStatus', 'job-a-1'))).toBe(false);
    await second.deliver(notice, never);
    expect(told).toEqual([{ deliveryId: 'job-a-1', target: 'ann', runId: 'r', outcome: 'Succeeded' }]);
    expect(JSON.stringify(told)).not.toContain('SECRET');
    expect(statuses).toEqual(['r-d1']);
    const outbox = join(directory.path, 'outbox');
    expect(await readdir(outbox)).toEqual(['job-a-1.json']);
    expect(JSON.parse(await readFile(join(outbox, 'job-a-1.json'), 'utf8'))).toEqual(notice);
  },
);

verifies(
  'cause:reply-goes-to-its-channel',
  'a file that cannot be written is no delivery, and nobody is told',
  async () => {
    const told: DeliveredNotice[] = [];
    const delivery = deliveryOf(
      { dataDirectory: directory.path, onNoticeDelivered: (notice) => told.push(notice) },
      nobody,
    );
    // A directory stands where the file would be written.
    await mkdir(join(directory.path, 'outbox', `job-a-1.json.${process.pid}.tmp`), { recursive: true });
    await expect(delivery.deliver(reply('Notice', 'job-a-1'), never)).rejects.toThrow('EISDIR');
    expect(await delivery.isDelivered(reply('Notice', 'job-a-1'))).toBe(false);
    expect(told).toEqual([]);
  },
);

verifies('mail-out:answer', 'waits, and says for what, while the Agent has no mail any more', async () => {
  const mails: string[] = [];
  const mail = {
    deliver: ({ deliveryId }: Delivery) => Promise.resolve(void mails.push(deliveryId)),
    isDelivered: () => Promise.resolve(false),
  };
  const without = deliveryOf({ dataDirectory: directory.path }, nobody);
  const answer = reply('Mail', 'mail-1-d1');
  expect(await without.isDelivered(answer)).toBe(false);
  await expect(without.deliver(answer, never)).rejects.toThrow('set channels.email and its credentials again');
  await deliveryOf({ dataDirectory: directory.path }, nobody, mail).deliver(answer, never);
  expect(mails).toEqual(['mail-1-d1']);
});
