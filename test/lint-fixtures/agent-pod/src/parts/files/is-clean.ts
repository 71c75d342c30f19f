// Clean: a tool knows what a tool is.
import { boundOutput } from '../../tools/bound-output.ts';
import type { Tool } from '../../tools/tool.ts';

export const touch = (tool: Tool): unknown => boundOutput(tool.name);
