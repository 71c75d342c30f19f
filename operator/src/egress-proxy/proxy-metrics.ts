/** The metrics of the proxy. Hosts and subjects are never labels, because their number is unbounded. */
import { Counter, Gauge, Registry } from 'prom-client';
import { PROXY_OUTCOMES, type ProxyOutcome } from './proxy-outcome.ts';

export interface ProxyMetrics {
  readonly registry: Registry;
  answered(verdict: ProxyOutcome): void;
  opened(): void;
  closed(bytes: { readonly bytesOut: number; readonly bytesIn: number }): void;
}

export function createProxyMetrics(): ProxyMetrics {
  const registry = new Registry();
  const requests = new Counter({
    name: 'retainer_egress_requests_total',
    help: 'Requests to the egress proxy, by verdict.',
    labelNames: ['verdict'],
    registers: [registry],
  });
  const tunnels = new Gauge({
    name: 'retainer_egress_tunnels',
    help: 'Open tunnels.',
    registers: [registry],
  });
  const bytes = new Counter({
    name: 'retainer_egress_bytes_total',
    help: 'Bytes of ended tunnels, by direction as seen from the client.',
    labelNames: ['direction'],
    registers: [registry],
  });
  for (const verdict of PROXY_OUTCOMES) requests.inc({ verdict }, 0);
  for (const direction of ['in', 'out']) bytes.inc({ direction }, 0);
  return {
    registry,
    answered: (verdict) => requests.inc({ verdict }),
    opened: () => tunnels.inc(),
    closed: ({ bytesIn, bytesOut }) => {
      tunnels.dec();
      bytes.inc({ direction: 'in' }, bytesIn);
      bytes.inc({ direction: 'out' }, bytesOut);
    },
  };
}
