/**
 * The agent's stores as data: those of its machines, and those of the parts. `projections/` in the package `mind` lists what is
 * folded from each.
 */
import { invariant } from '@retainer/contract/std/invariant';
import { z } from 'zod';
import { archiveKinds } from '@retainer/mind/archive/event';
import { dreamStore } from '@retainer/mind/archive/dream-event';
import { Place } from '@retainer/mind/assemble/curator/view';
import { cycleKinds } from '@retainer/mind/cycle/event';
import { placesFrom } from '@retainer/mind/older/fields';
import { olderForms } from '@retainer/mind/older/older-forms';
import { defineStore, type PartStore } from '@retainer/mind/part/store';
import { storesOfParts } from '@retainer/mind/parts/derived';
import { runKinds } from '@retainer/mind/run/event';
import { inboxStore } from '@retainer/mind/run/inbox';
import { defineStores, kindOf, type RecordKind, type StoreDefinition } from '@retainer/journal/stores';

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
    /** Where the agent is and where its code runs. Absent in records older than it. */
    place: Place.exactOptional(),
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

/** What runs, cycles and the agent itself write without the table of writers. */
const machineStores: readonly PartStore[] = [
  defineStore({ name: 'agent', durability: 'durable', kinds: agentKinds, writers: {} }),
  inboxStore,
  defineStore({ name: 'run', durability: 'durable', kinds: runKinds, writers: {} }),
  defineStore({ name: 'cycle', durability: 'durable', kinds: cycleKinds, writers: {} }),
  defineStore({ name: 'archive', durability: 'durable', kinds: archiveKinds, writers: {} }),
  dreamStore,
];

/**
 * Kinds that repeat what their run said before, or say it first. A record names only what stands before its own store in the order of
 * the stores, so that a run can be told without its cycles. No message is among them: outsiders compare each with what they heard, and
 * read its line for that.
 */
const saidOnceKinds: ReadonlySet<string> = new Set([
  'CommandAccepted',
  ...['RunAdmitted', 'CycleRequested'],
  ...[
    'CycleStarted',
    'ModelRequested',
    'ModelAnswered',
    'GateProbeRequested',
    'GateScoreRequested',
    'ReadingRequested',
  ],
  ...['ToolFinished', 'CycleEnded'],
]);

export const agentStores = defineStores(joined([...machineStores, ...storesOfParts]));

/** Parts may have kinds in one store: each name is one store. */
function joined(stores: readonly PartStore[]): readonly StoreDefinition[] {
  return [...new Set(stores.map(({ name }) => name))].map((name) => {
    const same = stores.filter((it) => it.name === name);
    const kinds = same.flatMap((it) => Object.entries(it.kinds));
    invariant(
      new Set(kinds.map(([kind]) => kind)).size === kinds.length,
      `two parts have one kind in the store ${name}`,
    );
    const durability = same.some((it) => it.durability === 'durable') ? 'durable' : 'lazy';
    return {
      name,
      durability,
      kinds: Object.fromEntries(kinds.map(([kind, schema]) => [kind, versioned(kind, schema)])),
    };
  });
}

/** A kind that names what was said is a version later than without places, so that an older program refuses it. */
function versioned(kind: string, schema: z.ZodType): RecordKind {
  const older = olderForms[kind] ?? [];
  const isSaidOnceKind = saidOnceKinds.has(kind);
  const steps = isSaidOnceKind && !older.includes(placesFrom) ? [...older, placesFrom] : older;
  const upcasters = Object.fromEntries(steps.map((upcast, at) => [at + 1, upcast]));
  return { schema, version: steps.length + 1, upcasters, ...(isSaidOnceKind ? { saidOnce: true } : {}) };
}

/** Whether records of a kind name what earlier ones of their run said. */
export function isSaidOnce(store: string, kind: string): boolean {
  const definition = agentStores.find(({ name }) => name === store);
  return definition !== undefined && kindOf(definition, kind)?.saidOnce === true;
}
