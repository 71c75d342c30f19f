// Violates no-restricted-imports: the cycle knows the words of the tools, never the tools.
import { execute } from '../tools/execute.ts';

export const runNow = (): unknown => execute;
