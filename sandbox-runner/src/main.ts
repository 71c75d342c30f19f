/** Entry point: the first process of a sandbox pod. */
import { runnerConfig } from './config.ts';
import { startRunner } from './start-runner.ts';

/** As `sysexits.h` has it: what the operator set is wrong. */
const CONFIG_EXIT_CODE = 78;

async function main(): Promise<number> {
  const config = runnerConfig();
  if (!config.ok) {
    process.stderr.write(`${JSON.stringify({ level: 'error', message: 'bad environment', detail: config.error })}\n`);
    return CONFIG_EXIT_CODE;
  }
  const runner = await startRunner(config.value);
  process.on('SIGTERM', () => runner.stop('the pod is told to stop'));
  // Node's own answer to this one is a debugger's port, which code in the pod could ask for.
  process.on('SIGUSR1', () => undefined);
  await runner.ended;
  return 0;
}

// What code left open must not keep the pod.
process.exit(await main());
