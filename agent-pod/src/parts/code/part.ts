/** Tools that run code in the sandbox. */
import { bash } from './bash.ts';
import { runCodeTool } from './run-code.ts';
import { serveCode } from './serve-code.ts';
import { stopServing } from './serve-stop.ts';
import type { PodPart } from '../pod-part.ts';

export const codePod: PodPart = {
  name: 'code',
  tools: [bash, runCodeTool, serveCode, stopServing],
};
