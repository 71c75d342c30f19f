import { z } from 'zod';
import {
  codeFacts,
  codePlace,
  codeTimeoutMs,
  describePlace,
  inputsArgument,
  lookupCode,
  MAX_SCRIPT_CHARACTERS,
  offeredLanguages,
  runCode,
  touchesInputs,
  type CodePlace,
} from '../../tools/code-run.ts';
import type { SandboxLanguage } from '../../ports/sandbox-run.ts';
import type { OfferedTool, ToolDescriptor } from '../../tools/tool.ts';

interface Input {
  readonly language: SandboxLanguage;
  readonly script: string;
  readonly inputs?: readonly string[] | undefined;
}

/** Programs in the sandbox, in the languages that it has. Source: springdrift 11; artoo C. */
export const runCodeTool: ToolDescriptor<Input> = {
  facts: {
    ...codeFacts,
    name: 'run_code',
    showsPeople: false,
    actsLater: false,
    verb: { verb: 'runs code in the sandbox:', object: 'language', text: 'script' },
  },
  offer(settings) {
    const place = codePlace(settings);
    return place === undefined ? undefined : runCodeIn(place);
  },
};

function runCodeIn(place: CodePlace): OfferedTool<Input> {
  const languages = offeredLanguages(place);
  return {
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
      inputs: inputsArgument,
    }),
    timeoutMs: codeTimeoutMs(place),
    touches: touchesInputs,
    run: (input, context, signal) => runCode(place, input, context, signal),
    lookup: (_input, context, signal) => lookupCode(place, context, signal),
  };
}
