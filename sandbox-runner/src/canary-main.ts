/** Entry point: tries every flow that must be closed and reports the open ones. Exit code 0 if none is open. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { http } from '@retainer/contract/std/node-http';
import { CANARY_REACHED_PATH, type CanaryEnd } from '@retainer/contract/wire/canary';
import { RUNNER_PATHS } from '@retainer/contract/wire/runner';
import { runCanary } from './canary.ts';
import { canaryConfig } from './config.ts';

/** As in `sysexits.h`: the operator's settings are wrong. */
const CONFIG_EXIT_CODE = 78;
const OPEN_EXIT_CODE = 1;

const clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (durationMs: number) => sleep(durationMs),
};

async function main(): Promise<number> {
  const config = canaryConfig();
  if (!config.ok) {
    process.stderr.write(`${JSON.stringify({ level: 'error', message: 'bad environment', detail: config.error })}\n`);
    return CONFIG_EXIT_CODE;
  }
  const { targets, waitMs, port, terminationLog } = config.value;
  const whenReached = new AbortController();
  const server = listener(() => whenReached.abort());
  server.listen(port);
  await once(server, 'listening');
  await sleep(waitMs, undefined, { signal: whenReached.signal }).catch(() => undefined);
  const end: CanaryEnd = { ...(await runCanary(targets, clock)), reached: whenReached.signal.aborted };
  await writeFile(terminationLog, JSON.stringify(end));
  return end.open.length === 0 ? 0 : OPEN_EXIT_CODE;
}

function listener(onReached: () => void): Server {
  return http.createServer((request, response) => {
    if (request.url === CANARY_REACHED_PATH) {
      onReached();
      return response.writeHead(204).end();
    }
    return response.writeHead(request.url === RUNNER_PATHS.health ? 200 : 404).end();
  });
}

// A socket that is still connecting must not keep the pod alive.
process.exit(await main());
