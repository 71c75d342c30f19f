/**
 * The agent's stores as data: those of its machines, and those of the parts. `projections/` in the package `mind` lists what is
 * folded from each.
 */
import { invariant } from '@retainer/contract/std/invariant';
import { z } from 'zod';
import { archiveKinds } from '@retainer/mind/archive/event';
import { dreamStore } from '@retainer/mind/archive/dream-event';
import { cycleKinds } from '@retainer/mind/cycle/event';
import { ChoiceSpent } from '@retainer/mind/parts/choices/choice-ledger';
import { dreamKinds } from '@retainer/mind/archive/dream-event';
import { detectors, interventions } from '@retainer/mind/gate/meta/observation';
import { gateNames } from '@retainer/mind/gate/verdict';
import { defineStores, type RecordKind } from '@retainer/journal/stores';
import { artifactKinds } from '@retainer/mind/parts/artifacts/artifacts';
import { caseKinds } from '@retainer/mind/parts/cases/cases';
import { threadKinds } from '@retainer/mind/parts/threads/threads';
import { commandKinds } from '@retainer/mind/run/inbox';
import { factKinds } from '@retainer/mind/parts/facts/facts';
import { fileKinds } from '@retainer/mind/parts/files/files';
import { megramKinds } from '@retainer/mind/parts/megrams/megrams';
import { narrativeKinds } from '@retainer/mind/parts/narrative/narrative';
import { olderForms } from '@retainer/mind/older/older-forms';
import { runKinds } from '@retainer/mind/run/event';
import { setAsideKinds } from '@retainer/mind/parts/aside/set-aside';

/** Kinds of the store `agent` that belong to no part. */
export const agentKinds = {
  /** The name of this individual, for life: written once, at the first start of a program that gives names. */
  IndividualNamed: z.object({ individual: z.uuid() }),
  /** The configuration at the start of the agent. Replay makes the gate and the catalog from it. */
  Configured: z.object({
    /** SHA-256 of the CharacterSpec's spec as canonical JSON. */
    characterDigest: z.string(),
    character: z.json(),
    agent: z.json(),
    skills: z.array(z.json()),
    sandboxLanguages: z.array(z.string()),
    /** `GATE_RULES_VERSION` of the program. */
    gateRules: z.number(),
    /** `DECIDERS` of the program. */
    deciders: z.number(),
    /** The model port: `anthropic`, `scripted`. */
    model: z.string(),
  }),
  /** A reply without a receiver: its Task is gone, or somebody else ended it. */
  DeliveryDropped: z.object({ deliveryId: z.string(), target: z.string(), why: z.enum(['TaskGone', 'TaskFinished']) }),
} as const;

export const agentStores = defineStores([
  { name: 'agent', durability: 'durable', kinds: versioned(agentKinds) },
  { name: 'inbox', durability: 'durable', kinds: versioned(commandKinds) },
  { name: 'run', durability: 'durable', kinds: versioned(runKinds) },
  { name: 'cycle', durability: 'durable', kinds: versioned(cycleKinds) },
  { name: 'archive', durability: 'durable', kinds: versioned(archiveKinds) },
  { name: 'dream', durability: 'durable', kinds: versioned(dreamKinds) },
  { name: 'fact', durability: 'durable', kinds: versioned(factKinds) },
  { name: 'file', durability: 'durable', kinds: versioned(fileKinds) },
  { name: 'artifact', durability: 'durable', kinds: versioned(artifactKinds) },
  { name: 'megram', durability: 'durable', kinds: versioned(megramKinds) },
  { name: 'narrative', durability: 'durable', kinds: versioned(narrativeKinds) },
  { name: 'affect', durability: 'lazy', kinds: versioned(affectKinds) },
  { name: 'thread', durability: 'durable', kinds: versioned(threadKinds) },
  { name: 'case', durability: 'durable', kinds: versioned(caseKinds) },
]);

function versioned<Kinds extends Readonly<Record<string, z.ZodType>>>(
  kinds: Kinds,
): { readonly [K in keyof Kinds]: RecordKind } {
  const entries = Object.entries(kinds).map(([kind, schema]) => {
    const older = olderForms[kind] ?? [];
    const upcasters = Object.fromEntries(older.map((upcast, at) => [at + 1, upcast]));
    return [kind, { schema, version: older.length + 1, upcasters }] as const;
  });
  return Object.fromEntries(entries) as { readonly [K in keyof Kinds]: RecordKind };
}
