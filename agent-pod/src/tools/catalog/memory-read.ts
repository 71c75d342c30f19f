import { z } from 'zod';
import { joinAll, type Label } from '@retainer/mind/gate/provenance/label';
import { MAX_KEY_CHARACTERS } from '@retainer/mind/memory/fact-key';
import type { Fact } from '../../ports/tool.ts';
import type { ToolDescriptor, ToolOutput } from '../tool.ts';

const nothingRead: Label = { source: { kind: 'Memory' }, trust: 'Trusted', readers: 'Everyone' };

/** Facts of one answer. For a longer list the model gives a longer prefix. */
const MAX_FACTS = 100;

const Input = z.strictObject({
  prefix: z.string().max(MAX_KEY_CHARACTERS).optional().describe('Only keys that start with this; all without it.'),
});
type Input = z.infer<typeof Input>;

export const memoryRead: ToolDescriptor<Input> = {
  facts: {
    name: 'memory_read',
    effectClass: 0,
    reachesOutside: false,
    runsCode: false,
    showsPeople: false,
    writes: 'Nothing',
    // Facts keep the label of their writing, and the outcome carries it. This label is for facts without one.
    output: { source: 'Memory', trust: 'Untrusted', readers: 'Principal' },
    target: { kind: 'Place', parts: [{ member: 'prefix', as: 'Line' }] },
  },
  offer: () => ({
    description: `Shows kept facts, one per line as key = value in JSON, by key; at most ${MAX_FACTS} at a time.`,
    input: Input,
    touches: () => ({ readPaths: [], writePaths: [], domains: [] }),
    run: ({ prefix }, context) => Promise.resolve(render(context.facts.read(prefix ?? '', context))),
    lookup: ({ prefix }, context) => Promise.resolve(render(context.facts.read(prefix ?? '', context))),
  }),
};

/** Of a fact of which nobody knows what it rests on, there is nothing to tell. */
function sureness({ derivation, confidence }: Fact): string {
  const rests = { DirectObservation: 'seen', Synthesis: 'concluded', OperatorProvided: 'said by a person' };
  return derivation === 'Unknown' ? '' : ` (${rests[derivation]}; sure ${confidence.toFixed(2)})`;
}

/** The origin of a fact without a label is unknown. */
function render(facts: readonly Fact[]): ToolOutput {
  if (facts.length === 0) return { isError: false, text: 'No fact is kept under that.', label: nothingRead };
  const shown = facts.slice(0, MAX_FACTS);
  const labels = shown.flatMap((fact) => fact.label ?? []);
  const label = labels.length === shown.length ? joinAll(labels) : undefined;
  const lines = shown.map((fact) => `${fact.key} = ${JSON.stringify(fact.value)}${sureness(fact)}`);
  if (facts.length > MAX_FACTS) lines.push(`[${facts.length - MAX_FACTS} more: ask for a longer prefix]`);
  return {
    isError: false,
    text: lines.join('\n'),
    ...(label === undefined ? {} : { label: { ...label, source: { kind: 'Memory' } } }),
  };
}
