/** Checks a caller's record before it enters the log. Pure. */
import { sha256Hex } from '@retainer/contract/std/hash';
import { mapTexts, type Json } from '@retainer/contract/std/canonical-json';
import { TIME_MS_MAX } from './codec.ts';
import { InvalidRecordError } from './journal-errors.ts';
import type { NewRecord } from './journal.ts';
import { IDENTIFIER_CHARACTERS_MAX } from './limits.ts';
import type { PreparedRecord } from './store-writer.ts';
import { kindOf, type StoreDefinition } from './stores.ts';

/** Replaces secrets in one text, the same in the same text. `member` is the name of the payload's member that holds it. */
export type Redact = (text: string, member?: string) => string;

export interface PrepareContext {
  readonly definition: StoreDefinition;
  readonly nowMs: number;
  readonly redact: Redact | undefined;
  /** Frozen objects in which `redact` found nothing. */
  readonly clean: WeakSet<object>;
  readonly inlinePayloadBytes: number;
}

export interface Checked extends Omit<PreparedRecord, 'order'> {
  /** Content to store as a durable blob before the record. */
  readonly blobBytes: Buffer | undefined;
}

/** @throws InvalidRecordError  naming store, kind and what is wrong; never the payload itself */
export function checkRecord(record: NewRecord, context: PrepareContext): Checked {
  const { definition, nowMs } = context;
  const label = `store ${record.store}, kind ${record.kind}`;
  const kind = kindOf(definition, record.kind);
  if (kind === undefined) throw new InvalidRecordError(`${label}: the store has no such kind`);
  const parsed = kind.schema.safeParse(record.payload);
  if (!parsed.success) {
    const places = parsed.error.issues.map(({ path, code }) => `${path.join('.') || 'payload'}: ${code}`);
    throw new InvalidRecordError(`${label}: the payload does not match its schema: ${places.join(', ')}`);
  }
  const timeMs = record.timeMs ?? nowMs;
  checkEnvelope(label, record, timeMs);
  const { text, payload } = redacted(label, record.payload, context);
  // At most three bytes per UTF-16 unit, so short texts need no counting.
  const isInline =
    text.length * 3 <= context.inlinePayloadBytes || Buffer.byteLength(text) <= context.inlinePayloadBytes;
  const blobBytes = isInline ? undefined : Buffer.from(text);
  return {
    kind: record.kind,
    version: kind.version,
    principal: record.principal,
    cycleId: record.cycleId,
    runId: record.runId,
    timeMs,
    payload,
    content:
      blobBytes === undefined
        ? { payloadText: text }
        : { blob: { sha256: sha256Hex(blobBytes), sizeBytes: blobBytes.length } },
    blobBytes,
  };
}

function checkEnvelope(label: string, { principal, cycleId, runId }: NewRecord, timeMs: number): void {
  if (!Number.isInteger(timeMs) || timeMs < 0 || timeMs > TIME_MS_MAX)
    throw new InvalidRecordError(`${label}: timeMs ${timeMs}: want whole milliseconds from 1970 to the year 9999`);
  checkIdentifier(label, 'principal', principal);
  checkIdentifier(label, 'cycleId', cycleId);
  checkIdentifier(label, 'runId', runId);
}

function checkIdentifier(label: string, name: string, value: string | undefined): void {
  if (value === undefined || (value.length > 0 && value.length <= IDENTIFIER_CHARACTERS_MAX)) return;
  throw new InvalidRecordError(
    `${label}: ${name} has ${value.length} characters: want 1 to ${IDENTIFIER_CHARACTERS_MAX}`,
  );
}

/** Redacts each text separately: a pattern that matched across the quotes of the serialised payload would break the JSON. */
function redacted(
  label: string,
  payload: Json,
  { redact, clean }: Pick<PrepareContext, 'redact' | 'clean'>,
): { text: string; payload: Json } {
  const changed = redact === undefined ? payload : mapTexts(payload, redact, undefined, clean);
  const text = JSON.stringify(changed) as string | undefined;
  if (text === undefined) throw new InvalidRecordError(`${label}: the payload is not JSON`);
  return { text, payload: changed };
}

/** Replaces secrets in content that is text; anything else is stored as it is. */
export function redactText(bytes: Uint8Array, redact: Redact): Uint8Array {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes;
  }
  const replaced = redact(text);
  return replaced === text ? bytes : Buffer.from(replaced);
}
