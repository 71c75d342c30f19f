/**
 * Walks one store from a position to its end: checks chain and blobs, and collects the records at given sequences.
 *
 * Reads one chunk of one segment at a time and never writes.
 */
import { parseJson } from '@retainer/contract/std/parse-json';
import type { Head } from '@retainer/journal/journal';
import { blobFile, checkBlob, readBlob } from './check-blob.ts';
import type { MetRecord } from './compare-heads.ts';
import type { Finding } from './finding.ts';
import { readJournalLine, type JournalLine } from './journal-line.ts';
import { segmentsIn, traceOf } from './journal-directory.ts';
import { readLines } from './read-lines.ts';
import { notedKinds, readLineContent, readRunNotes, RUN_STORE, type RunNote } from './run-note.ts';
import { HEAD_EVERY_RECORDS, type SegmentTrace } from './store-watch.ts';
import { enterSegment, walkLine, type ChainPosition, type WalkStep } from './walk-chain.ts';

export interface WalkRequest {
  /** The journal's directory. */
  readonly directory: string;
  readonly store: string;
  readonly from: ChainPosition;
  /** Sequences whose records the caller wants. */
  readonly wanted: ReadonlySet<number>;
  /** New records of a lower epoch come from a replaced writer. */
  readonly epochFloor: number;
  readonly checkBlobs: boolean;
  /** Ends the walk early, by a rejection. */
  readonly signal?: AbortSignal | undefined;
}

export interface Walk {
  readonly position: ChainPosition;
  readonly findings: readonly Finding[];
  readonly met: ReadonlyMap<number, MetRecord>;
  readonly marks: readonly Head[];
  /** Facts about messages; only for the run store. */
  readonly noted: Noted | undefined;
  /** In the last segment, about a chunk apart. */
  readonly stops: readonly ChainPosition[];
  /** All segments but the unsealed one. */
  readonly sealed: readonly SegmentTrace[];
  readonly records: number;
  readonly bytes: number;
  /** The last line has no newline yet. */
  readonly unfinished: boolean;
  /** Kind of the last record; undefined where the walk met none. */
  readonly lastKind: string | undefined;
}

export interface Noted {
  readonly fromSeq: number;
  /** Where the next walk begins. */
  readonly toSeq: number;
  readonly notes: readonly RunNote[];
}

/** Findings per walk; more add nothing. */
const FINDINGS_MAX = 100;

interface WalkState {
  readonly request: WalkRequest;
  position: ChainPosition;
  readonly findings: Finding[];
  readonly met: Map<number, MetRecord>;
  readonly marks: Head[];
  readonly notes: RunNote[];
  stops: ChainPosition[];
  records: number;
  bytes: number;
  unfinished: boolean;
  lastKind: string | undefined;
}

export async function walkStore(request: WalkRequest): Promise<Walk> {
  const { directory, store, from } = request;
  const state: WalkState = {
    request,
    position: from,
    findings: [],
    met: new Map(),
    marks: [],
    notes: [],
    stops: [],
    records: 0,
    bytes: 0,
    unfinished: false,
    lastKind: undefined,
  };
  const segments = await segmentsIn(`${directory}/${store}`);
  const start = Math.max(0, segments.indexOf(from.segment));
  const sealed: SegmentTrace[] = [];
  for (const [index, segment] of segments.entries()) {
    // Taken before reading, so that the next look detects a change during it.
    const trace = await traceOf(`${directory}/${store}`, segment);
    if (index >= start) await walkSegment(state, segment, index === segments.length - 1);
    const isSealed = index < start || index < segments.length - 1 || state.position.sealed;
    if (trace !== undefined && isSealed) sealed.push(trace);
  }
  const { position, findings, met, marks, notes, stops, records, bytes, unfinished, lastKind } = state;
  const noted = store === RUN_STORE ? { fromSeq: from.nextSeq, toSeq: position.nextSeq, notes } : undefined;
  return { position, findings, met, marks, noted, stops, sealed, records, bytes, unfinished, lastKind };
}

async function walkSegment(state: WalkState, segment: string, isLast: boolean): Promise<void> {
  if (segment !== state.position.segment) take(state, enterSegment(state.position, segment));
  const fromBytes = state.position.endBytes;
  state.stops = [];
  const { directory, store, signal } = state.request;
  for await (const lines of readLines(`${directory}/${store}/${segment}`, fromBytes)) {
    signal?.throwIfAborted();
    for (const { bytes, endBytes, complete } of lines) {
      if (!complete && isLast) {
        state.unfinished = true;
        break;
      }
      const line = readJournalLine(store, bytes);
      take(state, walkLine(state.position, line, endBytes));
      if (line.type !== 'Record') continue;
      await visit(state, line, segment);
      if (store === RUN_STORE && notedKinds.has(line.recordKind)) await noteRun(state, line, bytes.toString('utf8'));
    }
    if (isLast) state.stops.push(state.position);
  }
  state.bytes += state.position.endBytes - fromBytes;
}

function take(state: WalkState, { position, finding }: WalkStep): void {
  state.position = position;
  if (finding !== undefined) report(state, finding);
}

function report(state: WalkState, finding: Omit<Finding, 'store'>): void {
  if (state.findings.length >= FINDINGS_MAX) return;
  const { store } = state.request;
  // Positions name a segment; findings name a file below the journal's directory.
  const file = finding.file === undefined || finding.file.includes('/') ? finding.file : `${store}/${finding.file}`;
  state.findings.push({ ...finding, store, file });
}

type RecordOnLine = Extract<JournalLine, { readonly type: 'Record' }>;

async function visit(state: WalkState, record: RecordOnLine, segment: string): Promise<void> {
  const { request, position } = state;
  const { seq, hash, epoch } = record;
  const place = { seq, file: segment, line: position.line };
  state.records += 1;
  state.lastKind = record.recordKind;
  if (request.wanted.has(seq) && !state.met.has(seq)) state.met.set(seq, { hash, file: segment, line: position.line });
  if (seq % HEAD_EVERY_RECORDS === HEAD_EVERY_RECORDS - 1) state.marks.push({ store: request.store, seq, hash, epoch });
  if (epoch < request.epochFloor)
    report(state, {
      ...place,
      kind: 'EpochWentBack',
      detail: `epoch ${epoch}, after epoch ${request.epochFloor} had begun`,
    });
  tellOwnNotes(state, record, place);
  if (record.blob === undefined || !request.checkBlobs) return;
  const wrong = await checkBlob(request.directory, record.blob);
  if (wrong !== undefined) report(state, { ...wrong, seq, file: blobFile(record.blob.sha256) });
}

async function noteRun({ request, notes }: WalkState, record: RecordOnLine, line: string): Promise<void> {
  const { runId, payload } = readLineContent(line);
  const blob = record.blob === undefined ? undefined : await readBlob(request.directory, record.blob);
  notes.push(...readRunNotes({ ...record, runId }, blob === undefined ? payload : parseJson(blob)));
}

/** Losses that the journal itself recorded. */
function tellOwnNotes(
  state: WalkState,
  { recordKind, gap }: RecordOnLine,
  place: Pick<Finding, 'seq' | 'file' | 'line'>,
): void {
  if (gap !== undefined) {
    const lost =
      gap.lostFromSeq === undefined ? 'no records' : `sequences ${gap.lostFromSeq} to ${gap.lostToSeq ?? '?'}`;
    report(state, { ...place, kind: 'GapRecorded', detail: `lost: ${lost}` });
  }
  if (recordKind === 'Recovered')
    report(state, { ...place, kind: 'TailRecovered', detail: 'the record tells how much' });
}
