import { sha256Hex } from '@retainer/contract/std/hash';
import { z } from 'zod';
import type { Fact, FactsPort } from '../../ports/tool.ts';
import type { ToolDescriptor } from '../../tools/tool.ts';
import { FACT_SCOPES, guarded } from '@retainer/mind/parts/facts/fact-rules';
import { EVIDENCE_MAX } from '@retainer/mind/parts/facts/facts';
import { FactKey, MAX_VALUE_CHARACTERS } from '@retainer/mind/parts/facts/fact-key';
import { ownFacts } from '../../tools/plain-tool.ts';

/** Characters of one piece of evidence: a path or an address. */
const MAX_EVIDENCE_CHARACTERS = 512;

const Input = z.strictObject({
  key: FactKey.describe('What it is about: lower case, parts joined by . / - or _, as in customer/acme.currency.'),
  value: z.string().min(1).max(MAX_VALUE_CHARACTERS).describe('The fact itself; it replaces what the key held.'),
  derivation: z
    .enum(['DirectObservation', 'Synthesis'])
    .optional()
    .describe('Whether you saw exactly this, or concluded it; absent: unknown.'),
  evidence: z
    .array(z.string().min(1).max(MAX_EVIDENCE_CHARACTERS))
    .max(EVIDENCE_MAX)
    .optional()
    .describe('Paths or addresses, as you read them, that show it. Without one it counts as unknown.'),
  confidence: z.number().min(0).max(1).optional().describe('How sure you are, 0 to 1.'),
  scope: z
    .enum(FACT_SCOPES)
    .optional()
    .describe('Persistent: for all later work, if absent. Run: for this task only. Cycle: for this subtask only.'),
});
type Input = z.infer<typeof Input>;

export const memoryWrite: ToolDescriptor<Input> = {
  facts: {
    ...ownFacts,
    name: 'memory_write',
    effectClass: 1,
    target: { kind: 'Place', parts: [{ member: 'key', as: 'Line' }] },
    verb: { verb: 'remembers under', object: 'key', text: 'value', note: 'replacing what it held' },
  },
  offer: () => ({
    description:
      'Keeps a fact for later cycles under a key; a newer value replaces the older one, and the record keeps both. Write only what you have evidence for.',
    input: Input,
    touches: ({ key }) => ({ readPaths: [], writePaths: [], domains: [], factKey: key }),
    replaces: (input, { facts }) => Promise.resolve(believedOther(facts, input) !== undefined),
    standing(input, { facts }) {
      const other = believedOther(facts, input);
      return Promise.resolve(other === undefined ? undefined : sha256Hex(other.value));
    },
    async run(input, context) {
      const { key, value, scope = 'Persistent', derivation = 'Unknown', evidence = [], confidence } = input;
      const sure = confidence === undefined ? {} : { confidence };
      const claim = guarded({ derivation, evidence, ...sure }, context.isBrought);
      const { runId, cycleId, callId, label } = context;
      const held = await context.facts.write({ key, value, scope, ...claim, runId, cycleId, callId, label });
      if (held !== undefined) return { isError: true, text: notHeld(key, held) };
      return { isError: false, text: written(key) };
    },
    // The record keeps facts without secrets. Arguments that held a secret differ from the record, so the result of the
    // call stays unknown. This says less than it could, and never claims too much.
    lookup({ key, value }, context) {
      const isThere = context.facts.read(key, context).some((fact) => fact.key === key && fact.value === value);
      return Promise.resolve(isThere ? { isError: false, text: written(key) } : undefined);
    },
  }),
};

/** The trusted fact that another value would replace. */
function believedOther(facts: FactsPort, { key, value, scope = 'Persistent' }: Input): Fact | undefined {
  if (scope !== 'Persistent') return undefined;
  return facts.read(key).find((fact) => fact.key === key && fact.value !== value && fact.label.trust === 'Trusted');
}

/** The record has both; which one holds is not the writer's to say. */
function notHeld(key: string, { value, derivation }: Fact): string {
  const why = derivation === 'OperatorProvided' ? 'a person said it' : 'it is surer than yours';
  return `${key} still holds ${JSON.stringify(value)}: ${why}. Cite what shows yours, or ask a person.`;
}

function written(key: string): string {
  return `kept ${key}`;
}
