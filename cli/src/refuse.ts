import { exitCodes } from './exit-codes.ts';
import type { Output } from './output.ts';

/** Prints why a command did nothing. @returns its exit code */
export function refuse(output: Output, reasons: string | readonly string[], code: number = exitCodes.usage): number {
  for (const reason of [reasons].flat()) output.error(reason);
  return code;
}
