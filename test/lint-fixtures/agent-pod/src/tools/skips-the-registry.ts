// Violates no-restricted-imports: tools are reached through the registry only.
import { readFileTool } from './catalog/read-file.ts';

export const tool = (): unknown => readFileTool;
