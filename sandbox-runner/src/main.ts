/** Entry point: the first process of a sandbox pod. */
import { runnerConfig } from './config.ts';
import { startRunner } from './start-runner.ts';

/** As in `sysexits.h`: the operator's settings are wrong. */
const CONFIG_EXIT_CODE = 78;

async function main(): Promise<number> {
  const config = runnerConfig();
  if (!config.ok) {
    process.stderr.write(`${JSON.stringify({ level: 'error', message: 'bad environment', detail: config.error })}\n`);
    return CONFIG_EXIT_CODE;
  }
  const runner = await startRunner(config.value);
  process.on('SIGTERM', () => runner.stop('the pod is stopping'));
  // By default Node opens a debugger's port on this signal, and code in the pod could send it.
  process.on('SIGUSR1', () => undefined);
  await runner.ended;
  return 0;
}

// Handles that code left open must not keep the pod alive.
process.exit(await main());
