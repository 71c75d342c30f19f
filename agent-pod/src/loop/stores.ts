/**
 * The agent's stores as data: their kinds of records and their durability. `projections/` in the package `mind` lists what is
 * folded from each.
 */
import { z } from 'zod';
import { affectKinds } from '@retainer/mind/affect/affect';
import { archiveKinds } from '@retainer/mind/archive/event';
import { cycleKinds } from '@retainer/mind/cycle/event';
import { ChoiceSpent } from '@retainer/mind/gate/budget/choice-ledger';
import { dreamKinds } from '@retainer/mind/archive/dream-event';
import { detectors, interventions } from '@retainer/mind/gate/meta/observation';
import { gateNames } from '@retainer/mind/gate/verdict';
import { defineStores, type RecordKind } from '@retainer/journal/stores';
import { artifactKeptFrom1, artifactKinds } from '@retainer/mind/memory/artifacts';
import { caseKinds } from '@retainer/mind/memory/cases';
import { threadJoinedFrom1, threadKinds } from '@retainer/mind/memory/threads';
import { commandKinds } from '@retainer/mind/run/inbox';
import { factKinds, factWrittenFrom1 } from '@retainer/mind/memory/facts';
import { fileKinds } from '@retainer/mind/memory/files';
import { megramKinds } from '@retainer/mind/memory/megrams';
import { narrativeKinds, runRememberedFrom1 } from '@retainer/mind/memory/narrative';
import { runKinds } from '@retainer/mind/run/event';
import { setAsideKinds } from '@retainer/mind/run/set-aside';
import { messageSentFrom1, purposeFrom1 } from '@retainer/mind/run/older-events';

/** Kinds of the store `agent`. */
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

/** Kinds of the store `fact` whose form has changed. */
const changedFactKinds: Readonly<Record<'FactWritten', RecordKind>> = {
  FactWritten: { schema: factKinds.FactWritten, version: 2, upcasters: { 1: factWrittenFrom1 } },
};

/** Kinds of the store `narrative` whose form has changed. */
const changedNarrativeKinds: Readonly<Record<'RunRemembered', RecordKind>> = {
  RunRemembered: { schema: narrativeKinds.RunRemembered, version: 2, upcasters: { 1: runRememberedFrom1 } },
};

/** Kinds of the store `artifact` whose form has changed. */
const changedArtifactKinds: Readonly<Record<'ArtifactKept', RecordKind>> = {
  ArtifactKept: { schema: artifactKinds.ArtifactKept, version: 2, upcasters: { 1: artifactKeptFrom1 } },
};

/** Kinds of the store `thread` whose form has changed. */
const changedThreadKinds: Readonly<Record<'ThreadJoined', RecordKind>> = {
  ThreadJoined: { schema: threadKinds.ThreadJoined, version: 2, upcasters: { 1: threadJoinedFrom1 } },
};

export const agentStores = defineStores([
  { name: 'agent', durability: 'durable', kinds: firstVersions(agentKinds) },
  { name: 'inbox', durability: 'durable', kinds: firstVersions(commandKinds) },
  { name: 'run', durability: 'durable', kinds: { ...firstVersions(runKinds), ...changedRunKinds } },
  { name: 'cycle', durability: 'durable', kinds: firstVersions(cycleKinds) },
  { name: 'archive', durability: 'durable', kinds: firstVersions(archiveKinds) },
  { name: 'dream', durability: 'durable', kinds: firstVersions(dreamKinds) },
  { name: 'fact', durability: 'durable', kinds: { ...firstVersions(factKinds), ...changedFactKinds } },
  { name: 'file', durability: 'durable', kinds: firstVersions(fileKinds) },
  { name: 'artifact', durability: 'durable', kinds: { ...firstVersions(artifactKinds), ...changedArtifactKinds } },
  { name: 'megram', durability: 'durable', kinds: firstVersions(megramKinds) },
  { name: 'narrative', durability: 'durable', kinds: { ...firstVersions(narrativeKinds), ...changedNarrativeKinds } },
  { name: 'affect', durability: 'lazy', kinds: firstVersions(affectKinds) },
  { name: 'thread', durability: 'durable', kinds: { ...firstVersions(threadKinds), ...changedThreadKinds } },
  { name: 'case', durability: 'durable', kinds: firstVersions(caseKinds) },
]);

function firstVersions<Kinds extends Readonly<Record<string, z.ZodType>>>(
  kinds: Kinds,
): { readonly [K in keyof Kinds]: RecordKind } {
  const entries = Object.entries(kinds).map(([kind, schema]) => [kind, { schema, version: 1 }] as const);
  return Object.fromEntries(entries) as { readonly [K in keyof Kinds]: RecordKind };
}
