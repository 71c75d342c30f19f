/** What the tools have in common by which an agent asks for itself. */
import { ok, type Result } from '@retainer/contract/std/result';
import type { Asking } from '@retainer/mind/self/cycles';
import { ownRecord, type Telling } from '@retainer/mind/self/telling';
import type { z } from 'zod';
import type { SelfPort } from '../ports/self.ts';
import { ownersOnly } from './readable.ts';
import { memoryFacts } from './memory-tool.ts';
import type { ToolContext, ToolDescriptor, ToolOutput } from './tool.ts';
import { reading, touchesNothing } from './plain-tool.ts';

/** Newest runs whose cycles are read: some weeks of work, and as many as a pattern needs. */
export const RUNS_READ = 50;

interface SelfTool<Input> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** The argument that names what is asked for; absent: none does. */
  readonly target?: keyof Input & string;
  /** It tells nothing of other work. Absent: it does, so it answers in work of the owner alone. */
  readonly isOfThisWork?: true;
  /** An error names what is unknown. */
  readonly tell: (input: Input, self: SelfPort, asking: Asking) => Promise<Telling | Result<Telling, string>>;
}

export function selfTool<Input>({
  name,
  description,
  input,
  target,
  isOfThisWork,
  tell,
}: SelfTool<Input>): ToolDescriptor<Input> {
  const run = async (given: Input, context: ToolContext): Promise<ToolOutput> => {
    const { self, runId, cycleId, callId } = context;
    const refusal = isOfThisWork === true ? undefined : ownersOnly(context, name);
    if (refusal !== undefined) return refusal;
    const told = await tell(given, self, { runId, cycleId, callId });
    return outputOf('ok' in told ? told : ok(told));
  };
  return {
    facts: memoryFacts(name, target),
    offer: () => ({
      description,
      input,
      touches: touchesNothing,
      ...reading(run),
    }),
  };
}

function outputOf(told: Result<Telling, string>): ToolOutput {
  return told.ok ? { isError: false, ...told.value } : { isError: true, text: told.error, label: ownRecord };
}
