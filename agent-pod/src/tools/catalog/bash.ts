import { z } from 'zod';
import { CODE_EFFECT_CLASS } from '@retainer/mind/gate/tool-traits';
import {
  codeTimeoutMs,
  describePlace,
  lookupCode,
  MAX_SCRIPT_CHARACTERS,
  runCode,
  type CodePlace,
} from '../code-run.ts';
import type { Tool } from '../../ports/tool.ts';

const Input = z.strictObject({
  script: z.string().min(1).max(MAX_SCRIPT_CHARACTERS).describe('A bash script; its working directory is /workspace.'),
});
type Input = z.infer<typeof Input>;

/** Shell scripts in the sandbox. Source: artoo C10 (no gate per command: the sandbox is the limit). */
export function createBash(place: CodePlace): Tool<Input> {
  return {
    name: 'bash',
    description:
      `Runs a bash script in a sandbox: ${describePlace(place)}. Returns the exit code, ` +
      'then standard output, then standard error. Each call is a new process; nothing but files in /workspace stays.',
    input: Input,
    effectClass: CODE_EFFECT_CLASS,
    timeoutMs: codeTimeoutMs(place),
    touches: () => ({ readPaths: [], writePaths: [], domains: [] }),
    run: ({ script }, context, signal) => runCode(place, { language: 'bash', script }, context, signal),
    lookup: (_input, context) => lookupCode(place, context),
  };
}
