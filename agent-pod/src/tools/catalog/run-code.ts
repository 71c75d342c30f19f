import { z } from 'zod';
import { CODE_EFFECT_CLASS } from '@retainer/mind/gate/tool-traits';
import {
  codeTimeoutMs,
  describePlace,
  lookupCode,
  MAX_SCRIPT_CHARACTERS,
  offeredLanguages,
  runCode,
  type CodePlace,
} from '../code-run.ts';
import type { SandboxLanguage } from '../../ports/sandbox-run.ts';
import type { Tool } from '../../ports/tool.ts';

interface Input {
  readonly language: SandboxLanguage;
  readonly script: string;
}

/** Programs in the sandbox, in the languages that it has. Source: springdrift 11; artoo C10. */
export function createRunCode(place: CodePlace): Tool<Input> {
  const languages = offeredLanguages(place);
  return {
    name: 'run_code',
    description:
      `Runs a program (${languages.join(', ')}) in a sandbox: ${describePlace(place)}. ` +
      'Print what you want to know. Returns the exit code, then standard output, then standard error.',
    input: z.strictObject({
      language: z.enum(languages).describe('Language of the script.'),
      script: z
        .string()
        .min(1)
        .max(MAX_SCRIPT_CHARACTERS)
        .describe('The program; its working directory is /workspace.'),
    }),
    effectClass: CODE_EFFECT_CLASS,
    timeoutMs: codeTimeoutMs(place),
    touches: () => ({ readPaths: [], writePaths: [], domains: [] }),
    run: (input, context, signal) => runCode(place, input, context, signal),
    lookup: (_input, context) => lookupCode(place, context),
  };
}
