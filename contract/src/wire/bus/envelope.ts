/**
 * One message of the bus: an envelope around a payload. The journal records it before it is sent. The bus only signals, so a
 * receiver compares `contentHash` with the record.
 *
 * Source: artoo A.2; reliability-security 1 (bus).
 */
import { z } from 'zod';
import { canonicalJson } from '../../std/canonical-json.ts';
import { sha256Hex } from '../../std/hash.ts';
import { busPayloads } from './payloads.ts';
import { BUS_ROLES, type BusMessageType } from './roles.ts';

/** Raised when a reader of the last version could misunderstand a message. */
export const BUS_SCHEMA_VERSION = 1;

const envelope = z.object({
  schemaVersion: z.literal(BUS_SCHEMA_VERSION),
  /** `RUN-mSEQ`; the idempotency key. */
  id: z.string(),
  /** `namespace/name`. */
  agent: z.string(),
  runId: z.string(),
  /** 0 before the first plan, then from 1. A message of an earlier round is stale. */
  round: z.number(),
  /** From 1 in each run, without gaps: a missing number is a lost message. */
  seq: z.number(),
  /** Id of the message that this one answers; absent for the first. */
  causationId: z.string().exactOptional(),
  /** Id of the subtask; absent for messages of the whole run. */
  correlationId: z.string().exactOptional(),
  /** The cycle of the model's answer; absent for messages made by code. */
  cycleId: z.string().exactOptional(),
  atMs: z.number(),
  from: z.enum(BUS_ROLES),
  to: z.enum(BUS_ROLES),
  /** SHA-256 of the payload's canonical JSON, 64 hexadecimal digits. */
  contentHash: z.string(),
});

function messageOf<T extends BusMessageType>(type: T) {
  return envelope.extend({ type: z.literal(type), payload: busPayloads[type] });
}

const types = Object.keys(busPayloads) as [BusMessageType, ...BusMessageType[]];

export const BusMessage = z.discriminatedUnion(
  'type',
  types.map(messageOf) as never,
) as unknown as z.ZodType<BusMessage>;

export type BusEnvelope = z.infer<typeof envelope>;
export type BusPayload<T extends BusMessageType> = z.infer<(typeof busPayloads)[T]>;
export type BusMessageOf<T extends BusMessageType> = BusEnvelope & {
  readonly type: T;
  readonly payload: BusPayload<T>;
};
export type BusMessage = { [T in BusMessageType]: BusMessageOf<T> }[BusMessageType];

/** 64 hexadecimal digits. */
export function contentHash(payload: unknown): string {
  return sha256Hex(canonicalJson(payload));
}
