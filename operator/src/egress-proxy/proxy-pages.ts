import type { Routes } from '@retainer/kube/listen';
import { judged, metricsPage } from '../http/pages.ts';
import type { ProxyMetrics } from './proxy-metrics.ts';

export interface Served {
  readonly metrics: Pick<ProxyMetrics, 'registry'>;
  /** Why it is not ready; undefined if it is. */
  readonly notReady: () => Promise<string | undefined>;
}

/** `/healthz`, `/readyz` and `/metrics` of the proxy, on a separate port. */
export function proxyPages({ metrics, notReady }: Served): Routes {
  return {
    '/healthz': () => judged([]),
    '/readyz': async () => judged([await notReady()].filter((reason) => reason !== undefined)),
    '/metrics': () => metricsPage(metrics.registry),
  };
}
