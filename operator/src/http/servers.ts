/** The HTTP servers of the operator: liveness, readiness, metrics. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metrics } from '@retainer/kube/metrics';
import { listen, type CertificateFiles } from '@retainer/kube/listen';
import { judged, metricsPage } from './pages.ts';

/** The process behind the probes. Each method returns reasons; none means yes. */
export interface Probed {
  /** Why it needs a restart. */
  unhealthy(): readonly string[];
  /** Why it does not work at the moment. */
  unready(): readonly string[];
}

export interface HttpServersOptions {
  readonly config: {
    readonly health: { readonly port: number };
    readonly metrics: { readonly port: number; readonly tls: CertificateFiles | undefined };
  };
  readonly operator: Probed;
  readonly metrics: Pick<Metrics, 'registry' | 'certificateRead'>;
  /** True from the signal to stop: it answers that it is not ready. */
  readonly isStopping: () => boolean;
}

export interface HttpServers {
  readonly healthPort: number;
  readonly metricsPort: number;
  close(): Promise<void>;
}

/** `/healthz` and `/readyz` on one port, `/metrics` on another, with optional TLS. @throws if one cannot listen */
export async function startHttpServers(options: HttpServersOptions): Promise<HttpServers> {
  const { config, operator, metrics, isStopping } = options;
  const delays = monitorEventLoopDelay();
  delays.enable();
  const health = await listen({
    port: config.health.port,
    routes: {
      '/healthz': () => judged([...operator.unhealthy(), ...eventLoopFaults(delays)]),
      '/readyz': () => judged(isStopping() ? ['stopping'] : operator.unready()),
    },
  });
  const closeHealth = (): Promise<void> => {
    delays.disable();
    return health.close();
  };
  // Probes that go on answering would keep a process alive that does nothing more.
  const scraped = await listen({
    port: config.metrics.port,
    certificate: config.metrics.tls,
    onCertificateRead: (isRead) => metrics.certificateRead(isRead),
    routes: { '/metrics': () => metricsPage(metrics.registry) },
  }).catch(async (error: unknown) => {
    await closeHealth();
    throw error;
  });
  return {
    healthPort: health.port,
    metricsPort: scraped.port,
    close: async () => {
      await Promise.all([closeHealth(), scraped.close()]);
    },
  };
}

/** From `monitorEventLoopDelay`: nanoseconds between the requested and the actual moment of a timer. */
interface DelayHistogram {
  percentile(percentile: number): number;
  reset(): void;
}

/** With this median delay the loop is useless: work of a second or more blocks it again and again. */
const MEDIAN_DELAY_MS_MAX = 1_000;

/** Faults of the event loop since the last call. A fully blocked loop answers no probe, which the kubelet notices. */
export function eventLoopFaults(delays: DelayHistogram): readonly string[] {
  const medianMs = delays.percentile(50) / 1e6;
  delays.reset();
  return medianMs > MEDIAN_DELAY_MS_MAX ? [`the event loop is ${Math.round(medianMs)} ms late (median)`] : [];
}
