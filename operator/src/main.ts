/** The operator's process. Exit codes: 0 stopped on request, 1 lost the Lease or hit a bug, 78 the environment is wrong. */
import { randomUUID } from 'node:crypto';
import { getServers, lookup } from 'node:dns/promises';
import type { Log } from '@retainer/contract/std/log';
import { processConfig, type Config } from './config.ts';
import { startHttpServers } from './http/servers.ts';
import { connect } from '@retainer/kube/connect';
import { HttpsClient } from '@retainer/kube/https-client';
import { Metrics } from '@retainer/kube/metrics';
import { processLog } from '@retainer/kube/process-log';
import { systemClock } from '@retainer/contract/std/system-clock';
import { errorText } from './error-text.ts';
import { Operator } from './run-operator.ts';

const exitCodes = { stopped: 0, failed: 1, configuration: 78 } as const;

async function main(): Promise<number> {
  const config = processConfig();
  if (!config.ok) {
    for (const fault of config.error) process.stderr.write(`${fault}\n`);
    return exitCodes.configuration;
  }
  const log = processLog({ clock: systemClock, level: config.value.isVerbose ? 'debug' : 'info' });
  try {
    return await operate(config.value, log);
  } catch (error) {
    log({ level: 'error', message: 'the operator failed', error: errorText(error) });
    return exitCodes.failed;
  }
}

async function operate(config: Config, log: Log): Promise<number> {
  const stop = new AbortController();
  process.on('SIGTERM', () => stop.abort());
  process.once('SIGINT', () => stop.abort());
  const { service, kubeconfig, settings, podName, podUid, podIp, lease } = config;
  const metrics = new Metrics();
  metrics.watchProcess();
  const connection = await connect({
    ...(service === undefined ? {} : { service }),
    kubeconfig: { paths: kubeconfig === undefined ? [] : kubeconfig.split(':') },
  });
  const client = new HttpsClient({
    connection,
    clock: systemClock,
    userAgent: `retainer-operator/${settings.version}`,
    onAnswer: (request) => metrics.requestAnswered(request),
  });
  const operator = new Operator({
    client,
    clock: systemClock,
    random: Math.random,
    settings,
    // A process restarted in its pod knows that its predecessor has ended, so it need not wait for that Lease.
    identity: `${podName}_${podUid ?? randomUUID()}`,
    podName,
    podIp,
    dnsServers: getServers(),
    lookup: async (host) => (await lookup(host)).address,
    leaseTiming: {
      leaseMs: lease.durationMs,
      renewDeadlineMs: lease.renewDeadlineMs,
      renewEveryMs: lease.retryMs,
      retryMs: lease.retryMs,
    },
    metrics,
    log,
  });
  const servers = await startHttpServers({ config, operator, metrics, isStopping: () => stop.signal.aborted });
  try {
    log({ level: 'info', message: 'waiting for the Lease', pod: podName, version: settings.version });
    const end = await operator.run(stop.signal);
    log({ level: 'info', message: 'ended', end });
    return end === 'Stopped' ? exitCodes.stopped : exitCodes.failed;
  } finally {
    await servers.close();
    client.close();
  }
}

process.exitCode = await main();
