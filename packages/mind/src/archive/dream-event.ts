/**
 * What a dream leaves in its own store: what it asked, and what each pass changed and why. The changes themselves stand in the stores
 * of memory.
 *
 * I1  A dream that changes nothing and asks nothing leaves nothing, unless a person wanted it.
 * I2  All passes of a dream have its moment for their clock. So a dream that a crash cut short comes to the same when it is begun again.
 * I3  A `DreamAsked` precedes its call; its `DreamAnswered` follows it. A dream asks at most four times, with its lost calls.
 *
 * Source: artoo A.11 (Dreamer), C (budgeted, idempotent passes).
 */
import { z } from 'zod';
import { askedFields, modelRequest } from '../cycle/request-record.ts';
import { originField } from '../part/applied-changes.ts';
import { defineStore } from '../part/store.ts';
import { PASS_NAMES } from '../memory/tend/passes.ts';

/** Why it begins: a run is archived, the interval of the Agent has passed, a person wants it. */
export const DREAM_CAUSES = ['Run', 'Interval', 'Person'] as const;
export type DreamCause = (typeof DREAM_CAUSES)[number];

const dreamId = z.string();
/** What the words are for: see `Wording`. */
const subject = z.string();

export const dreamKinds = {
  DreamWanted: z.object({ by: z.string(), reason: z.string(), ...originField }),
  DreamBegun: z.object({
    dreamId,
    /** Milliseconds since 1970. */
    atMs: z.number(),
    cause: z.enum(DREAM_CAUSES),
  }),
  DreamAsked: z.object({ dreamId, callId: z.string(), subject, request: modelRequest }),
  DreamAnswered: z.object({
    dreamId,
    callId: z.string(),
    subject,
    /** As they came; absent: there are none, and `reason` says why. */
    text: z.string().exactOptional(),
    /** What memory is told; absent: the answer is no use, and `reason` says why. */
    words: z.string().exactOptional(),
    reason: z.string().exactOptional(),
    /** The process died with the call under way: nobody knows the answer. */
    isLost: z.literal(true).exactOptional(),
    ...askedFields,
  }),
  /** After its changes. A pass that changed nothing has none. */
  PassEnded: z.object({
    dreamId,
    pass: z.enum(PASS_NAMES),
    /** Things by the kind of the record that changed them. */
    changed: z.record(z.string(), z.number()),
    /** Changes by their reason. */
    reasons: z.record(z.string(), z.number()),
  }),
  DreamEnded: z.object({ dreamId }),
} as const;

type Kinds = typeof dreamKinds;
export type DreamEventOf<K extends keyof Kinds> = { readonly kind: K } & Readonly<z.infer<Kinds[K]>>;
export type DreamEvent = { [K in keyof Kinds]: DreamEventOf<K> }[keyof Kinds];

export const dreamStore = defineStore({
  name: 'dream',
  durability: 'durable',
  kinds: dreamKinds,
  writers: {
    Dreamer: ['DreamBegun', 'DreamAsked', 'DreamAnswered', 'PassEnded', 'DreamEnded'],
    Person: ['DreamWanted'],
  },
});
