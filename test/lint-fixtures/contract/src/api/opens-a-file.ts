// Violates no-restricted-imports: nothing in contract/ does I/O.
import { readFileSync } from 'node:fs';

export const schemaText = (path: string): unknown => readFileSync(path);
