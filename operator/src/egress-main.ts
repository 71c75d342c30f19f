/** The process of the egress proxy. It needs no Kubernetes: its clients' grants contain all permissions. */
import { readProxyConfig } from './egress-proxy/config.ts';
import { EgressProxy } from './egress-proxy/egress-proxy.ts';
import { KeyFile } from './egress-proxy/key-file.ts';
import { systemNetwork } from './egress-proxy/network.ts';
import { DEFAULT_LIMITS } from './egress-proxy/proxy-limits.ts';
import { createProxyMetrics } from './egress-proxy/proxy-metrics.ts';
import { proxyPages } from './egress-proxy/proxy-pages.ts';
import { listen } from '@retainer/kube/listen';
import { processLog } from '@retainer/kube/process-log';
import { systemClock } from '@retainer/contract/std/system-clock';

/** Below the 30 seconds that Kubernetes gives by default. Source: platforms 6. */
const DRAIN_MS = 25_000;
/** The environment is wrong. Source: sysexits.h. */
const EXIT_CONFIG = 78;

async function main(): Promise<number> {
  const config = readProxyConfig();
  if (!config.ok) {
    process.stderr.write(`${config.error}\n`);
    return EXIT_CONFIG;
  }
  const { keyFile: path, port, metricsPort, ...limits } = config.value;
  const log = processLog({ clock: systemClock });
  const metrics = createProxyMetrics();
  const keyFile = new KeyFile({ path, clock: systemClock });
  const proxy = new EgressProxy({
    clock: systemClock,
    network: systemNetwork,
    limits: { ...DEFAULT_LIMITS, ...limits },
    metrics,
    publicKey: () => keyFile.current(),
    log: (line) => log({ level: 'info', message: 'request', ...line }),
  });
  const routes = proxyPages({
    metrics,
    notReady: async () => {
      if (proxy.isDraining) return 'draining';
      return (await keyFile.current()) === undefined ? `no public key in ${path} yet` : undefined;
    },
  });
  const stopped = new Promise<void>((resolve) => {
    process.on('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
  const [pages] = await Promise.all([listen({ port: metricsPort, routes }), proxy.listen(port)]);
  log({ level: 'info', message: 'listening', port, metricsPort });
  await stopped;
  await proxy.stop(DRAIN_MS);
  await pages.close();
  log({ level: 'info', message: 'stopped' });
  return 0;
}

process.exitCode = await main();
