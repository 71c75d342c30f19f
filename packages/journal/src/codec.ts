/**
 * One record ⇄ one line of JSON. Pure.
 *
 * A line is `HEAD … BODY,"prev":"64 hex","hash":"64 hex"}`: the members that the verifier needs come first at known places,
 * the two hashes last at fixed width. The hash covers the line's own bytes before it, so no canonical JSON is needed.
 *
 * I1  A line holds no raw newline: `JSON.stringify` escapes them.
 * I2  `hash` = SHA-256 over the domain tag, the store's name, a newline, and every byte before `,"hash":`.
 * I3  Everything before sequence `batch` was synced before the line was written: a line with a higher `batch` proves that a
 *     damaged one before it had been whole on the disk.
 *
 * Source: reliability-security 1. Differs: `batch` is added; without it a torn group cannot be told from later damage.
 */
import { hash } from 'node:crypto';
import type { Json } from '@retainer/contract/std/canonical-json';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { BlobRef, JournalRecord } from './journal.ts';

export const zeroHash = '0'.repeat(64);

/** Changes with the format: a line of another format never has a right hash. */
const DOMAIN_TAG = 'retainer.journal.1\n';

const HASH_MEMBER = ',"hash":"';
const PREV_MEMBER = ',"prev":"';
const HEX_LENGTH = 64;
/** `,"hash":"` + 64 + `"}` */
export const hashSuffixBytes = HASH_MEMBER.length + HEX_LENGTH + 2;
/** `,"prev":"` + 64 + `"` */
const prevBytes = PREV_MEMBER.length + HEX_LENGTH + 1;
/** Head members never need more: names are bounded by {@link storeNamePattern} and {@link kindPattern}. */
const HEAD_BYTES_MAX = 384;

export const storeNamePattern = /^[a-z][a-z0-9-]{0,47}$/;
export const kindPattern = /^[A-Za-z][A-Za-z0-9]{0,63}$/;

/** Last moment that the fixed-width form of a time can express: the end of the year 9999. */
export const TIME_MS_MAX = 253_402_300_799_999;

const headPattern =
  /^\{"store":"([a-z][a-z0-9-]{0,47})","seq":(\d{1,16}),"order":(\d{1,16}),"epoch":(\d{1,16}),"batch":(\d{1,16}),"time":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)","kind":"([A-Za-z][A-Za-z0-9]{0,63})","v":(\d{1,9}),/;

/** The members of a line, in the line's order; `payloadText` is JSON already. */
export interface LineFields {
  readonly store: string;
  readonly seq: number;
  readonly order: number;
  readonly epoch: number;
  readonly batch: number;
  readonly timeMs: number;
  readonly kind: string;
  readonly version: number;
  readonly principal: string;
  readonly cycleId: string | undefined;
  readonly runId: string | undefined;
  readonly content: { readonly payloadText: string } | { readonly blob: BlobRef };
  readonly prev: string;
}

let lastTime = { timeMs: 0, text: new Date(0).toISOString() };

/** ISO 8601 in UTC. Many records share a millisecond, and each needs the text twice, so the last text is cached. */
export function isoTime(timeMs: number): string {
  if (timeMs !== lastTime.timeMs) lastTime = { timeMs, text: new Date(timeMs).toISOString() };
  return lastTime.text;
}

export interface EncodedLine {
  /** Newline included. */
  readonly text: string;
  readonly hash: string;
}

export function encodeLine(fields: LineFields): EncodedLine {
  const { store, content, cycleId, runId } = fields;
  const cycle = cycleId === undefined ? '' : `,"cycleId":${JSON.stringify(cycleId)}`;
  const run = runId === undefined ? '' : `,"runId":${JSON.stringify(runId)}`;
  const body = 'blob' in content ? `,"blob":${JSON.stringify(content.blob)}` : `,"payload":${content.payloadText}`;
  const hashed =
    `{"store":"${store}","seq":${fields.seq},"order":${fields.order},"epoch":${fields.epoch},"batch":${fields.batch}` +
    `,"time":"${isoTime(fields.timeMs)}","kind":"${fields.kind}","v":${fields.version}` +
    `,"principal":${JSON.stringify(fields.principal)}${cycle}${run}${body},"prev":"${fields.prev}"`;
  return closeLine(store, hashed);
}

/** Adds the hash member to a line whose last member is `prev`. */
export function closeLine(store: string, hashed: string): EncodedLine {
  const digest = hash('sha256', `${DOMAIN_TAG}${store}\n${hashed}`, 'hex');
  return { text: `${hashed}${HASH_MEMBER}${digest}"}\n`, hash: digest };
}

/** The two hashes of a line, read at their fixed places. */
export interface LineEnds {
  readonly prev: string;
  readonly hash: string;
}

/** Holds most lines; grows for longer ones. */
const SCRATCH_BYTES = 4096;

/** Checks lines of one store. It keeps one scratch buffer, so stores must not share it. */
export class LineChecker {
  readonly #tagBytes: number;
  #scratch: Buffer;

  constructor(store: string) {
    const tag = Buffer.from(`${DOMAIN_TAG}${store}\n`);
    this.#tagBytes = tag.length;
    this.#scratch = Buffer.alloc(SCRATCH_BYTES);
    tag.copy(this.#scratch);
  }

  /** The two hashes of a line (newline excluded) whose hash is right; undefined for any other bytes. */
  check(line: Buffer): LineEnds | undefined {
    const hashedBytes = line.length - hashSuffixBytes;
    const prevAt = hashedBytes - prevBytes;
    if (prevAt < 0) return undefined;
    const tail = line.toString('latin1', prevAt);
    if (!hasFixedMembers(tail)) return undefined;
    if (this.#digest(line, hashedBytes) !== tail.slice(-HEX_LENGTH - 2, -2)) return undefined;
    return {
      prev: tail.slice(PREV_MEMBER.length, PREV_MEMBER.length + HEX_LENGTH),
      hash: tail.slice(-HEX_LENGTH - 2, -2),
    };
  }

  #digest(line: Buffer, hashedBytes: number): string {
    const wholeBytes = this.#tagBytes + hashedBytes;
    if (wholeBytes > this.#scratch.length) {
      const larger = Buffer.allocUnsafe(wholeBytes * 2);
      this.#scratch.copy(larger, 0, 0, this.#tagBytes);
      this.#scratch = larger;
    }
    line.copy(this.#scratch, this.#tagBytes, 0, hashedBytes);
    return hash('sha256', this.#scratch.subarray(0, wholeBytes), 'hex');
  }
}

function hasFixedMembers(tail: string): boolean {
  return tail.startsWith(PREV_MEMBER) && tail.startsWith(`"${HASH_MEMBER}`, prevBytes - 1) && tail.endsWith('"}');
}

/** The hash of a line (newline excluded) that is whole; it is not checked. */
export function hashIn(line: Buffer): string {
  return line.toString('latin1', line.length - HEX_LENGTH - 2, line.length - 2);
}

/** The front members of a record's line. */
export interface LineHead {
  readonly store: string;
  readonly seq: number;
  readonly order: number;
  readonly epoch: number;
  readonly batch: number;
  /** ISO 8601, UTC, milliseconds: text order is time order. */
  readonly time: string;
  readonly kind: string;
  readonly version: number;
}

/** Undefined when the line is no record, but a footer or unknown bytes. */
export function parseHead(line: Buffer): LineHead | undefined {
  const found = headPattern.exec(line.toString('latin1', 0, HEAD_BYTES_MAX));
  if (found === null) return undefined;
  const [, store = '', seq, order, epoch, batch, time = '', kind = '', version] = found;
  return {
    store,
    seq: Number(seq),
    order: Number(order),
    epoch: Number(epoch),
    batch: Number(batch),
    time,
    kind,
    version: Number(version),
  };
}

/** A record as the line holds it: the payload may still be a reference. */
export interface DecodedLine {
  readonly record: Omit<JournalRecord, 'payload'>;
  readonly batch: number;
  readonly content: { readonly payload: Json } | { readonly blob: BlobRef };
}

interface LineObject extends Omit<LineHead, 'version'> {
  readonly v: number;
  readonly principal: string;
  readonly cycleId?: string;
  readonly runId?: string;
  readonly payload?: Json;
  readonly blob?: BlobRef;
  readonly prev: string;
  readonly hash: string;
}

/**
 * Decodes a line (newline excluded) whose hash was checked. {@link encodeLine} wrote its bytes, so its shape is not checked
 * again.
 */
export function decodeLine(line: Buffer): Result<DecodedLine, string> {
  let parsed: LineObject;
  try {
    // The hash vouches for the shape: only this codec computes it.
    parsed = JSON.parse(line.toString('utf8')) as LineObject;
  } catch {
    return err('not JSON');
  }
  if (typeof parsed !== 'object' || parsed === null || typeof parsed.seq !== 'number') return err('not a record');
  const { store, seq, order, epoch, batch, time, kind, v, principal, cycleId, runId, payload, blob, prev } = parsed;
  const cause = { ...(cycleId === undefined ? {} : { cycleId }), ...(runId === undefined ? {} : { runId }) };
  const timeMs = Date.parse(time);
  const record = { store, seq, order, epoch, timeMs, kind, version: v, principal, ...cause, prev, hash: parsed.hash };
  return ok({ record, batch, content: blob === undefined ? { payload: payload ?? null } : { blob } });
}
