import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeCertificates } from '../../../test/support/certificates.ts';
import { verifies } from '../../../test/verifies.ts';
import { Metrics } from '@retainer/kube/metrics';
import { listen } from '@retainer/kube/listen';
import { eventLoopFaults, startHttpServers, type HttpServers } from './servers.ts';

let servers: HttpServers | undefined;
afterEach(async () => {
  await servers?.close();
  servers = undefined;
});

async function asked(port: number, path: string, method = 'GET'): Promise<readonly [number, unknown]> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
  const text = await answer.text();
  return [answer.status, answer.headers.get('content-type') === 'application/json' ? JSON.parse(text) : text];
}

/** Of this process. No port is asked: another process may take one that is free. */
const listeners = (): number => process.getActiveResourcesInfo().filter((it) => it === 'TCPServerWrap').length;

describe('the probes', () => {
  verifies('kube:probes-give-reasons', 'answer with what is wrong', async () => {
    const state = { unhealthy: [] as string[], unready: ['tasks are not listed yet'], isStopping: false };
    servers = await startHttpServers({
      config: { health: { port: 0 }, metrics: { port: 0, tls: undefined } },
      operator: { unhealthy: () => state.unhealthy, unready: () => state.unready },
      metrics: new Metrics(),
      isStopping: () => state.isStopping,
    });
    const { healthPort: port } = servers;
    expect(await asked(port, '/healthz')).toEqual([200, { status: 'ok', reasons: [] }]);
    expect(await asked(port, '/readyz?verbose')).toEqual([
      503,
      { status: 'failed', reasons: ['tasks are not listed yet'] },
    ]);
    state.unready = [];
    state.unhealthy = ['the Lease ran out'];
    expect(await asked(port, '/readyz')).toEqual([200, { status: 'ok', reasons: [] }]);
    expect(await asked(port, '/healthz')).toEqual([503, { status: 'failed', reasons: ['the Lease ran out'] }]);
    state.isStopping = true;
    expect(await asked(port, '/readyz')).toEqual([503, { status: 'failed', reasons: ['stopping'] }]);
  });

  verifies('kube:probes-give-reasons', 'find an event loop that is late as a rule, not one that was late once', () => {
    const histogram = (medianMs: number): { percentile: () => number; reset: () => void } => ({
      percentile: () => medianMs * 1e6,
      reset: () => undefined,
    });
    expect(eventLoopFaults(histogram(40))).toEqual([]);
    expect(eventLoopFaults(histogram(2_500))).toEqual(['the event loop is 2500 ms late (median)']);
  });
});

describe('a server', () => {
  it('serves metrics, and nothing but its pages', async () => {
    const metrics = new Metrics();
    metrics.watchProcess();
    servers = await startHttpServers({
      config: { health: { port: 0 }, metrics: { port: 0, tls: undefined } },
      operator: { unhealthy: () => [], unready: () => [] },
      metrics,
      isStopping: () => false,
    });
    const { metricsPort: port } = servers;
    const [status, text] = await asked(port, '/metrics');
    expect(status).toBe(200);
    for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds', 'rest_client_requests_total'])
      expect(text).toContain(name);
    expect(await asked(port, '/healthz')).toEqual([404, 'no such page\n']);
    expect(await asked(port, '/constructor')).toEqual([404, 'no such page\n']);
    expect(await asked(port, '/metrics', 'POST')).toEqual([405, 'only the methods GET and HEAD are supported\n']);
    expect(await asked(port, '/metrics', 'HEAD')).toEqual([200, '']);
    metrics.registry.clear();
  });

  it('answers 500 where a page cannot be made, and goes on', async () => {
    const routes = {
      '/bad': () => {
        throw new Error('a secret');
      },
    };
    const listener = await listen({ port: 0, routes });
    expect(await asked(listener.port, '/bad')).toEqual([500, 'the page could not be created\n']);
    expect(await asked(listener.port, '/bad')).toEqual([500, 'the page could not be created\n']);
    await listener.close();
  });

  it('ends open connections when it is closed', async () => {
    const listener = await listen({ port: 0, routes: {} });
    const socket = connectSocket(listener.port, '127.0.0.1');
    await new Promise((resolve) => {
      socket.once('connect', resolve);
    });
    const ended = new Promise((resolve) => {
      socket.once('close', resolve);
    });
    socket.on('error', () => undefined);
    await listener.close();
    await ended;
  });

  it('says where it cannot listen or read its certificate', async () => {
    const listener = await listen({ port: 0, routes: {} });
    await expect(listen({ port: listener.port, routes: {} })).rejects.toThrow('EADDRINUSE');
    await listener.close();
    const certificate = { cert: '/nonexistent/cert', key: '/nonexistent/key' };
    await expect(listen({ port: 0, routes: {}, certificate })).rejects.toThrow('ENOENT');
  });

  it('serves with its last certificate while the new one is written in part, or fits no key', async () => {
    const { ca, signed, otherHost } = makeCertificates();
    const directory = await mkdtemp(join(tmpdir(), 'retainer-certificate-'));
    const certificate = { cert: join(directory, 'tls.crt'), key: join(directory, 'tls.key') };
    await writeFile(certificate.cert, signed.cert);
    await writeFile(certificate.key, signed.key);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let onRead = (_isRead: boolean): void => undefined;
    const listener = await listen({ port: 0, routes: {}, certificate, onCertificateRead: (isRead) => onRead(isRead) });
    /** After the next reading. */
    const reading = (cert: string): Promise<boolean> =>
      new Promise((resolve, reject) => {
        onRead = resolve;
        writeFile(certificate.cert, cert).then(() => vi.advanceTimersByTime(60_000), reject);
      });
    const served = (): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        get({ port: listener.port, host: '127.0.0.1', ca, agent: false }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        }).on('error', reject);
      });
    try {
      for (const cert of [signed.cert.slice(0, 100), otherHost.cert, '']) {
        expect(await reading(cert)).toBe(false);
        expect(await served()).toBe(404);
      }
      expect(await reading(signed.cert)).toBe(true);
      expect(await served()).toBe(404);
    } finally {
      vi.useRealTimers();
      await listener.close();
      await rm(directory, { recursive: true });
    }
  });

  it('leaves nothing open where it cannot listen, so that the process ends', async () => {
    const taken = await listen({ port: 0, routes: {} });
    const before = listeners();
    const starting = startHttpServers({
      config: { health: { port: 0 }, metrics: { port: taken.port, tls: undefined } },
      operator: { unhealthy: () => [], unready: () => [] },
      metrics: new Metrics(),
      isStopping: () => false,
    });
    await expect(starting).rejects.toThrow('EADDRINUSE');
    await expect.poll(listeners).toBe(before);
    await taken.close();
  });
});
