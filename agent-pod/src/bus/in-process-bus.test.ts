import { afterEach, describe, expect, it } from 'vitest';
import {
  Arrivals,
  busContract,
  busMessage,
  busMessages,
  gate,
  publishAll,
} from '../../../test/support/bus-contract.ts';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { systemClock } from '@retainer/contract/std/system-clock';
import { BusUnavailableError, type BusReport } from './bus.ts';
import { InProcessBus, type InProcessBusOptions } from './in-process-bus.ts';

const opened: InProcessBus[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((bus) => bus.close()));
});

function open(options: Partial<InProcessBusOptions> = {}): { bus: InProcessBus; reports: BusReport[] } {
  const reports: BusReport[] = [];
  const report = (it: BusReport): void => void reports.push(it);
  const bus = new InProcessBus({ clock: systemClock, random: () => 0, report, ...options });
  opened.push(bus);
  return { bus, reports };
}

busContract('in process', { open: ({ small = false } = {}) => open(small ? { observerMessagesMax: 100 } : {}) });

describe('the bus in memory', () => {
  verifies('bus:rejected-again', 'doubles the pause from 100 ms to 30 s', async () => {
    const clock = manualClock();
    const { bus, reports } = open({ clock });
    bus.consume('Steerer', () => Promise.reject(new Error('the journal is full')));
    await bus.publish(busMessage());
    for (const pauseMs of [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]) {
      await clock.untilSleeping(pauseMs);
      clock.advance(pauseMs);
    }
    await clock.untilSleeping(30_000);
    expect(reports.filter(({ kind }) => kind === 'Rejected')).toHaveLength(12);
  });

  verifies('bus:visible-refusal', 'refuses what is over its limit, and takes again once there is room', async () => {
    const { bus } = open({ queueMessagesMax: 3 });
    const arrivals = new Arrivals();
    await publishAll(bus, busMessages(1, 3));
    await expect(bus.publish(busMessage({ seq: 4 }))).rejects.toThrow(BusUnavailableError);
    // Another role has a queue of its own.
    await bus.publish(busMessage({ to: 'User', seq: 5 }));
    bus.consume('Steerer', arrivals.handler);
    await arrivals.untilCount(3);
    await bus.publish(busMessage({ seq: 4 }));
    await arrivals.untilCount(4);
  });

  it('runs no handler inside of whoever publishes', async () => {
    const { bus } = open();
    const { opened: mayEnd, open: end } = gate();
    let isInside = false;
    let wasInside = false;
    const arrived = new Promise<void>((resolve) => {
      bus.consume('Steerer', () => {
        wasInside = isInside;
        resolve();
        return mayEnd;
      });
    });
    isInside = true;
    const published = bus.publish(busMessage());
    isInside = false;
    await published;
    await arrived;
    end();
    expect(wasInside).toBe(false);
  });

  it('says how old a message is when it is handed over', async () => {
    const clock = manualClock(Date.UTC(2030, 0, 1));
    const { bus, reports } = open({ clock });
    const arrivals = new Arrivals();
    await bus.publish(busMessage());
    clock.advance(1500);
    bus.consume('Steerer', arrivals.handler);
    await arrivals.untilCount(1);
    expect(reports).toContainEqual({ kind: 'Delivered', receiver: 'Steerer', type: 'FastReply', lagMs: 1500 });
  });
});
