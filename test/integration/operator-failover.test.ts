/**
 * Row 16: two real processes of the operator against one API server. The leader is killed, told to stop, held still, or cut off,
 * while there is always something to write. A check has one round of each with a Lease of 3 s;
 * `npm run nightly -- operator-failover` has the rounds of the goal with the Lease of an installation.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { WRITE_VERBS } from '../support/fake-api-server/api-request.ts';
import { startFakeApiServer, type AuditEntry, type FakeApiServer } from '../support/fake-api-server/fake-api-server.ts';
import { cutOff } from '../support/fake-api-server/fault-rules.ts';
import { textAt } from '../support/fake-api-server/json.ts';
import { tickCluster } from '../support/operator-world/simulated-cluster.ts';
import { agent, character, OPERATOR_NAMESPACE, skill } from '../support/operator-world/world-objects.ts';
import { systemClock } from '@retainer/contract/std/system-clock';
import { resources } from '@retainer/kube/resources';
import { freePort } from '../support/free-port.ts';
import { startOperator } from '../support/operator-process.ts';
import { isNightly } from '../support/test-size.ts';
import { tokenKubeconfig } from '../support/token-kubeconfig.ts';
import { verifies } from '../verifies.ts';

interface Size {
  readonly leaseSeconds: number;
  readonly renewSeconds: number;
  readonly retrySeconds: number;
  readonly rounds: { readonly kills: number; readonly stops: number; readonly pauses: number; readonly cuts: number };
  /** What a busy machine adds to any time: it is not scaled. The rounds of the goal allow for none; a check finds what never comes. */
  readonly slackMs: number;
}

const check: Size = {
  leaseSeconds: 3,
  renewSeconds: 2,
  retrySeconds: 0.4,
  rounds: { kills: 1, stops: 1, pauses: 1, cuts: 1 },
  slackMs: 15_000,
};
const nightly: Size = {
  leaseSeconds: 15,
  renewSeconds: 10,
  retrySeconds: 2,
  rounds: { kills: 20, stops: 20, pauses: 5, cuts: 5 },
  slackMs: 0,
};
const { leaseSeconds, renewSeconds, retrySeconds, rounds, slackMs } = isNightly ? nightly : check;
const LEASE = {
  RETAINER_LEASE_SECONDS: String(leaseSeconds),
  RETAINER_RENEW_SECONDS: String(renewSeconds),
  RETAINER_RETRY_SECONDS: String(retrySeconds),
} as const;
/** 18 s: a crashed leader is replaced after its Lease and one more try. */
const CRASH_MS = leaseSeconds * 1200;
const RELEASE_MS = 3000;
/** A leader that is cut off says nothing more after its renewal deadline. */
const SILENT_MS = renewSeconds * 1000;
/** Held still for twice the Lease. */
const PAUSE_MS = leaseSeconds * 2000;
/** Something to write about ten times a second. */
const CHURN_MS = 100;
/** Other tests share the processors. */
const STARTED_MS = 60_000;

const holdAtWrite = fileURLToPath(new URL('../support/hold-at-write.mjs', import.meta.url));

interface Replica {
  readonly user: string;
  readonly process: ChildProcess;
}

/** What only a leader may send. */
function isWrite({ verb, resource }: AuditEntry): boolean {
  return WRITE_VERBS.has(verb) && resource !== 'leases';
}

/** A change of the cluster by an operator: its Lease and what it tells about apart. */
function isWork(entry: AuditEntry): boolean {
  return isWrite(entry) && entry.isChange && entry.resource !== 'events';
}

function hasEnded({ process }: Replica): boolean {
  return process.exitCode !== null || process.signalCode !== null;
}

function isStandingStill({ pid }: ChildProcess): boolean {
  try {
    return /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // It has ended.
    return false;
  }
}

/** What a process had sent before it stood still may arrive while it does: places in the audit. */
interface Stillness {
  readonly user: string;
  readonly from: number;
  readonly to: number;
}

describe('two operators', () => {
  let server: FakeApiServer;
  let directory: string;
  let replicas: Replica[] = [];
  let count = 0;
  let churn: NodeJS.Timeout;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'retainer-failover-'));
    server = await startFakeApiServer();
    server.put(resources.characterSpecs, character());
    server.put(resources.skills, skill());
    let turn = 0;
    churn = setInterval(() => {
      turn += 1;
      server.put(resources.agents, agent({ limits: { turnsPerCycle: 5 + (turn % 20) } }));
      tickCluster(server, systemClock);
    }, CHURN_MS);
    replicas = [await start(), await start()];
    for (const replica of replicas) await untilStandingBy(replica);
    await untilAnyOf(() => leader() !== undefined && server.audit.some(isWork));
  });

  afterEach(async () => {
    clearInterval(churn);
    for (const { process } of replicas) {
      process.kill('SIGCONT');
      process.kill('SIGKILL');
    }
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** @param pod  of an earlier process, which has ended; a new one where absent */
  async function start(pod?: string): Promise<Replica> {
    count += 1;
    const user = `operator-${count}`;
    const podName = pod ?? user;
    const kubeconfig = path.join(directory, user);
    await writeFile(kubeconfig, tokenKubeconfig(server.url, user));
    const ports = { healthPort: await freePort(), metricsPort: await freePort() };
    const environment = { ...LEASE, RETAINER_POD_UID: `uid-of-${podName}` };
    return { user, process: startOperator({ kubeconfig, podName, ...ports, environment, preload: holdAtWrite }) };
  }

  /** It has seen the Lease: only from then on it can tell that nobody renews it. */
  async function untilStandingBy({ user, process }: Replica): Promise<void> {
    await until(() => {
      if (server.audit.some((entry) => entry.user === user && entry.resource === 'leases')) return true;
      if (process.exitCode !== null) throw new Error(`${user} ended with ${process.exitCode} before it saw the Lease`);
      return false;
    }, STARTED_MS);
  }

  function holder(): string {
    const lease = server.get(resources.leases, { namespace: OPERATOR_NAMESPACE, name: 'retainer-operator' });
    return textAt(lease, 'spec.holderIdentity').split('_')[0] ?? '';
  }

  function leader(): Replica | undefined {
    return replicas.find(({ user }) => user === holder());
  }

  async function until(isDone: () => boolean, withinMs: number): Promise<number> {
    const startMs = performance.now();
    while (!isDone()) {
      if (performance.now() - startMs > withinMs)
        throw new Error(`not within ${withinMs} ms; the leader is ${holder()}`);
      await sleep(10);
    }
    return performance.now() - startMs;
  }

  /** Until somebody else than `old` has the Lease, and then works. @returns the first of both */
  async function untilReplaced(old: Replica, withinMs: number): Promise<number> {
    const { user } = old;
    const seen = server.audit.length;
    const tookMs = await until(() => holder() !== user && holder() !== '', withinMs);
    const isNewWork = (entry: AuditEntry): boolean =>
      isWork(entry) && entry.user.startsWith('operator-') && entry.user !== user;
    await untilAnyOf(() => server.audit.slice(seen).some(isNewWork), old);
    return tookMs;
  }

  /** Work of a process after another one had taken the Lease. */
  function overlaps(excused: readonly Stillness[] = []): readonly string[] {
    let current = '';
    return server.audit.flatMap((entry, place) => {
      const { resource, isChange, body, user, verb, name } = entry;
      if (resource === 'leases' && isChange && name === 'retainer-operator')
        current = textAt(body, 'spec.holderIdentity').split('_')[0] ?? '';
      const isExcused = excused.some((still) => still.user === user && still.from <= place && place < still.to);
      const isWrong = isWork(entry) && user.startsWith('operator-') && current !== '' && user !== current;
      return isWrong && !isExcused ? [`${user} did ${verb} ${resource} ${name} while ${current} led`] : [];
    });
  }

  async function replace(old: Replica): Promise<void> {
    const fresh = await start();
    replicas = [...replicas.filter((replica) => replica !== old), fresh];
    await untilStandingBy(fresh);
  }

  function areSomeGone(apart?: Replica): boolean {
    return replicas.some((replica) => replica !== apart && hasEnded(replica));
  }

  /** As a kubelet does: on a busy machine a leader that gets no processor loses its Lease, and ends. */
  async function revive(apart?: Replica): Promise<void> {
    for (const replica of replicas) if (replica !== apart && hasEnded(replica)) await replace(replica);
  }

  /** Until one of them has done it, whoever of them ends before that. */
  async function untilAnyOf(isDone: () => boolean, apart?: Replica): Promise<void> {
    while (!isDone()) {
      await revive(apart);
      await until(() => isDone() || areSomeGone(apart), STARTED_MS);
    }
  }

  /** While the other one stands by. */
  async function theLeader(): Promise<Replica> {
    for (;;) {
      await revive();
      await until(() => leader() !== undefined || areSomeGone(), STARTED_MS);
      const found = leader();
      if (found !== undefined && !areSomeGone()) return found;
    }
  }

  /** Stands still in the middle of a write. */
  async function heldLeader(): Promise<Replica> {
    for (;;) {
      const found = await theLeader();
      found.process.kill('SIGUSR2');
      await until(() => hasEnded(found) || isStandingStill(found.process), STARTED_MS);
      if (!hasEnded(found)) return found;
    }
  }

  verifies('operator:failover', 'a leader that is killed is replaced after its Lease', async () => {
    for (let round = 0; round < rounds.kills; round += 1) {
      const old = await theLeader();
      old.process.kill('SIGKILL');
      const tookMs = await untilReplaced(old, CRASH_MS + slackMs);
      process.stderr.write(`killed: replaced after ${Math.round(tookMs)} ms\n`);
      await replace(old);
    }
    expect(overlaps()).toEqual([]);
  });

  verifies('operator:failover', 'a leader that is told to stop gives the Lease back', async () => {
    for (let round = 0; round < rounds.stops; round += 1) {
      const old = await theLeader();
      old.process.kill('SIGTERM');
      const tookMs = await untilReplaced(old, RELEASE_MS + slackMs);
      process.stderr.write(`stopped: replaced after ${Math.round(tookMs)} ms\n`);
      await replace(old);
    }
    expect(overlaps()).toEqual([]);
  });

  verifies(
    'operator:failover',
    'a leader that is started again in its pod does not wait for its own Lease',
    async () => {
      const old = await theLeader();
      for (const { process } of replicas.toSorted((one) => (one === old ? 1 : -1))) {
        const ended = once(process, 'exit');
        process.kill(process === old.process ? 'SIGKILL' : 'SIGTERM');
        await ended;
      }
      const again = await start(old.user);
      replicas = [again];
      const requests = (): readonly AuditEntry[] =>
        server.audit.filter(({ user, resource }) => user === again.user && resource === 'leases');
      await until(() => requests().some(({ isChange }) => isChange), STARTED_MS);
      // A stranger would look again and again until the Lease had run out.
      const [first, second] = requests();
      expect([first?.verb, second?.verb]).toEqual(['get', 'update']);
    },
  );

  verifies('operator:failover', 'a leader that was held still writes nothing when it goes on', async () => {
    const excused: Stillness[] = [];
    for (let round = 0; round < rounds.pauses; round += 1) {
      const old = await heldLeader();
      const from = server.audit.length;
      const tookMs = await untilReplaced(old, CRASH_MS + slackMs);
      process.stderr.write(`held still: replaced after ${Math.round(tookMs)} ms\n`);
      await sleep(PAUSE_MS - CRASH_MS);
      const ended = new Promise((resolve) => {
        old.process.once('exit', resolve);
      });
      const to = server.audit.length;
      excused.push({ user: old.user, from, to });
      old.process.kill('SIGCONT');
      await ended;
      expect(server.audit.slice(to).filter((entry) => entry.user === old.user && isWrite(entry))).toEqual([]);
      await replace(old);
    }
    expect(overlaps(excused)).toEqual([]);
  });

  verifies('operator:failover', 'a leader that is cut off falls silent before another one leads', async () => {
    for (let round = 0; round < rounds.cuts; round += 1) {
      const old = await theLeader();
      const ended = new Promise((resolve) => {
        old.process.once('exit', resolve);
      });
      const cutAt = performance.now();
      const tries: number[] = [];
      const reconnect = server.faults.onRequest((request) => {
        if (request.user === old.user && WRITE_VERBS.has(request.verb) && request.served?.resource.plural !== 'leases')
          tries.push(performance.now() - cutAt);
        return cutOff(old.user)(request);
      });
      const tookMs = await untilReplaced(old, CRASH_MS + slackMs);
      await ended;
      const lastTryMs = Math.max(0, ...tries);
      process.stderr.write(
        `cut off: silent after ${Math.round(lastTryMs)} ms, replaced after ${Math.round(tookMs)} ms\n`,
      );
      expect(lastTryMs).toBeLessThan(SILENT_MS + slackMs);
      reconnect();
      await replace(old);
    }
    expect(overlaps()).toEqual([]);
  });
});
