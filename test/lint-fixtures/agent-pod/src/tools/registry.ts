// Clean: the one module that may list the tools.
import { readFileTool } from './catalog/read-file.ts';
import type { SandboxPort } from '../ports/ports.ts';

export const tools = (sandbox: SandboxPort): readonly unknown[] => [readFileTool, sandbox];
