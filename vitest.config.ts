import { defineConfig } from 'vitest/config';
import { NIGHT_UNIT, SLOW_UNIT } from './.ci/gate.mjs';
import { isAwaited, isNightly } from './test/support/test-size.ts';

/** Tests run on the sources of every workspace, so none needs a build first. */
const shared = { resolve: { conditions: ['source'] }, ssr: { resolve: { conditions: ['source'] } } };
/** No property draws a seed of its own. */
const setupFiles = ['test/support/set-seed.ts'];

/** Tests that look at the whole installation, change it, or make a fault of it: nothing else runs meanwhile. */
const ALONE_IN_THE_CLUSTER = [
  ...['alerts', 'alerts-more', 'doctor', 'endurance', 'faults', 'first-day', 'opened-network', 'release', 'rollout'],
].map((name) => `test/e2e/${name}.test.ts`);

export default defineConfig({
  test: {
    projects: [
      {
        ...shared,
        test: {
          setupFiles,
          name: 'unit',
          include: [
            '{contract,packages/*,operator,agent-pod,sandbox-runner,cli}/src/**/*.test.ts',
            'test/*.test.ts',
            'test/unit/**/*.test.ts',
          ],
          exclude: isNightly ? [] : [...NIGHT_UNIT, ...(isAwaited ? SLOW_UNIT : [])],
          // A property over thousands of inputs takes seconds alone, and many times that beside others.
          testTimeout: 120_000,
          // A process for each file spent a third of the time on starting and importing. No test leaves anything behind that another sees.
          isolate: false,
          // One less than the cores is what vitest takes by itself: on two cores, one of them idle.
          maxWorkers: '100%',
        },
      },
      {
        ...shared,
        test: {
          setupFiles,
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // What a test waits for comes at once, except on a machine that others use as well.
          expect: { poll: { timeout: 120_000 } },
          // Most of their time they wait for what they start; more than two at once starve each other on two cores.
          maxWorkers: 2,
        },
      },
      {
        ...shared,
        test: {
          setupFiles,
          name: 'chart',
          include: ['test/chart/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 300_000,
        },
      },
      {
        ...shared,
        test: {
          setupFiles,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: ALONE_IN_THE_CLUSTER,
          globalSetup: ['test/e2e/installation.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // Most of their time they wait for pods.
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
      {
        ...shared,
        test: {
          setupFiles,
          name: 'e2e-alone',
          include: ALONE_IN_THE_CLUSTER,
          globalSetup: ['test/e2e/installation.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...shared,
        test: {
          setupFiles,
          name: 'cluster',
          include: ['test/api-server/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
