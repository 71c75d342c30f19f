/** vitest calls it before each test file: no property draws a seed of its own. */
import { configureGlobal, readConfigureGlobal } from 'fast-check';
import { testSeed } from './seed.ts';
import { bySize } from './test-size.ts';

/** Examples of a property that names no number. */
const numRuns = bySize({ quick: 30, check: 100, nightly: 300 });

configureGlobal({ ...readConfigureGlobal(), seed: testSeed, numRuns });
