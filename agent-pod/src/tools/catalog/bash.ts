import { z } from 'zod';
import { CODE_EFFECT_CLASS } from '../../gate/tool-traits.ts';
import { CODE_TIMEOUT_MS, lookupCode, MAX_SCRIPT_CHARACTERS, runCode, type SandboxOffer } from '../code-run.ts';
import type { Tool } from '../tool.ts';

const Input = z.strictObject({
  script: z.string().min(1).max(MAX_SCRIPT_CHARACTERS).describe('A bash script; its working directory is /workspace.'),
});
type Input = z.infer<typeof Input>;

/** Shell scripts in the sandbox. Source: artoo C10 (no gate per command: the sandbox is the limit). */
export function createBash(offer: SandboxOffer): Tool<Input> {
  return {
    name: 'bash',
    description:
      'Runs a bash script in a sandbox: no network, only /workspace is kept, 60 seconds, 512 MiB. Returns the exit code, ' +
      'then standard output, then standard error. Each call is a new process; nothing but files in /workspace stays.',
    input: Input,
    effectClass: CODE_EFFECT_CLASS,
    timeoutMs: CODE_TIMEOUT_MS,
    touches: () => ({ readPaths: [], writePaths: [], domains: [] }),
    run: ({ script }, context, signal) => runCode(offer, { language: 'bash', script }, context, signal),
    lookup: (_input, context) => lookupCode(context),
  };
}
