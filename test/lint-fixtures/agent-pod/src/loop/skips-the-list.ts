// Violates no-restricted-imports: tools are reached through the lists of parts only.
import { readFileTool } from '../parts/files/read-file.ts';

export const tool = (): unknown => readFileTool;
