import { z } from 'zod';
import { CODE_EFFECT_CLASS } from '../../gate/tool-traits.ts';
import {
  CODE_TIMEOUT_MS,
  isUnavailable,
  lookupCode,
  MAX_SCRIPT_CHARACTERS,
  runCode,
  type SandboxOffer,
} from '../code-run.ts';
import type { SandboxLanguage } from '../../loop/ports.ts';
import type { Tool } from '../tool.ts';

const ALL_LANGUAGES: readonly SandboxLanguage[] = ['javascript', 'python', 'bash'];

interface Input {
  readonly language: SandboxLanguage;
  readonly script: string;
}

/** Programs in the sandbox, in the languages that it has. Source: springdrift 11; artoo C10. */
export function createRunCode(offer: SandboxOffer): Tool<Input> {
  const offered = isUnavailable(offer) ? [] : ALL_LANGUAGES.filter((language) => offer.includes(language));
  const languages = offered.length === 0 ? ALL_LANGUAGES : offered;
  return {
    name: 'run_code',
    description:
      `Runs a program (${languages.join(', ')}) in a sandbox: no network, only /workspace is kept, 60 seconds, 512 MiB. ` +
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
    timeoutMs: CODE_TIMEOUT_MS,
    touches: () => ({ readPaths: [], writePaths: [], domains: [] }),
    run: (input, context, signal) => runCode(offer, input, context, signal),
    lookup: (_input, context) => lookupCode(context),
  };
}
