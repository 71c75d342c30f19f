import { z } from 'zod';
import type { OfferedTool, ToolContext, ToolDescriptor, ToolOutput } from '../../tools/tool.ts';
import { codePlace } from '../../tools/code-run.ts';
import { CANNOT_SERVE } from './serve-code.ts';
import { ownFacts, touchesNothing } from '../../tools/plain-tool.ts';

const Input = z.strictObject({
  id: z.string().min(1).max(64).describe('The id that serve_code returned.'),
});
type Input = z.infer<typeof Input>;

/** Ends code that keeps ports open. Source: springdrift 11. */
export const stopServing: ToolDescriptor<Input> = {
  facts: {
    ...ownFacts,
    name: 'stop_serving',
    // Local and reversible: it ends what the agent itself began, and the agent can serve the same code again.
    effectClass: 1,
    target: { kind: 'Place', parts: [{ member: 'id', as: 'Line' }] },
    verb: { verb: 'ends the serving of', object: 'id' },
  },
  offer: (settings) => (codePlace(settings) === undefined || settings.code?.serve !== true ? undefined : stopping),
};

const stopping: OfferedTool<Input> = {
  description: 'Ends a program that serve_code started, before its time. Its addresses answer no more.',
  input: Input,
  touches: touchesNothing,
  run: async ({ id }, { sandbox }) => {
    if (sandbox.serving === undefined) return { isError: true, text: CANNOT_SERVE };
    return (await sandbox.serving.stop(id)) ? stopped(id) : servesNot(id, { sandbox });
  },
  // Idempotent: when the code serves no more, the call has done its work, whoever ended the code.
  lookup: async ({ id }, { sandbox }) => {
    const isServing = sandbox.serving?.list().some((one) => one.id === id);
    return Promise.resolve(isServing === false ? stopped(id) : undefined);
  },
};

function stopped(id: string): ToolOutput {
  return { isError: false, text: `${id} serves no more.` };
}

function servesNot(id: string, { sandbox }: Pick<ToolContext, 'sandbox'>): ToolOutput {
  const ids = (sandbox.serving?.list() ?? []).map((one) => one.id);
  const known = ids.length === 0 ? 'Nothing serves now.' : `What serves now: ${ids.join(', ')}.`;
  return { isError: true, text: `Nothing of the id ${JSON.stringify(id)} serves. ${known}` };
}
