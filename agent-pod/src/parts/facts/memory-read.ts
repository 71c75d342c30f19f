import { z } from 'zod';
import { MAX_KEY_CHARACTERS } from '@retainer/mind/parts/facts/fact-key';
import type { Fact } from '../../ports/tool.ts';
import { mayShow } from '../../tools/readable.ts';
import { memoryFacts, toldFromMemory } from '../../tools/memory-tool.ts';
import type { ToolDescriptor, ToolOutput } from '../../tools/tool.ts';
import { reading, touchesNothing } from '../../tools/plain-tool.ts';

/** Facts of one answer. For a longer list the model gives a longer prefix. */
const MAX_FACTS = 100;

const Input = z.strictObject({
  prefix: z.string().max(MAX_KEY_CHARACTERS).optional().describe('Only keys that start with this; all without it.'),
});
type Input = z.infer<typeof Input>;

export const memoryRead: ToolDescriptor<Input> = {
  facts: memoryFacts('memory_read', 'prefix'),
  offer: () => ({
    description: `Shows kept facts, one per line as key = value in JSON, by key; at most ${MAX_FACTS} at a time.`,
    input: Input,
    touches: touchesNothing,
    ...reading(({ prefix }: Input, context) =>
      Promise.resolve(render(context.facts.read(prefix ?? '', context).filter(({ label }) => mayShow(context, label)))),
    ),
  }),
};

/** How sure a fact is, and why. Empty if nobody knows what the fact rests on. */
function sureness({ derivation, confidence }: Fact): string {
  const rests = { DirectObservation: 'seen', Synthesis: 'concluded', OperatorProvided: 'said by a person' };
  return derivation === 'Unknown' ? '' : ` (${rests[derivation]}; sure ${confidence.toFixed(2)})`;
}

/** The origin of a fact without a label is unknown. */
function render(facts: readonly Fact[]): ToolOutput {
  if (facts.length === 0) return toldFromMemory('No fact is kept under that.', []);
  const shown = facts.slice(0, MAX_FACTS);
  const lines = shown.map((fact) => `${fact.key} = ${JSON.stringify(fact.value)}${sureness(fact)}`);
  if (facts.length > MAX_FACTS) lines.push(`[${facts.length - MAX_FACTS} more: ask for a longer prefix]`);
  return toldFromMemory(lines.join('\n'), shown);
}
