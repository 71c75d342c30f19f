import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listen, type Listener } from '@retainer/kube/listen';
import { createProxyMetrics } from './proxy-metrics.ts';
import { proxyPages } from './proxy-pages.ts';

let reason: string | undefined;
let listener: Listener;
const metrics = createProxyMetrics();
const asked = (path: string) => fetch(`http://127.0.0.1:${listener.port}${path}`);

beforeEach(async () => {
  reason = undefined;
  listener = await listen({ port: 0, routes: proxyPages({ metrics, notReady: async () => reason }) });
});

afterEach(() => listener.close());

describe('proxyPages', () => {
  it('tells life and readiness apart', async () => {
    reason = 'draining';
    expect((await asked('/healthz')).status).toBe(200);
    const ready = await asked('/readyz');
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'failed', reasons: ['draining'] }]);
    reason = undefined;
    expect((await asked('/readyz')).status).toBe(200);
  });

  it('has every metric from the start', async () => {
    metrics.answered('Unauthenticated');
    const text = await (await asked('/metrics')).text();
    expect(text).toContain('retainer_egress_requests_total{verdict="Allowed"} 0');
    expect(text).toContain('retainer_egress_requests_total{verdict="Unauthenticated"} 1');
    expect(text).toContain('retainer_egress_bytes_total{direction="out"} 0');
    expect(text).toContain('retainer_egress_tunnels 0');
  });
});
