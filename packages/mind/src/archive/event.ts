/**
 * All events in the record of the archiving of one ended run.
 *
 * I1  `ArchiveOpened` holds all that is decided from: the account, what code alone would write, and whom to ask. It is durable before
 *     the run is closed.
 * I2  Exactly one `ArchiveConcluded`, then what it says is written to memory, then `ArchiveClosed`, and nothing after it.
 * I3  An `ArchiveAsked` precedes its call; its `ArchiveAnswered` follows it.
 *
 * Source: springdrift 4 (pipeline of the Archivist). Differs: runs are archived one after the other, by a machine that a crash
 * does not lose.
 */
import { z } from 'zod';
import { deciders, DecidersChanged } from '../cycle/deciders.ts';
import { AskedModel } from '../cycle/event.ts';
import { askedFields, json, modelRequest } from '../cycle/request-record.ts';
import { caseKinds } from '../parts/cases/cases.ts';
import { RunReflected } from '../parts/narrative/narrative.ts';
import { RunLabels } from '../parts/threads/thread-rules.ts';
import { Account } from './account.ts';

/** Whom the Archivist asks. */
export const ArchivistModel = AskedModel.extend({
  /** Of one answer; absent: as many as the question needs. */
  outputTokens: z.number().exactOptional(),
  fallback: AskedModel.exactOptional(),
  /** How often an answer that breaks its schema is requested again. */
  structuredRetries: z.number(),
});
export type ArchivistModel = z.infer<typeof ArchivistModel>;

const Written = caseKinds.CaseWritten;

/** What memory is told of a run beside its entry. */
export const Remembrance = z.object({
  reflected: RunReflected,
  /** By which its thread is found. */
  labels: RunLabels,
  /** Absent: the run makes none. */
  case: Written.exactOptional(),
  /** Who writes the case: the Appraiser where a report on an abandoned run makes it. */
  caseBy: z.enum(['Archivist', 'Appraiser']),
});
export type Remembrance = z.infer<typeof Remembrance>;

const at = { atMs: z.number() };

export const archiveInputs = {
  ArchiveOpened: z.object({
    ...at,
    account: Account,
    /** What is written where no model helps. */
    fallback: Remembrance,
    /** The end of the run, milliseconds since 1970: the moment at which it joins its thread. */
    endedAtMs: z.number(),
    /** Random, as in `RunAdmitted`. */
    nonce: z.string(),
    /** Absent: no model is asked. */
    model: ArchivistModel.exactOptional(),
    /** Milliseconds for each of its answers; absent: as the program that asks has it. */
    waitMs: z.number().exactOptional(),
    deciders,
  }),
  DecidersChanged,
  /** Its turn has come: the run is closed, and no other archiving is under way. */
  ArchiveBegun: z.object({
    ...at,
    /** Why no model is asked this time; absent: one may be. */
    unasked: z.string().exactOptional(),
  }),
  ArchiveAnswered: z.object({
    ...at,
    callId: z.string(),
    /** Absent: there is none, and `reason` says why. */
    text: z.string().exactOptional(),
    reason: z.string().exactOptional(),
    /** The process died with the call under way: nobody knows the answer. */
    isLost: z.literal(true).exactOptional(),
    /** The structure in the text, or what is wrong with it; both absent for plain text. */
    value: json.exactOptional(),
    faults: z.string().exactOptional(),
    ...askedFields,
  }),
  /** Nothing more is asked: an earlier program began it otherwise. */
  ArchiveCutShort: z.object({ ...at, reason: z.string() }),
  /** Everything that `ArchiveConcluded` says is in memory. */
  ArchiveWritten: z.object({ ...at }),
} as const;

export const archiveDecisions = {
  ArchiveAsked: z.object({ callId: z.string(), step: z.enum(['Reflect', 'Curate']), request: modelRequest }),
  ArchiveConcluded: Remembrance,
  ArchiveClosed: z.object({ status: RunReflected.shape.status }),
} as const;

export const archiveKinds = { ...archiveInputs, ...archiveDecisions } as const;

type Kinds = typeof archiveKinds;
type EventOf<K extends keyof Kinds> = { readonly kind: K } & Readonly<z.infer<Kinds[K]>>;

export type ArchiveEvent = { [K in keyof Kinds]: EventOf<K> }[keyof Kinds];
export type ArchiveInput = { [K in keyof typeof archiveInputs]: EventOf<K> }[keyof typeof archiveInputs];
export type ArchiveEventOf<K extends keyof Kinds> = EventOf<K>;

export function isArchiveInput(event: ArchiveEvent): event is ArchiveInput {
  return event.kind in archiveInputs;
}
