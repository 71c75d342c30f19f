import { sha256Hex } from '@retainer/contract/std/hash';
import { z } from 'zod';
import type { Fact, FactsPort } from '../../ports/tool.ts';
import type { ToolDescriptor } from '../tool.ts';
import { FactKey, MAX_VALUE_CHARACTERS } from '../fact-key.ts';

const Input = z.strictObject({
  key: FactKey.describe('What it is about: lower case, parts joined by . / - or _, as in customer/acme.currency.'),
  value: z.string().min(1).max(MAX_VALUE_CHARACTERS).describe('The fact itself; it replaces what the key held.'),
});
type Input = z.infer<typeof Input>;

export const memoryWrite: ToolDescriptor<Input> = {
  facts: {
    name: 'memory_write',
    effectClass: 1,
    reachesOutside: false,
    runsCode: false,
    showsPeople: false,
    writes: 'Nothing',
    output: { source: 'Tool', trust: 'Trusted', readers: 'Everyone' },
    target: { kind: 'Place', parts: [{ member: 'key', as: 'Line' }] },
    verb: { verb: 'remembers under', object: 'key', text: 'value', note: 'replacing what it held' },
  },
  offer: () => ({
    description:
      'Keeps a fact for later cycles under a key; a newer value replaces the older one, and the record keeps both. Write only what you have evidence for.',
    input: Input,
    touches: ({ key }) => ({ readPaths: [], writePaths: [], domains: [], factKey: key }),
    replaces: ({ key, value }, { facts }) => Promise.resolve(believedOther(facts, key, value) !== undefined),
    standing({ key, value }, { facts }) {
      const other = believedOther(facts, key, value);
      return Promise.resolve(other === undefined ? undefined : sha256Hex(other.value));
    },
    async run({ key, value }, context) {
      await context.facts.write(key, value, {
        cycleId: context.cycleId,
        callId: context.callId,
        label: context.label,
      });
      return { isError: false, text: written(key) };
    },
    // The record keeps facts without secrets. Arguments that held a secret differ from the record, so the result of the
    // call stays unknown. This says less than it could, and never claims too much.
    lookup({ key, value }, context) {
      const isThere = context.facts.read(key).some((fact) => fact.key === key && fact.value === value);
      return Promise.resolve(isThere ? { isError: false, text: written(key) } : undefined);
    },
  }),
};

/** The trusted fact that another value would replace. */
function believedOther(facts: FactsPort, key: string, value: string): Fact | undefined {
  return facts.read(key).find((fact) => fact.key === key && fact.value !== value && fact.label?.trust === 'Trusted');
}

function written(key: string): string {
  return `kept ${key}`;
}
