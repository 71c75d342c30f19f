/** vitest calls it before each test file: no property draws a seed of its own. */
import { configureGlobal, readConfigureGlobal } from 'fast-check';
import { testSeed } from './seed.ts';

configureGlobal({ ...readConfigureGlobal(), seed: testSeed });
