/**
 * The agent's stores as data: their kinds of records and their durability. `projections/` in the package `mind` lists what is
 * folded from each.
 */
import { z } from 'zod';
import { cycleKinds } from '@retainer/mind/cycle/event';
import { ChoiceSpent } from '@retainer/mind/gate/budget/choice-ledger';
import { detectors, interventions } from '@retainer/mind/gate/meta/observation';
import { gateNames } from '@retainer/mind/gate/verdict';
import { defineStores, type RecordKind } from '@retainer/journal/stores';
import { artifactKinds } from '@retainer/mind/memory/artifacts';
import { commandKinds } from '@retainer/mind/run/inbox';
import { factKinds } from '@retainer/mind/memory/facts';
import { fileKinds } from '@retainer/mind/memory/files';
import { megramKinds } from '@retainer/mind/memory/megrams';
import { narrativeKinds } from '@retainer/mind/memory/narrative';
import { runKinds } from '@retainer/mind/run/event';
import { setAsideKinds } from '@retainer/mind/run/set-aside';
import { messageSentFrom1, purposeFrom1 } from '@retainer/mind/run/older-events';

/** The configuration at the start of the agent. Replay makes the gate and the catalog from it. */
export const agentKinds = {
  Configured: z.object({
    /** SHA-256 of the CharacterSpec's spec as canonical JSON. */
    characterDigest: z.string(),
    character: z.json(),
    agent: z.json(),
    skills: z.array(z.json()),
    sandboxLanguages: z.array(z.string()),
    /** `GATE_RULES_VERSION` of the program. Absent in records older than the versions. */
    gateRules: z.number().exactOptional(),
    /** `DECIDERS` of the program. Absent in records older than the numbers: 1. */
    deciders: z.number().exactOptional(),
    /** The model port: `anthropic`, `scripted`. */
    model: z.string(),
  }),
  /** A finding of the gates' observer after a cycle, and the consequences for later cycles. Source: springdrift 2. */
  GatesIntervened: z.object({
    cycleId: z.string(),
    intervention: z.enum(interventions),
    detectors: z.array(z.enum(detectors)),
  }),
  /** A person called a refusal of a gate wrong. It loosens nothing. Source: springdrift 2. */
  FalsePositiveReported: z.object({
    cycleId: z.string(),
    gate: z.enum(gateNames),
    rule: z.string(),
    subjectDigest: z.string().exactOptional(),
    by: z.string(),
    reason: z.string(),
  }),
  ...setAsideKinds,
  /** A call told its server something by the choice of its address; in the record before the call runs. */
  ChoiceSpent,
  /** A reply without a receiver: its Task is gone, or somebody else ended it. */
  DeliveryDropped: z.object({ deliveryId: z.string(), target: z.string(), why: z.enum(['TaskGone', 'TaskFinished']) }),
} as const;

/** Kinds of the store `run` whose form has changed. */
const changedRunKinds: Readonly<Record<'MessageSent' | 'CycleRequested' | 'RetryScheduled', RecordKind>> = {
  MessageSent: { schema: runKinds.MessageSent, version: 2, upcasters: { 1: messageSentFrom1 } },
  CycleRequested: { schema: runKinds.CycleRequested, version: 2, upcasters: { 1: purposeFrom1 } },
  RetryScheduled: { schema: runKinds.RetryScheduled, version: 2, upcasters: { 1: purposeFrom1 } },
};

export const agentStores = defineStores([
  { name: 'agent', durability: 'durable', kinds: firstVersions(agentKinds) },
  { name: 'inbox', durability: 'durable', kinds: firstVersions(commandKinds) },
  { name: 'run', durability: 'durable', kinds: { ...firstVersions(runKinds), ...changedRunKinds } },
  { name: 'cycle', durability: 'durable', kinds: firstVersions(cycleKinds) },
  { name: 'fact', durability: 'durable', kinds: firstVersions(factKinds) },
  { name: 'file', durability: 'durable', kinds: firstVersions(fileKinds) },
  { name: 'artifact', durability: 'durable', kinds: firstVersions(artifactKinds) },
  { name: 'megram', durability: 'durable', kinds: firstVersions(megramKinds) },
  { name: 'narrative', durability: 'durable', kinds: firstVersions(narrativeKinds) },
]);

function firstVersions<Kinds extends Readonly<Record<string, z.ZodType>>>(
  kinds: Kinds,
): { readonly [K in keyof Kinds]: RecordKind } {
  const entries = Object.entries(kinds).map(([kind, schema]) => [kind, { schema, version: 1 }] as const);
  return Object.fromEntries(entries) as { readonly [K in keyof Kinds]: RecordKind };
}
