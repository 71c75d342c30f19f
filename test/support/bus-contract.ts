/** What every driver of the bus must do, as one suite. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { BUS_SCHEMA_VERSION, contentHash, type BusMessage } from '@retainer/contract/wire/bus/envelope';
import { BUS_ROUTES, type BusMessageType, type BusRole } from '@retainer/contract/wire/bus/roles';
import { BusUnavailableError, type Bus, type BusReport } from '../../agent-pod/src/bus/bus.ts';
import { MESSAGE_CHARS_MAX } from '../../agent-pod/src/bus/message-text.ts';
import { verifies } from '../verifies.ts';

export interface BusUnderTest {
  readonly bus: Bus;
  /** Oldest first; grows. */
  readonly reports: readonly BusReport[];
}

export interface BusFixture {
  /** A bus that nobody used yet. Closed by the fixture at the end of the test. `small`: observers lose early. */
  open(options?: { readonly small?: boolean }): BusUnderTest | Promise<BusUnderTest>;
}

/** Messages to three roles that carry a text. */
const carriers = {
  Perceiver: (reply: string) => ({ type: 'TaskReceived', payload: { intent: reply, rawInput: reply, criteria: [] } }),
  Steerer: (reply: string) => ({ type: 'FastReply', payload: { reply } }),
  User: (question: string) => ({ type: 'ClarificationRequest', payload: { questionId: 'q', question } }),
} as const satisfies Partial<Record<BusRole, (text: string) => { type: BusMessageType; payload: unknown }>>;

export interface Wanted {
  readonly to?: keyof typeof carriers;
  readonly run?: string;
  readonly seq?: number;
  readonly text?: string;
}

export function busMessage({ to = 'Steerer', run = 'run-1', seq = 1, text = 'a' }: Wanted = {}): BusMessage {
  const { type, payload } = carriers[to](text);
  return {
    schemaVersion: BUS_SCHEMA_VERSION,
    id: `${run}-m${String(seq)}`,
    agent: 'team/agent',
    runId: run,
    round: 0,
    seq,
    atMs: Date.UTC(2030, 0, 1),
    from: BUS_ROUTES[type].from[0],
    to,
    contentHash: contentHash(payload),
    type,
    payload,
  } as BusMessage;
}

/** Messages `from` to `to`, both included. */
export function busMessages(from: number, to: number, wanted: Wanted = {}): readonly BusMessage[] {
  return Array.from({ length: to - from + 1 }, (_, index) => busMessage({ ...wanted, seq: from + index }));
}

/** Keeps what it is given and lets a test wait for it. */
export class Arrivals {
  readonly messages: BusMessage[] = [];
  readonly #watchers = new Set<() => void>();

  readonly handler = (message: BusMessage): Promise<void> => {
    this.messages.push(message);
    for (const look of this.#watchers) look();
    return Promise.resolve();
  };

  get ids(): readonly string[] {
    return this.messages.map(({ id }) => id);
  }

  /** Resolves when `isEnough` holds. */
  until(isEnough: (messages: readonly BusMessage[]) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isEnough(this.messages)) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  untilCount(count: number): Promise<void> {
    return this.until((messages) => messages.length >= count);
  }
}

/** A handler's way to wait until the test says so. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

export async function publishAll(bus: Bus, messages: readonly BusMessage[]): Promise<void> {
  await Promise.all(messages.map((message) => bus.publish(message)));
}

const ids = (messages: readonly BusMessage[]): readonly string[] => messages.map(({ id }) => id);

export function busContract(name: string, fixture: BusFixture): void {
  passesMessages(name, fixture);
  losesNone(name, fixture);
  outlivesFailures(name, fixture);
  showsObservers(name, fixture);
  ends(name, fixture);
}

function passesMessages(name: string, fixture: BusFixture): void {
  describe(`${name}: messages`, () => {
    verifies('bus:by-role', `${name} hands each message to its role, as it was`, async () => {
      const { bus } = await fixture.open();
      const steerer = new Arrivals();
      const perceiver = new Arrivals();
      bus.consume('Steerer', steerer.handler);
      bus.consume('Perceiver', perceiver.handler);
      const sent = [busMessage({ text: 'é "\u0000' }), busMessage({ to: 'Perceiver', seq: 2 }), busMessage({ seq: 3 })];
      await publishAll(bus, sent);
      await steerer.untilCount(2);
      await perceiver.untilCount(1);
      expect(steerer.messages).toEqual([sent[0], sent[2]]);
      expect(perceiver.messages).toEqual([sent[1]]);
    });

    verifies('bus:order', `${name} keeps the order of each run, one message at a time`, async () => {
      const { bus } = await fixture.open();
      const arrivals = new Arrivals();
      const running = new Map<string, number>();
      let atOnceMax = 0;
      bus.consume('Steerer', async (message) => {
        running.set(message.runId, (running.get(message.runId) ?? 0) + 1);
        atOnceMax = Math.max(atOnceMax, running.get(message.runId) ?? 0);
        await nextTurn();
        running.set(message.runId, (running.get(message.runId) ?? 0) - 1);
        await arrivals.handler(message);
      });
      const sent = busMessages(1, 60).map((message, index) =>
        busMessage({ run: `run-${String(index % 3)}`, seq: message.seq }),
      );
      await publishAll(bus, sent);
      await arrivals.untilCount(60);
      for (const run of ['run-0', 'run-1', 'run-2']) {
        const seqs = arrivals.messages.filter(({ runId }) => runId === run).map(({ seq }) => seq);
        expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
        expect(seqs).toHaveLength(20);
      }
      expect(atOnceMax).toBe(1);
    });

    it('keeps what is published before somebody consumes', async () => {
      const { bus } = await fixture.open();
      const arrivals = new Arrivals();
      await publishAll(bus, busMessages(1, 5));
      bus.consume('Steerer', arrivals.handler);
      await arrivals.untilCount(5);
      expect(arrivals.ids).toEqual(ids(busMessages(1, 5)));
    });

    verifies('bus:publish-never-waits', `${name} takes messages while no handler comes to an end`, async () => {
      const { bus } = await fixture.open();
      const arrivals = new Arrivals();
      const { opened, open } = gate();
      bus.consume('Steerer', async (message) => {
        await arrivals.handler(message);
        await opened;
      });
      await publishAll(bus, busMessages(1, 500));
      await arrivals.untilCount(1);
      open();
      await arrivals.untilCount(500);
    });
  });
}

function losesNone(name: string, fixture: BusFixture): void {
  describe(`${name}: numbers`, () => {
    it('hands over twice what is published twice, under one id', async () => {
      const { bus } = await fixture.open();
      const arrivals = new Arrivals();
      bus.consume('Steerer', arrivals.handler);
      await publishAll(bus, [busMessage(), busMessage()]);
      await arrivals.untilCount(2);
      expect(new Set(arrivals.ids)).toEqual(new Set(['run-1-m1']));
    });

    verifies('bus:at-least-once', `${name} loses none of 10,000`, async () => {
      const { bus, reports } = await fixture.open();
      const arrivals = new Arrivals();
      const roles = ['Perceiver', 'Steerer', 'User'] as const;
      for (const role of roles) bus.consume(role, arrivals.handler);
      const sent = busMessages(1, 10_000).map(({ seq }) =>
        busMessage({ to: roles[seq % 3] ?? 'User', run: `run-${String(seq % 17)}`, seq }),
      );
      await publishAll(bus, sent);
      await arrivals.untilCount(10_000);
      expect(new Set(arrivals.ids).size).toBe(10_000);
      expect(reports.filter(({ kind }) => kind === 'Published')).toHaveLength(10_000);
      expect(reports.filter(({ kind }) => kind === 'Delivered')).toHaveLength(10_000);
    });
  });
}

function outlivesFailures(name: string, fixture: BusFixture): void {
  describe(`${name}: failures`, () => {
    verifies(
      'bus:rejected-again',
      `${name} hands over again what a handler rejects, and holds up no other run`,
      async () => {
        const { bus, reports } = await fixture.open();
        const arrivals = new Arrivals();
        const other = new Arrivals();
        let failuresLeft = 2;
        bus.consume('Steerer', async (message) => {
          if (message.runId === 'run-2') return other.handler(message);
          // The other run passes while this one is in trouble.
          await other.untilCount(1);
          if (message.seq === 1 && failuresLeft > 0) {
            failuresLeft -= 1;
            throw new Error('the journal is full');
          }
          await arrivals.handler(message);
        });
        await publishAll(bus, [...busMessages(1, 3), busMessage({ run: 'run-2' })]);
        await arrivals.untilCount(3);
        expect(arrivals.ids).toEqual(ids(busMessages(1, 3)));
        const rejections = reports.filter((report) => report.kind === 'Rejected');
        expect(rejections.map(({ attempt }) => attempt)).toEqual([1, 2]);
      },
    );

    verifies('bus:garbage', `${name} passes over what is not as its hash says, and says so`, async () => {
      const { bus, reports } = await fixture.open();
      const arrivals = new Arrivals();
      bus.consume('Steerer', arrivals.handler);
      await bus.publish({ ...busMessage(), contentHash: contentHash('something else') });
      await bus.publish({ ...busMessage({ seq: 2 }), type: 'Order' } as unknown as BusMessage);
      await bus.publish(busMessage({ seq: 3 }));
      await arrivals.untilCount(1);
      expect(arrivals.ids).toEqual(['run-1-m3']);
      const garbage = reports.filter((report) => report.kind === 'Garbage');
      expect(garbage.map(({ reason }) => reason)).toEqual(['ContentHashDiffers', 'NotAMessage']);
    });

    it('refuses a message that is longer than any bus takes', async () => {
      const { bus } = await fixture.open();
      const refused = bus.publish(busMessage({ text: 'a'.repeat(MESSAGE_CHARS_MAX) }));
      await expect(refused).rejects.toThrow(RangeError);
    });

    it('refuses a second consumer of one role', async () => {
      const { bus } = await fixture.open();
      bus.consume('Steerer', () => Promise.resolve());
      expect(() => bus.consume('Steerer', () => Promise.resolve())).toThrow('Steerer');
      bus.tap('auditor', () => undefined);
      expect(() => bus.tap('auditor', () => undefined)).toThrow('auditor');
    });
  });
}

function showsObservers(name: string, fixture: BusFixture): void {
  describe(`${name}: observers`, () => {
    verifies('bus:tap', `${name} shows every message to every observer`, async () => {
      const { bus, reports } = await fixture.open();
      const [auditor, other, steerer] = [new Arrivals(), new Arrivals(), new Arrivals()];
      bus.tap('auditor', auditor.handler);
      bus.tap('other', async (message) => {
        await other.handler(message);
        if (message.seq === 2) throw new Error('cannot');
      });
      bus.consume('Steerer', steerer.handler);
      const sent = [busMessage(), busMessage({ to: 'User', seq: 2 }), busMessage({ seq: 3 })];
      for (const message of sent) await bus.publish(message);
      await Promise.all([auditor.untilCount(3), other.untilCount(3), steerer.untilCount(2)]);
      expect(auditor.messages).toEqual(sent);
      expect(other.messages).toEqual(sent);
      const failed = reports.filter((report) => report.kind === 'ObserverFailed');
      expect(failed.map(({ receiver }) => receiver)).toEqual(['other']);
    });

    verifies(
      'bus:tap-loses',
      `${name} tells how much an observer that is too slow has lost; no role loses`,
      async () => {
        const { bus, reports } = await fixture.open({ small: true });
        const [slow, steerer] = [new Arrivals(), new Arrivals()];
        const { opened, open } = gate();
        bus.consume('Steerer', steerer.handler);
        bus.tap('slow', async (message) => {
          await slow.handler(message);
          await opened;
        });
        const total = 1500;
        for (let from = 1; from <= total; from += 50) {
          await publishAll(bus, busMessages(from, from + 49));
          await steerer.untilCount(from + 49);
        }
        await slow.untilCount(1);
        open();
        const lostBy = (receiver: string): number =>
          reports.reduce(
            (sum, report) =>
              report.kind === 'Lost' && report.receiver === receiver ? sum + (report.messages ?? NaN) : sum,
            0,
          );
        // What is on its way when the observer goes on may be seen or lost; a driver tells at the latest with the next message.
        let seq = total;
        for (let rounds = 0; rounds < 20 && slow.messages.length + lostBy('slow') !== seq; rounds += 1) {
          seq += 1;
          const next = seq;
          const lostBefore = lostBy('slow');
          await bus.publish(busMessage({ seq: next }));
          await slow.until((messages) => messages.at(-1)?.seq === next || lostBy('slow') > lostBefore);
        }
        expect(lostBy('slow')).toBeGreaterThan(0);
        expect(slow.messages.length + lostBy('slow')).toBe(seq);
        await steerer.untilCount(seq);
        expect(lostBy('Steerer')).toBe(0);
      },
    );
  });
}

function ends(name: string, fixture: BusFixture): void {
  describe(`${name}: the end`, () => {
    verifies(
      'bus:close',
      `${name} closes while it waits, waits for a handler that runs, and then takes nothing`,
      async () => {
        const { bus } = await fixture.open();
        const arrivals = new Arrivals();
        const { opened, open } = gate();
        const done: string[] = [];
        bus.consume('Perceiver', () => Promise.resolve());
        bus.tap('auditor', () => undefined);
        bus.consume('Steerer', async (message) => {
          await arrivals.handler(message);
          await opened;
          done.push(message.id);
        });
        await publishAll(bus, busMessages(1, 3));
        await arrivals.untilCount(1);
        const closing = bus.close();
        open();
        await closing;
        expect(done).toEqual(['run-1-m1']);
        await expect(bus.publish(busMessage({ seq: 4 }))).rejects.toThrow(BusUnavailableError);
        await bus.close();
      },
    );
  });
}
