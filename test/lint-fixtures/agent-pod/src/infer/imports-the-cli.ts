// Violates no-restricted-imports: nobody imports the command line.
import { printLine } from '@retainer/cli/output';

export const show = (): unknown => printLine;
