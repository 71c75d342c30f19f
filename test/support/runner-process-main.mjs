/**
 * The runner's own start, as built, with a configuration of a test. Says its port, and behaves as its entry point does. JavaScript,
 * since a loader of TypeScript costs each start more than the runner itself.
 */
import { startRunner } from '@retainer/sandbox-runner/start-runner';

const runner = await startRunner(JSON.parse(process.argv[2] ?? ''));
process.on('SIGTERM', () => runner.stop('the pod is stopping'));
process.on('SIGUSR1', () => undefined);
process.stdout.write(`${runner.port}\n`);
await runner.ended;
process.exit(0);
