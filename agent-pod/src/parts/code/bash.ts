import { z } from 'zod';
import {
  codeFacts,
  codePlace,
  codeTimeoutMs,
  describePlace,
  inputsArgument,
  lookupCode,
  MAX_SCRIPT_CHARACTERS,
  runCode,
  touchesInputs,
  type CodePlace,
} from '../../tools/code-run.ts';
import type { OfferedTool, ToolDescriptor } from '../../tools/tool.ts';

const Input = z.strictObject({
  script: z.string().min(1).max(MAX_SCRIPT_CHARACTERS).describe('A bash script; its working directory is /workspace.'),
  inputs: inputsArgument,
});
type Input = z.infer<typeof Input>;

/** Shell scripts in the sandbox. Source: artoo C (no gate per command: the sandbox is the limit). */
export const bash: ToolDescriptor<Input> = {
  facts: {
    ...codeFacts,
    name: 'bash',
    showsPeople: false,
    actsLater: false,
    verb: { verb: 'runs a script in the sandbox', text: 'script' },
  },
  offer(settings) {
    const place = codePlace(settings);
    return place?.allowed.includes('bash') === true ? bashIn(place) : undefined;
  },
};

function bashIn(place: CodePlace): OfferedTool<Input> {
  return {
    description:
      `Runs a bash script in a sandbox: ${describePlace(place)}. Returns the exit code, ` +
      'then standard output, then standard error. Each call is a new process; nothing but files in /workspace stays.',
    input: Input,
    timeoutMs: codeTimeoutMs(place),
    touches: touchesInputs,
    run: (input, context, signal) => runCode(place, { language: 'bash', ...input }, context, signal),
    lookup: (_input, context, signal) => lookupCode(place, context, signal),
  };
}
