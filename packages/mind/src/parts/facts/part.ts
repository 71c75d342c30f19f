/** The agent's claims as keys and values: what it may write, what people say, and which of two values holds. */
import { z } from 'zod';
import { OWNER } from '../../gate/provenance/label.ts';
import { appliedChanges } from '../../part/applied-changes.ts';
import { entriesGauge, leftGauge } from '../../part/memory-gauges.ts';
import { defineCommand, definePart, Reason, fieldOf, textIn } from '../../part/part.ts';
import { recordIn } from '../../part/record-in.ts';
import { defineStore } from '../../part/store.ts';
import { FactKey, MAX_KEY_CHARACTERS, MAX_VALUE_CHARACTERS } from './fact-key.ts';
import { factKinds, facts, type Facts } from './facts.ts';

const store = defineStore({
  name: 'fact',
  durability: 'durable',
  kinds: factKinds,
  writers: { Tools: ['FactWritten'], Person: ['FactWritten', 'FactCleared'], Dreamer: ['FactSuperseded'] },
});

interface Known {
  readonly facts: Facts;
  readonly factChanges: ReadonlySet<string>;
}

const remember = defineCommand({
  schema: z.object({ key: FactKey, value: z.string().min(1).max(MAX_VALUE_CHARACTERS), reason: Reason }),
  isOverPodsExec: true,
  decide: ({ factChanges }: Known, { key, value, reason, by }, { originId }) => {
    if (factChanges.has(originId)) return [];
    // A person directs the agent by a fact as by a Task.
    const label = { source: { kind: 'Person', name: by }, trust: 'Trusted', readers: [OWNER] } as const;
    const claim = { scope: 'Persistent', derivation: 'OperatorProvided', confidence: 1, evidence: [] } as const;
    const payload = { key, value, ...claim, evidence: [], label, reason, originId };
    return [recordIn(store, 'FactWritten', payload, { by })];
  },
});

const forget = defineCommand({
  schema: z.object({ key: z.string().min(1).max(MAX_KEY_CHARACTERS), reason: Reason }),
  isOverPodsExec: true,
  decide: ({ factChanges }: Known, { key, reason, by }, { originId }) =>
    factChanges.has(originId) ? [] : [recordIn(store, 'FactCleared', { key, by, reason, originId }, { by })],
});

export const factsPart = definePart({
  name: 'facts',
  stores: [store],
  projections: { facts, factChanges: appliedChanges('fact', factKinds) },
  commands: { Remember: remember, ForgetFact: forget },
  gauges: [
    entriesGauge('facts', ({ facts: { held } }: Known) => held.size),
    leftGauge('facts', ({ facts: { left } }: Known) => left),
  ],
  isAbout: ({ payload }, id) => `fact:${textIn(fieldOf(payload, 'key'))}` === id,
});
