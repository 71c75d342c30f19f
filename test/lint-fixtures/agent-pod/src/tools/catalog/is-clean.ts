// Clean: a tool knows what a tool is.
import { boundOutput } from '../bound-output.ts';
import type { Tool } from '../tool.ts';

export const touch = (tool: Tool): unknown => boundOutput(tool.name);
