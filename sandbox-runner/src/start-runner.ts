/**
 * A runner from its start to its end.
 *
 * The runner is the first process of its pod, with no init in front. The kernel then protects it from every signal of code in
 * the pod, except signals that it handles, and lets it kill all other processes at once. Orphaned processes are not reaped:
 * they stay as entries of the process table, count against the code's own limit, and end with the pod.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { RunnerConfig } from './config.ts';
import { Runner } from './runner.ts';
import { createRunnerServer } from './runner-server.ts';

/** A claimant with a result to fetch may have to restart first. */
const RESULT_WAIT_MS = 600_000;
/** Time for readers to get the remaining output. */
const CLOSE_GRACE_MS = 3000;

export interface StartedRunner {
  readonly port: number;
  /** Ends the runner and its run. */
  stop(reason: string): void;
  /** Resolves once nothing is left to do. */
  readonly ended: Promise<void>;
}

/** Listens when it resolves. */
export async function startRunner(config: RunnerConfig): Promise<StartedRunner> {
  const runner = new Runner(config);
  let finish: (reason: string, isReleased?: boolean) => void = () => undefined;
  const stopped = new Promise<Parameters<Runner['stop']>>((resolve) => {
    finish = (...why) => resolve(why);
  });
  let idle: NodeJS.Timeout | undefined;
  const rest = (): void => {
    clearTimeout(idle);
    const waitMs = runner.phase === 'Ended' ? Math.max(config.idleMs, RESULT_WAIT_MS) : config.idleMs;
    idle = setTimeout(() => {
      // A run has a deadline of its own, and begins a new wait when it is over.
      if (runner.phase === 'Running') rest();
      else finish('no request arrived in time');
    }, waitMs);
  };
  const server = createRunnerServer({
    runner,
    workDirectory: config.workDirectory,
    onActivity: rest,
    onStop: () => finish('the claimant stopped it', true),
  });
  server.listen({ port: config.port, ...(config.host === undefined ? {} : { host: config.host }) });
  await once(server, 'listening');
  rest();
  const end = async (): Promise<void> => {
    const why = await stopped;
    clearTimeout(idle);
    server.close();
    await runner.stop(...why);
    server.closeIdleConnections();
    const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    if (server.listening || (await openConnections(server)) > 0) await once(server, 'close');
    clearTimeout(timer);
  };
  const { port } = server.address() as AddressInfo;
  return { port, stop: (reason) => finish(reason), ended: end() };
}

function openConnections(server: ReturnType<typeof createRunnerServer>): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
}
