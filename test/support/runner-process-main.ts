/** The runner's own start, with a configuration of a test. Says its port, and behaves as its entry point does. */
import type { RunnerConfig } from '../../sandbox-runner/src/config.ts';
import { startRunner } from '../../sandbox-runner/src/start-runner.ts';

const runner = await startRunner(JSON.parse(process.argv[2] ?? '') as RunnerConfig);
process.on('SIGTERM', () => runner.stop('the pod is stopping'));
process.on('SIGUSR1', () => undefined);
process.stdout.write(`${runner.port}\n`);
await runner.ended;
process.exit(0);
