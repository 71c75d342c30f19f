/** Prepares callers' records before they enter the log: checked, without secrets, and said once. */
import { sha256Hex } from '@retainer/contract/std/hash';
import { mapTexts, type Json } from '@retainer/contract/std/canonical-json';
import { TIME_MS_MAX } from './codec.ts';
import { InvalidRecordError } from './journal-errors.ts';
import type { NewRecord } from './journal.ts';
import { IDENTIFIER_CHARACTERS_MAX, type JournalLimits } from './limits.ts';
import { SaidParts } from './said-parts.ts';
import type { PreparedRecord } from './store-writer.ts';
import { kindOf, type StoreDefinition } from './stores.ts';

/** Replaces secrets in one text, the same in the same text. `member` is the name of the payload's member that holds it. */
export type Redact = (text: string, member?: string) => string;

/** The records of one append. */
export interface Batch {
  readonly records: readonly NewRecord[];
  readonly definition: StoreDefinition;
  readonly nowMs: number;
  /** The sequence of the first. */
  readonly firstSeq: number;
}

export interface Prepared extends Omit<PreparedRecord, 'order'> {
  /** Content to store as a durable blob before the record. */
  readonly blobBytes: Buffer | undefined;
}

export interface PreparerOptions {
  readonly redact: Redact | undefined;
  readonly limits: Pick<JournalLimits, 'inlinePayloadBytes'>;
  readonly stores: readonly StoreDefinition[];
  /** The sequence of a store that is not yet acknowledged. */
  readonly keptBefore: (store: string) => number;
}

type Checked = Omit<PreparedRecord, 'order' | 'content'> & { readonly isSaidOnce: boolean };

export class RecordPreparer {
  readonly #options: PreparerOptions;
  readonly #said: SaidParts;
  /** Frozen objects in which no secret was found. */
  readonly #clean = new WeakSet<object>();

  constructor(options: PreparerOptions) {
    this.#options = options;
    const { stores, keptBefore } = options;
    const rank = (name: string): number => stores.findIndex((it) => it.name === name);
    this.#said = new SaidParts((by, { store, seq }) => rank(store) < rank(by) && seq < keptBefore(store));
  }

  /** The caller appends them next, or calls {@link forget}. @throws InvalidRecordError  naming store, kind and what is wrong; never the payload itself */
  prepare({ records, definition, nowMs, firstSeq }: Batch): readonly Prepared[] {
    const checked = records.map((record) => this.#check(record, definition, nowMs));
    try {
      return checked.map(({ isSaidOnce, ...record }, index) => {
        const { runId, payload } = record;
        const said = { runId: runId ?? '', store: definition.name, seq: firstSeq + index, payload };
        const text = JSON.stringify(isSaidOnce && runId !== undefined ? this.#said.write(said) : payload);
        return { ...record, ...contentOf(text, this.#options.limits.inlinePayloadBytes) };
      });
    } catch (error) {
      this.#said.forget();
      throw error;
    }
  }

  /** See {@link SaidParts.forget}. */
  forget(): void {
    this.#said.forget();
  }

  #check(record: NewRecord, definition: StoreDefinition, nowMs: number): Checked {
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
    const payload = this.#redacted(label, record.payload);
    const { principal, cycleId, runId } = record;
    const isSaidOnce = kind.saidOnce === true;
    return { kind: record.kind, version: kind.version, principal, cycleId, runId, timeMs, payload, isSaidOnce };
  }

  /** Text by text: a pattern that matched across the quotes of the serialised payload would break the JSON. */
  #redacted(label: string, payload: Json | undefined): Json {
    if (payload === undefined) throw new InvalidRecordError(`${label}: the payload is not JSON`);
    const { redact } = this.#options;
    return redact === undefined ? payload : mapTexts(payload, redact, undefined, this.#clean);
  }
}

function contentOf(text: string, inlinePayloadBytes: number): Pick<Prepared, 'content' | 'blobBytes'> {
  // At most three bytes per UTF-16 unit, so short texts need no counting.
  const isInline = text.length * 3 <= inlinePayloadBytes || Buffer.byteLength(text) <= inlinePayloadBytes;
  if (isInline) return { content: { payloadText: text }, blobBytes: undefined };
  const blobBytes = Buffer.from(text);
  return { content: { blob: { sha256: sha256Hex(blobBytes), sizeBytes: blobBytes.length } }, blobBytes };
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
