/**
 * One line of a store, as an outsider reads it. Pure.
 *
 * Written from the format's description, without code from the journal, so that an error of the journal's codec cannot hide
 * itself. A property test compares the two readers.
 *
 * Source: reliability-security 1 (record).
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import { parseJson } from '@retainer/contract/std/parse-json';
import { z } from 'zod';

export interface RecordLine {
  readonly type: 'Record';
  readonly seq: number;
  readonly order: number;
  readonly epoch: number;
  readonly recordKind: string;
  readonly prev: string;
  readonly hash: string;
  /** Location of a payload that is not on the line. */
  readonly blob: { readonly sha256: string; readonly sizeBytes: number } | undefined;
  /** Of a `Gap` record: the lost sequences, and where the next record continues. */
  readonly gap: Gap | undefined;
}

export interface FooterLine {
  readonly type: 'Footer';
  readonly segment: string;
  readonly count: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly prev: string;
  readonly hash: string;
}

export type JournalLine = RecordLine | FooterLine | { readonly type: 'Unreadable' };

export const zeroHash = '0'.repeat(64);

const unreadable = { type: 'Unreadable' } as const;

/** Prefix of every hashed line, so that a line of another format or store never has a valid hash. */
const HASH_TAG = 'retainer.journal.1\n';

/** `,"prev":"` 64 digits `","hash":"` 64 digits `"}` */
const tailPattern = /^,"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}$/;
const TAIL_BYTES = 9 + 64 + 1 + 9 + 64 + 2;
/** `,"hash":"` 64 digits `"}`: the part outside the hash. */
const UNHASHED_BYTES = 9 + 64 + 2;

/** Fits the names of store and kind, six numbers and a time. */
const HEAD_BYTES_MAX = 384;
const headPattern =
  /^\{"store":"([a-z0-9-]{1,48})","seq":(\d{1,15}),"order":(\d{1,15}),"epoch":(\d{1,15}),"batch":\d{1,15},"time":"[^"]{24}","kind":"([A-Za-z0-9]{1,64})","v":\d{1,9},/;

const FOOTER_START = '{"footer":"';

/** A member of the payload cannot match, because the payload's closing brace would follow. */
const blobPattern = /,"blob":\{"sha256":"([0-9a-f]{64})","sizeBytes":(\d{1,15})\}$/;
const BLOB_BYTES_MAX = 128;

const count = z.int().nonnegative();
const digest = z.string().regex(/^[0-9a-f]{64}$/);

const GapPayload = z.object({
  lostFromSeq: count.optional(),
  lostToSeq: count.optional(),
  resumeSeq: count.optional(),
  resumePrev: digest.optional(),
});
export type Gap = z.infer<typeof GapPayload>;

const GapRecord = z.object({ payload: GapPayload });
const FooterRecord = z.object({
  footer: z.string(),
  segment: z.string(),
  count,
  firstSeq: count,
  lastSeq: z.int(),
});

/** @param bytes  the line without its newline */
export function readJournalLine(store: string, bytes: Buffer): JournalLine {
  const bodyBytes = bytes.length - TAIL_BYTES;
  if (bodyBytes < 0) return unreadable;
  const ends = tailPattern.exec(bytes.toString('latin1', bodyBytes));
  if (ends === null) return unreadable;
  const [, prev = '', hash = ''] = ends;
  if (hashOf(store, bytes.subarray(0, bytes.length - UNHASHED_BYTES)) !== hash) return unreadable;
  if (bytes.toString('latin1', 0, FOOTER_START.length) === FOOTER_START)
    return readFooter(store, bytes, { prev, hash });
  return readRecord(store, bytes, { prev, hash });
}

interface Ends {
  readonly prev: string;
  readonly hash: string;
}

function readRecord(store: string, bytes: Buffer, ends: Ends): JournalLine {
  const head = headPattern.exec(bytes.toString('latin1', 0, HEAD_BYTES_MAX));
  if (head === null || head[1] !== store) return unreadable;
  const [, , seq, order, epoch, recordKind = ''] = head;
  const gap = recordKind === 'Gap' ? readGap(bytes) : undefined;
  if (recordKind === 'Gap' && gap === undefined) return unreadable;
  const numbers = { seq: Number(seq), order: Number(order), epoch: Number(epoch) };
  return { type: 'Record', ...numbers, recordKind, ...ends, blob: readBlobRef(bytes), gap };
}

function hashOf(store: string, hashed: Buffer): string {
  return sha256Hex(Buffer.concat([Buffer.from(`${HASH_TAG}${store}\n`), hashed]));
}

function readBlobRef(bytes: Buffer): RecordLine['blob'] {
  const bodyBytes = bytes.length - TAIL_BYTES;
  const found = blobPattern.exec(bytes.toString('latin1', Math.max(0, bodyBytes - BLOB_BYTES_MAX), bodyBytes));
  return found === null ? undefined : { sha256: found[1] ?? '', sizeBytes: Number(found[2]) };
}

function readGap(bytes: Buffer): Gap | undefined {
  const parsed = GapRecord.safeParse(parseJson(bytes.toString('utf8')));
  return parsed.success ? parsed.data.payload : undefined;
}

function readFooter(store: string, bytes: Buffer, ends: Ends): JournalLine {
  const parsed = FooterRecord.safeParse(parseJson(bytes.toString('utf8')));
  if (!parsed.success || parsed.data.footer !== store) return unreadable;
  const { segment, count: records, firstSeq, lastSeq } = parsed.data;
  return { type: 'Footer', segment, count: records, firstSeq, lastSeq, ...ends };
}

/** What follows the head: a principal of any characters, then ids of plain ones. */
const idsPattern =
  /^\{(?:"[a-z]+":(?:"[^"]*"|\d+),){7}"v":(\d{1,9}),"principal":"(?:[^"\\]|\\.)*"(?:,"cycleId":"([^"\\]*)")?(?:,"runId":"([^"\\]*)")?,"(?:payload|blob)":/;
const IDS_BYTES_MAX = 2048;
/** A principal may be longer than that. */
const Ids = z.object({ v: z.number(), cycleId: z.string().optional(), runId: z.string().optional() });

export interface LineIds {
  readonly version: number;
  readonly cycleId: string | undefined;
  readonly runId: string | undefined;
}

/** Usually read without the payload. @param bytes  of a readable record */
export function readLineIds(bytes: Buffer): LineIds {
  const found = idsPattern.exec(bytes.toString('utf8', 0, IDS_BYTES_MAX));
  if (found !== null) return { version: Number(found[1]), cycleId: found[2], runId: found[3] };
  const parsed = Ids.safeParse(parseJson(bytes.toString('utf8')));
  const { v: version = 1, cycleId, runId } = parsed.data ?? {};
  return { version, cycleId, runId };
}
