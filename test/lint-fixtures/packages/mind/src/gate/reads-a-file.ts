// Violates no-restricted-imports: pure folders do no I/O, by whichever name of the file system.
import { readFile } from 'node:fs/promises';

export const policyText = (path: string): unknown => readFile(path);
