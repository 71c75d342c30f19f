/** The bus on a real Redis: the suite of every driver, and what only Redis can do to it. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BusMessage } from '@retainer/contract/wire/bus/envelope';
import { BusUnavailableError, type Bus, type BusReport } from '../../agent-pod/src/bus/bus.ts';
import { redisAddress, type RedisAddress } from '../../agent-pod/src/bus/redis-address.ts';
import { RedisBus, streamKey, type RedisBusOptions } from '../../agent-pod/src/bus/redis-bus.ts';
import { systemClock } from '@retainer/contract/std/system-clock';
import { Arrivals, busContract, busMessage, busMessages, gate, publishAll } from '../support/bus-contract.ts';
import { manualClock } from '../support/manual-clock.ts';
import { startRedisServer, type RedisServer } from '../support/redis-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

/** With every character that means something in a URL. */
const PASSWORD = 'p@ss:w/rd?#%&[]=+ ü';
/** Entries in one node of a stream: trimming takes away whole nodes. */
const NODE_ENTRIES = 100;

let server: RedisServer;
let raw: Redis;
beforeAll(async () => {
  server = await startRedisServer({ password: PASSWORD });
  raw = new Redis({ host: '127.0.0.1', port: server.port, password: PASSWORD, maxRetriesPerRequest: null });
  raw.on('error', () => undefined);
  return async () => {
    raw.disconnect();
    await server.remove();
  };
});

const opened: Bus[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((bus) => bus.close()));
});

function addressWith(password: string): RedisAddress {
  const address = redisAddress(server.url.replace('://', `://:${encodeURIComponent(password)}@`));
  if (!address.ok) throw new Error(address.error);
  return address.value;
}

/** Keeps the reports and lets a test wait for one. */
class Reports extends Array<BusReport> {
  readonly #watchers = new Set<() => void>();

  add(report: BusReport): void {
    this.push(report);
    for (const look of this.#watchers) look();
  }

  until(isEnough: (reports: readonly BusReport[]) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isEnough(this)) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  untilKind(kind: BusReport['kind'], count = 1): Promise<void> {
    return this.until((reports) => reports.filter((report) => report.kind === kind).length >= count);
  }
}

let agents = 0;
function newAgent(): string {
  agents += 1;
  return `team/agent-${String(agents)}`;
}

function open(options: Partial<RedisBusOptions> = {}): { bus: RedisBus; reports: Reports; agent: string } {
  const reports = new Reports();
  const agent = options.agent ?? newAgent();
  const bus = new RedisBus({
    address: addressWith(PASSWORD),
    consumer: 'pod-0',
    clock: systemClock,
    random: () => 0,
    report: (report) => reports.add(report),
    ...options,
    agent,
  });
  opened.push(bus);
  return { bus, reports, agent };
}

async function ready(options: Partial<RedisBusOptions> = {}): Promise<ReturnType<typeof open>> {
  const it = open(options);
  await it.reports.untilKind('Back');
  return it;
}

/** As the shell does it: everything that was sent and not received is published again, until Redis has it. */
async function publishUntilTaken(bus: Bus, reports: Reports, messages: readonly BusMessage[]): Promise<number> {
  let refusals = 0;
  for (const message of messages) {
    for (;;) {
      const backs = reports.filter(({ kind }) => kind === 'Back').length;
      const isTaken = await bus.publish(message).then(
        () => true,
        (error: unknown) => {
          expect(error).toBeInstanceOf(BusUnavailableError);
          return false;
        },
      );
      if (isTaken) break;
      refusals += 1;
      await reports.untilKind('Back', backs + 1);
    }
  }
  return refusals;
}

const pendingCount = async (agent: string, group: string): Promise<number> => {
  const [count] = (await raw.xpending(streamKey(agent), group)) as [number];
  return count;
};

/** Makes the entries of a group's pending list as old as a test needs them. */
async function makeIdle(agent: string, group: string, consumer: string, idleMs: number): Promise<void> {
  const pending = (await raw.xpending(streamKey(agent), group, '-', '+', 100)) as [string][];
  await raw.xclaim(streamKey(agent), group, consumer, 0, ...pending.map(([id]) => id), 'IDLE', idleMs, 'JUSTID');
}

busContract('on Redis', { open: ({ small = false } = {}) => ready(small ? { streamMessagesMax: 200 } : {}) });

describe('consumers that die', () => {
  verifies('bus:reclaim', 'leave what they had in hand to another', async () => {
    const clock = manualClock();
    const { bus, reports, agent } = await ready({ clock });
    await publishAll(bus, busMessages(1, 3));
    await raw.xgroup('CREATE', streamKey(agent), 'Steerer', '0');
    await raw.xreadgroup('GROUP', 'Steerer', 'dead', 'COUNT', 2, 'STREAMS', streamKey(agent), '>');
    const arrivals = new Arrivals();
    bus.consume('Steerer', arrivals.handler);
    await arrivals.untilCount(1);
    expect(arrivals.ids).toEqual(['run-1-m3']);
    await makeIdle(agent, 'Steerer', 'dead', 60_000);
    await clock.untilSleeping(20_000);
    clock.advance(20_000);
    await arrivals.untilCount(3);
    expect(arrivals.ids).toEqual(['run-1-m3', 'run-1-m1', 'run-1-m2']);
    expect(reports).toContainEqual({ kind: 'Reclaimed', receiver: 'Steerer', messages: 2 });
    await bus.close();
    expect(await pendingCount(agent, 'Steerer')).toBe(0);
  });

  verifies('bus:reclaim', 'find it again as soon as they are back', async () => {
    const first = await ready();
    const held = new Arrivals();
    const { opened: mayEnd, open: end } = gate();
    first.bus.consume('Steerer', async (message) => {
      await held.handler(message);
      await mayEnd;
      throw new Error('shutting down');
    });
    await publishAll(first.bus, busMessages(1, 3));
    await held.untilCount(1);
    const closing = first.bus.close();
    end();
    await closing;
    const second = await ready({ agent: first.agent });
    const arrivals = new Arrivals();
    second.bus.consume('Steerer', arrivals.handler);
    await arrivals.untilCount(3);
    expect(arrivals.ids).toEqual(['run-1-m1', 'run-1-m2', 'run-1-m3']);
    expect(second.reports.filter(({ kind }) => kind === 'Reclaimed')).toEqual([]);
  });

  verifies('bus:reclaim', 'are not mistaken for those that only take long', async () => {
    const clock = manualClock();
    const { bus, agent } = await ready({ clock });
    const arrivals = new Arrivals();
    const { opened: mayEnd, open: end } = gate();
    bus.consume('Steerer', async (message) => {
      await arrivals.handler(message);
      await mayEnd;
    });
    await bus.publish(busMessage());
    await arrivals.untilCount(1);
    await makeIdle(agent, 'Steerer', 'pod-0', 50_000);
    await clock.untilSleeping(20_000);
    clock.advance(20_000);
    // The next sleep begins when the sweep is over.
    await clock.untilSleeping(20_000);
    const [[, , idleMs] = ['', '', 0]] = (await raw.xpending(streamKey(agent), 'Steerer', '-', '+', 1)) as [
      string,
      string,
      number,
    ][];
    end();
    expect(idleMs).toBeLessThan(50_000);
  });
});

describe('two processes', () => {
  verifies('bus:shared', 'share the messages of a role, each handled once', async () => {
    const first = await ready({ consumer: 'pod-0' });
    const second = await ready({ consumer: 'pod-1', agent: first.agent });
    const [busy, free] = [new Arrivals(), new Arrivals()];
    const { opened: mayEnd, open: end } = gate();
    first.bus.consume('Steerer', async (message) => {
      await busy.handler(message);
      await mayEnd;
    });
    await first.bus.publish(busMessage({ run: 'run-0' }));
    await busy.untilCount(1);
    second.bus.consume('Steerer', free.handler);
    // More than one process takes at once, so both get some while the first is stuck.
    const sent = busMessages(1, 600).map(({ seq }) => busMessage({ run: `run-${String(seq)}`, seq }));
    await publishAll(second.bus, sent);
    await free.untilCount(340);
    end();
    await Promise.all([busy.untilCount(1), free.untilCount(1)]);
    while (busy.messages.length + free.messages.length < 601) {
      await Promise.race([busy.untilCount(busy.messages.length + 1), free.untilCount(free.messages.length + 1)]);
    }
    expect(new Set([...busy.ids, ...free.ids]).size).toBe(601);
  });
});

describe('the stream', () => {
  verifies('bus:trimmed', 'keeps to its limit', async () => {
    const { bus, agent } = await ready({ streamMessagesMax: 1000 });
    await publishAll(bus, busMessages(1, 5000));
    const kept = await raw.xlen(streamKey(agent));
    expect(kept).toBeGreaterThanOrEqual(1000);
    expect(kept).toBeLessThan(1000 + 2 * NODE_ENTRIES);
  });

  verifies('bus:trimmed', 'tells a consumer that was away for too long how much it did not get', async () => {
    const first = await ready({ streamMessagesMax: 200 });
    const early = new Arrivals();
    first.bus.consume('Steerer', early.handler);
    await first.bus.publish(busMessage());
    await early.untilCount(1);
    await first.bus.close();
    const { bus, reports } = await ready({ agent: first.agent, streamMessagesMax: 200 });
    await publishAll(bus, busMessages(2, 1000));
    const late = new Arrivals();
    bus.consume('Steerer', late.handler);
    await late.until((messages) => messages.at(-1)?.seq === 1000);
    await reports.untilKind('Lost');
    const lost = reports.reduce((sum, report) => sum + (report.kind === 'Lost' ? (report.messages ?? NaN) : 0), 0);
    expect(late.messages.length + lost).toBe(999);
  });

  verifies('bus:garbage', 'may hold anything: it is acknowledged, reported and passed over', async () => {
    const { bus, reports, agent } = await ready();
    const arrivals = new Arrivals();
    const key = streamKey(agent);
    await raw.xadd(key, '*', 'hello', 'world');
    await raw.xadd(key, '*', 'to', 'Steerer');
    await raw.xadd(key, '*', 'to', 'Steerer', 'message', '{"half');
    await raw.xadd(key, '*', 'to', 'Steerer', 'message', 'null');
    await raw.xadd(key, '*', 'to', 'Steerer', 'message', Buffer.from([0xff, 0x00, 0x80]));
    await raw.xadd(key, '*', 'to', 'Steerer', 'message', JSON.stringify(busMessage({ to: 'User' })));
    await raw.xadd(key, '*', 'to', '__proto__', 'message', JSON.stringify(busMessage({ to: 'User' })));
    await raw.xadd(key, '*', 'to', 'Steerer', 'message', `"${'a'.repeat(9 * 1024 * 1024)}"`);
    bus.consume('Steerer', arrivals.handler);
    await bus.publish(busMessage());
    await arrivals.untilCount(1);
    const reasons = reports.flatMap((report) => (report.kind === 'Garbage' ? [report.reason] : []));
    expect(reasons).toEqual([
      'NoText',
      'NoText',
      'NotJson',
      'NotAMessage',
      'NotJson',
      'Misaddressed',
      'Misaddressed',
      'TooLong',
    ]);
    await bus.close();
    expect(await pendingCount(agent, 'Steerer')).toBe(0);
  });

  it('is another for each agent', () => {
    expect(streamKey('team/agent')).toBe('rt:team:agent:bus');
  });

  it('goes on after somebody deleted a group, and says that something may be lost', async () => {
    const { bus, reports, agent } = await ready({ silenceMs: 1000 });
    const arrivals = new Arrivals();
    bus.consume('Steerer', arrivals.handler);
    await bus.publish(busMessage());
    await arrivals.untilCount(1);
    await raw.xgroup('DESTROY', streamKey(agent), 'Steerer');
    await reports.untilKind('Lost');
    await bus.publish(busMessage({ seq: 2 }));
    await arrivals.until((messages) => messages.some(({ seq }) => seq === 2));
  });
});

describe('Redis away', () => {
  const outages = [
    { name: 'killed, and started with its data', data: 'Kept' },
    { name: 'killed, and started without its data', data: 'Lost' },
  ] as const;

  for (const { name, data } of outages) {
    verifies('bus:total-loss', `${name}: every message is handled once after it was published again`, async () => {
      const { bus, reports } = await ready();
      const handled = new Set<string>();
      const arrivals = new Arrivals();
      for (const role of ['Perceiver', 'Steerer'] as const) {
        bus.consume(role, (message) => {
          if (handled.has(message.id)) return Promise.resolve();
          handled.add(message.id);
          return arrivals.handler(message);
        });
      }
      const sent = busMessages(1, 2000).map(({ seq }) =>
        busMessage({ to: seq % 2 === 0 ? 'Steerer' : 'Perceiver', run: `run-${String(seq % 5)}`, seq }),
      );
      const publishing = publishUntilTaken(bus, reports, sent);
      await arrivals.untilCount(300);
      await server.kill();
      await reports.untilKind('Away');
      await expect(bus.publish(busMessage({ run: 'run-9' }))).rejects.toThrow(BusUnavailableError);
      await server.start(data);
      expect(await publishing).toBeGreaterThan(0);
      if (data === 'Lost') {
        await reports.untilKind('Lost', 2);
        await publishUntilTaken(
          bus,
          reports,
          sent.filter(({ id }) => !handled.has(id)),
        );
      }
      await arrivals.untilCount(2000);
      expect(handled.size).toBe(2000);
      expect(arrivals.messages).toHaveLength(2000);
    });
  }

  verifies('bus:total-loss', 'emptied while in use: what comes after is received', async () => {
    const { bus, reports } = await ready({ silenceMs: 1000 });
    const [arrivals, auditor] = [new Arrivals(), new Arrivals()];
    bus.consume('Steerer', arrivals.handler);
    bus.tap('auditor', auditor.handler);
    await publishAll(bus, busMessages(1, 3));
    await Promise.all([arrivals.untilCount(3), auditor.untilCount(3)]);
    await raw.flushall();
    await bus.publish(busMessage({ seq: 4 }));
    await Promise.all([arrivals.untilCount(4), auditor.untilCount(4)]);
    const lost = reports.flatMap((report) => (report.kind === 'Lost' ? [report.receiver] : []));
    expect(lost.toSorted()).toEqual(['Steerer', 'auditor']);
  });

  verifies('bus:visible-refusal', 'frozen: publishing fails, and goes on after the thaw', async () => {
    const { bus, reports } = await ready({ silenceMs: 300 });
    const arrivals = new Arrivals();
    bus.consume('Steerer', arrivals.handler);
    await bus.publish(busMessage());
    await arrivals.untilCount(1);
    await server.freeze();
    try {
      await expect(bus.publish(busMessage({ seq: 2 }))).rejects.toThrow(BusUnavailableError);
      await expect(bus.publish(busMessage({ seq: 3 }))).rejects.toThrow(BusUnavailableError);
    } finally {
      await server.thaw();
    }
    await publishUntilTaken(bus, reports, busMessages(2, 4));
    await arrivals.until((messages) => [2, 3, 4].every((seq) => messages.some((message) => message.seq === seq)));
  });

  verifies(
    'bus:visible-refusal',
    'from the start: an agent starts all the same, and works once Redis is there',
    async () => {
      await server.kill();
      const { bus, reports } = open();
      const arrivals = new Arrivals();
      bus.consume('Steerer', arrivals.handler);
      await reports.untilKind('Away');
      await expect(bus.publish(busMessage())).rejects.toThrow('ECONNREFUSED');
      await server.start('Kept');
      await reports.untilKind('Back');
      await publishUntilTaken(bus, reports, busMessages(1, 2));
      await arrivals.untilCount(2);
    },
  );

  verifies('bus:close', 'closes while Redis is away', async () => {
    const { bus, reports } = await ready();
    bus.consume('Steerer', () => Promise.resolve());
    await server.kill();
    await reports.untilKind('Away');
    await bus.close();
    await server.start('Kept');
  });
});

describe('secrets', () => {
  verifies('bus:no-secret', 'a refused password is in no error and no report', async () => {
    const wrong = 'not-the-password';
    const { bus, reports } = open({ address: addressWith(wrong) });
    bus.consume('Steerer', () => Promise.resolve());
    await reports.untilKind('Away');
    const error: unknown = await bus.publish(busMessage({ text: 'private words' })).catch((it: unknown) => it);
    expect(error).toBeInstanceOf(BusUnavailableError);
    expect(String(error)).toContain('Redis refuses the user or password of its URL');
    const told = inspect([error, reports], { depth: 10, showHidden: true });
    expect(told).not.toContain(wrong);
    expect(told).not.toContain('private words');
  });

  verifies('bus:no-secret', 'a refused command is told without the message', async () => {
    await raw.acl('SETUSER', 'reader', 'on', '>secret-of-reader', '~*', '+@read', '+@connection', '+info');
    const { bus } = await ready({ address: { ...addressWith('secret-of-reader'), username: 'reader' } });
    const error: unknown = await bus.publish(busMessage({ text: 'private words' })).catch((it: unknown) => it);
    expect(String(error)).toContain('XADD');
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/private words|secret-of-reader/);
  });
});

describe('TLS', () => {
  /** A way to the same Redis through TLS, with a certificate for 127.0.0.1 that no public authority signed. */
  async function tlsFront(): Promise<{ port: number; certificate: string; close: () => Promise<void> }> {
    const directory = temporaryDirectory();
    const [keyFile, certificateFile] = [join(directory.path, 'key.pem'), join(directory.path, 'certificate.pem')];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const names = ['-subj', '/CN=redis', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1'];
    const files = ['-keyout', keyFile, '-out', certificateFile];
    execFileSync('openssl', ['req', '-x509', ...curve, ...names, ...files], { stdio: 'ignore' });
    const [key, certificate] = [readFileSync(keyFile, 'utf8'), readFileSync(certificateFile, 'utf8')];
    const front = createServer({ key, cert: certificate }, (socket) => {
      const behind = connect(server.port, '127.0.0.1');
      socket.pipe(behind).pipe(socket);
      for (const end of [socket, behind]) end.on('error', () => socket.destroy());
    }).listen(0, '127.0.0.1');
    await once(front, 'listening');
    const close = async (): Promise<void> => {
      front.close();
      await directory.remove();
    };
    return { port: (front.address() as AddressInfo).port, certificate, close };
  }

  verifies('bus:tls', 'is spoken where the URL says so, with a server that an authority vouches for', async () => {
    const front = await tlsFront();
    const address: RedisAddress = { ...addressWith(PASSWORD), port: front.port, isTls: true };
    const stranger = open({ address });
    await stranger.reports.untilKind('Away');
    await expect(stranger.bus.publish(busMessage())).rejects.toThrow('DEPTH_ZERO_SELF_SIGNED_CERT');
    const { bus } = await ready({ address, caCertificates: front.certificate });
    const arrivals = new Arrivals();
    bus.consume('Steerer', arrivals.handler);
    await bus.publish(busMessage());
    await arrivals.untilCount(1);
    await Promise.all([bus.close(), stranger.bus.close()]);
    await front.close();
  });

  verifies('bus:tls', 'is not given up where the server speaks none', async () => {
    const { bus, reports } = open({ address: { ...addressWith(PASSWORD), isTls: true }, silenceMs: 500 });
    await reports.untilKind('Away');
    await expect(bus.publish(busMessage())).rejects.toThrow(BusUnavailableError);
  });
});
