/**
 * Compares the messages seen on the bus with those in the journal. Holds state, reads no clock.
 *
 * I1  A message only in the journal is a finding only if the bus was watched without a break around its time.
 * I2  A message only on the bus is a finding after a complete look begun after it was heard, because agents journal a
 *     message before they publish it.
 * I3  A sequence on neither path is a finding once the journal has a later one, a role acted on it, or the closed run counts it.
 * I4  Each message is judged once. Hearing or noting it again, as after a restart, changes nothing.
 *
 * Times: `atMs` is the agent's wall clock, `nowMs` the auditor's monotonic clock.
 *
 * Source: artoo A.12.
 */
import { mayTravel } from '@retainer/contract/wire/bus/roles';
import type { TapMessage } from '@retainer/contract/wire/bus/tap';
import { Coverage, MARGIN_MS, type Window } from './coverage.ts';
import type { Finding } from './finding.ts';
import type { NotedMessage, RunNote, RunNoteOf } from './run-note.ts';

/** A record is noted up to one look after its message was heard; the bus may lag by its own pauses. */
const NOTED_WAIT_MS = 5_000;
/** On an idle bus, a message still missing after this time will not come. */
const IDLE_WAIT_MS = 60_000;
/** A run has hundreds of messages. A sequence this far ahead is not part of its run, and must not be counted up to. */
const AHEAD_MAX = 10_000;
/** Closed runs remembered, so that their records may be read again. */
const CLOSED_KEPT = 10_000;
/** Concurrent runs; more of them are a flood by somebody else. */
const OPEN_RUNS_MAX = 10_000;

interface Side {
  /** The envelope fields that must be equal on both paths. */
  readonly signature: string;
  readonly atMs: number;
  learntMs: number;
}

interface Entry {
  bus?: Side;
  journal?: Side & { readonly recordSeq: number };
  /** The journal says that a role acted on it. */
  received?: { readonly recordSeq: number; learntMs: number };
}

interface RunPaths {
  /** Everything up to this sequence is judged. */
  judgedTo: number;
  /** Highest sequence seen on either path. */
  top: number;
  lastAtMs: number;
  closed?: { readonly recordSeq: number; learntMs: number };
  readonly entries: Map<number, Entry>;
}

interface ClosedRun {
  readonly lastSeq: number;
  readonly lastAtMs: number;
}

/** State for the next auditor process. JSON. */
export interface SavedPaths {
  readonly windows: readonly Window[];
  readonly heardToMs: number;
  readonly floorMs: number;
  readonly closed: readonly (readonly [runId: string, end: ClosedRun])[];
  readonly runs: readonly {
    readonly runId: string;
    readonly judgedTo: number;
    readonly top: number;
    readonly lastAtMs: number;
    readonly closedAt?: number | undefined;
    readonly entries: readonly {
      readonly seq: number;
      readonly bus?: Omit<Side, 'learntMs'> | undefined;
      readonly journal?: (Omit<Side, 'learntMs'> & { readonly recordSeq: number }) | undefined;
      readonly receivedAt?: number | undefined;
    }[];
  }[];
}

/** Findings about messages name this store. */
export const BUS = 'bus';

type Moment = { readonly nowMs: number; readonly wallMs: number; readonly lookBeganMs: number };

export class MessagePaths {
  readonly coverage: Coverage;
  readonly #runs = new Map<string, RunPaths>();
  readonly #closed = new Map<string, ClosedRun>();
  #findings: Finding[] = [];
  #heardToMs = Number.NEGATIVE_INFINITY;
  /** Older messages belong to runs no longer remembered. */
  #floorMs = Number.NEGATIVE_INFINITY;

  constructor(saved: SavedPaths | undefined, nowMs: number) {
    this.coverage = new Coverage(saved?.windows ?? []);
    if (saved === undefined) return;
    this.#heardToMs = saved.heardToMs;
    this.#floorMs = saved.floorMs;
    for (const [runId, end] of saved.closed) this.#closed.set(runId, end);
    for (const run of saved.runs) this.#runs.set(run.runId, restored(run, nowMs));
  }

  get heardToMs(): number {
    return this.#heardToMs;
  }

  hear(message: TapMessage, nowMs: number): void {
    const { runId, seq, atMs, type, from, to } = message;
    this.#heardToMs = Math.max(this.#heardToMs, atMs);
    const isKnown = this.#runs.get(runId)?.entries.get(seq)?.bus !== undefined;
    if (!isKnown && !mayTravel(type, from, to)) this.#violation(message);
    const run = this.#run(runId, seq, atMs);
    if (run === undefined) return;
    const entry = entryOf(run, seq);
    const side = { signature: signatureOf(message), atMs, learntMs: nowMs };
    if (entry.bus !== undefined && entry.bus.signature !== side.signature)
      this.#find('MessageDiffers', runId, seq, 'the bus carried two different messages with this sequence');
    entry.bus ??= side;
  }

  hearGarbage(reason: string): void {
    this.#find('BoundaryViolation', '', 0, `the bus carried something that is not a message: ${reason}`);
  }

  /** Takes the run store's notes from `fromSeq` on, in place of earlier ones. @returns messages noted for the first time */
  note(fromSeq: number, notes: readonly RunNote[], nowMs: number): readonly NotedMessage[] {
    const noted = new Set(notes.map(placeOfNote));
    for (const [runId, run] of this.#runs)
      forget(run, (recordSeq, seq) => isGone(noted, fromSeq, { recordSeq, runId, seq }));
    return notes.flatMap((it) => (this.#noteOne(it, nowMs) && it.kind === 'Sent' ? [it.message] : []));
  }

  /** @returns  findings not returned before */
  judge(moment: Moment): readonly Finding[] {
    for (const [runId, run] of this.#runs) {
      this.#judgeRun(runId, run, moment);
      const closedMs = run.judgedTo < run.top ? Infinity : (run.closed?.learntMs ?? Infinity);
      if (moment.nowMs - closedMs >= NOTED_WAIT_MS) this.#close(runId, run);
    }
    for (const [runId, run] of this.#runs) {
      if (this.#runs.size <= OPEN_RUNS_MAX) break;
      this.#close(runId, run);
    }
    return this.#findings.splice(0);
  }

  /** Judges by the journal alone, without waiting. */
  judgeCopy(): readonly Finding[] {
    const atLast = Number.POSITIVE_INFINITY;
    return this.judge({ nowMs: atLast, wallMs: atLast, lookBeganMs: atLast });
  }

  save(wallMs: number): SavedPaths {
    const runs = [...this.#runs].map(([runId, { judgedTo, top, lastAtMs, closed, entries }]) => ({
      runId,
      judgedTo,
      top,
      lastAtMs,
      ...(closed === undefined ? {} : { closedAt: closed.recordSeq }),
      entries: [...entries].map(([seq, { bus, journal, received }]) => ({
        seq,
        ...(bus === undefined ? {} : { bus: { signature: bus.signature, atMs: bus.atMs } }),
        ...(journal === undefined
          ? {}
          : { journal: { signature: journal.signature, atMs: journal.atMs, recordSeq: journal.recordSeq } }),
        ...(received === undefined ? {} : { receivedAt: received.recordSeq }),
      })),
    }));
    const heardToMs = Math.max(0, this.#heardToMs);
    const floorMs = Math.max(0, this.#floorMs);
    return { windows: this.coverage.save(wallMs), heardToMs, floorMs, closed: [...this.#closed], runs };
  }

  /** @returns  whether this is the first note of a message */
  #noteOne(note: RunNote, nowMs: number): boolean {
    switch (note.kind) {
      case 'Sent':
        return this.#noteSent(note, nowMs);
      case 'Received':
        this.#noteReceived(note, nowMs);
        return false;
      case 'Closed':
        this.#noteClosed(note, nowMs);
        return false;
    }
  }

  #noteSent({ recordSeq, message }: RunNoteOf<'Sent'>, nowMs: number): boolean {
    const { runId, seq, atMs, type, from, to } = message;
    if (atMs < this.#floorMs) this.#passOver(message);
    const run = this.#run(runId, seq, atMs);
    if (run === undefined) return false;
    const entry = entryOf(run, seq);
    if (entry.journal !== undefined) return false;
    entry.journal = { signature: signatureOf(message), atMs, learntMs: nowMs, recordSeq };
    if (!message.isHashRight) this.#find('MessageDiffers', runId, seq, 'its content in the journal has another hash');
    if (!mayTravel(type, from, to)) this.#violation(message);
    return true;
  }

  #noteReceived({ recordSeq, runId, seq }: RunNoteOf<'Received'>, nowMs: number): void {
    const run = this.#runs.get(runId);
    if (run === undefined || seq <= run.judgedTo || seq > run.judgedTo + AHEAD_MAX) return;
    run.top = Math.max(run.top, seq);
    entryOf(run, seq).received ??= { recordSeq, learntMs: nowMs };
  }

  #noteClosed({ recordSeq, runId, lastSeq = 0 }: RunNoteOf<'Closed'>, nowMs: number): void {
    const run = this.#runs.get(runId);
    if (run === undefined) return;
    run.closed ??= { recordSeq, learntMs: nowMs };
    if (lastSeq <= run.judgedTo + AHEAD_MAX) run.top = Math.max(run.top, lastSeq);
  }

  /** For a message older than the floor: only the later messages of its run are judged. */
  #passOver({ runId, seq, atMs }: NotedMessage): void {
    if (this.#closed.has(runId)) return;
    const run = this.#runs.get(runId) ?? { judgedTo: 0, top: 0, lastAtMs: atMs, entries: new Map() };
    this.#runs.set(runId, run);
    run.judgedTo = Math.max(run.judgedTo, seq);
    run.top = Math.max(run.top, seq);
    run.lastAtMs = Math.max(run.lastAtMs, atMs);
  }

  /** Undefined if the message is already judged, or cannot belong to a run. */
  #run(runId: string, seq: number, atMs: number): RunPaths | undefined {
    const lastSeq = this.#closed.get(runId)?.lastSeq;
    if (atMs < this.#floorMs || (lastSeq !== undefined && seq <= lastSeq)) return undefined;
    const run = this.#runs.get(runId) ?? { judgedTo: lastSeq ?? 0, top: 0, lastAtMs: atMs, entries: new Map() };
    if (seq <= run.judgedTo) return undefined;
    if (seq > run.judgedTo + AHEAD_MAX) {
      this.#find('BoundaryViolation', runId, seq, `its sequence is far above ${run.judgedTo}, the last of its run`);
      return undefined;
    }
    this.#runs.set(runId, run);
    run.top = Math.max(run.top, seq);
    run.lastAtMs = Math.max(run.lastAtMs, atMs);
    return run;
  }

  #judgeRun(runId: string, run: RunPaths, moment: Moment): void {
    for (let seq = run.judgedTo + 1; seq <= run.top; seq += 1) {
      const entry = run.entries.get(seq) ?? {};
      const verdict = this.#verdict(run, seq, entry, moment);
      if (verdict === 'Waits') break;
      if (verdict !== 'Fine') this.#find(verdict.kind, runId, seq, verdict.detail);
      run.entries.delete(seq);
      run.judgedTo = seq;
    }
  }

  #verdict(run: RunPaths, seq: number, { bus, journal, received }: Entry, moment: Moment): Comparison {
    if (bus !== undefined && journal !== undefined) return compared(bus, journal);
    if (journal !== undefined) return this.#journalOnly(journal, moment);
    if (bus !== undefined) return bus.learntMs >= moment.lookBeganMs ? 'Waits' : gap('is on the bus only');
    const learnt = [received, noteAfter(run, seq), run.closed].map((it) => it?.learntMs ?? Infinity);
    const learntMs = Math.min(...learnt);
    const isDue = learntMs < Infinity && moment.nowMs - learntMs >= NOTED_WAIT_MS;
    return isDue ? gap('is neither in the journal nor on the bus') : 'Waits';
  }

  #journalOnly({ atMs, learntMs }: Side, { nowMs, wallMs }: Moment): Comparison {
    const waitedMs = nowMs - learntMs;
    const isPassedOver = waitedMs >= NOTED_WAIT_MS && this.#heardToMs >= atMs + MARGIN_MS;
    if (!isPassedOver && waitedMs < IDLE_WAIT_MS) return 'Waits';
    return this.coverage.covers(atMs, wallMs) ? gap('is in the journal only') : 'Fine';
  }

  #violation({ runId, seq, type, from, to }: Pick<TapMessage, 'runId' | 'seq' | 'type' | 'from' | 'to'>): void {
    this.#find('BoundaryViolation', runId, seq, `${type} went from ${from} to ${to}, which its type does not allow`);
  }

  #find(kind: Finding['kind'], runId: string, seq: number, detail: string): void {
    this.#findings.push({ kind, store: BUS, message: `${runId}-m${seq}`, detail });
  }

  /** Also closes an unfinished run when there are too many; later messages resume it. */
  #close(runId: string, { top, lastAtMs }: RunPaths): void {
    this.#runs.delete(runId);
    this.#closed.set(runId, { lastSeq: top, lastAtMs });
    const [oldest] = this.#closed;
    if (this.#closed.size <= CLOSED_KEPT || oldest === undefined) return;
    this.#closed.delete(oldest[0]);
    this.#floorMs = Math.max(this.#floorMs, oldest[1].lastAtMs + 1);
  }
}

type Comparison = 'Fine' | 'Waits' | { readonly kind: Finding['kind']; readonly detail: string };

function gap(detail: string): Comparison {
  return { kind: 'ObservationGap', detail: `it ${detail}` };
}

function compared(bus: Side, journal: Side): Comparison {
  if (bus.signature === journal.signature) return 'Fine';
  return { kind: 'MessageDiffers', detail: 'its envelope differs on the bus and in the journal' };
}

function signatureOf(message: Pick<TapMessage, 'type' | 'from' | 'to' | 'contentHash'>): string {
  return `${message.type} ${message.from} ${message.to} ${message.contentHash}`;
}

function entryOf(run: RunPaths, seq: number): Entry {
  const entry = run.entries.get(seq) ?? {};
  run.entries.set(seq, entry);
  return entry;
}

/** The first later message of the run in the journal. */
function noteAfter(run: RunPaths, seq: number): Side | undefined {
  for (let later = seq + 1; later <= run.top; later += 1) {
    const journal = run.entries.get(later)?.journal;
    if (journal !== undefined) return journal;
  }
  return undefined;
}

/** Identifies a note: its record, its run and, if any, its message. */
interface NotePlace {
  readonly recordSeq: number;
  readonly runId: string;
  readonly seq: number | undefined;
}

function placeOf({ recordSeq, runId, seq }: NotePlace): string {
  return `${recordSeq} ${seq ?? ''} ${runId}`;
}

function placeOfNote(note: RunNote): string {
  const { runId, seq } = note.kind === 'Sent' ? note.message : { seq: undefined, ...note };
  return placeOf({ recordSeq: note.recordSeq, runId, seq });
}

function isGone(noted: ReadonlySet<string>, fromSeq: number, place: NotePlace): boolean {
  return place.recordSeq >= fromSeq && !noted.has(placeOf(place));
}

function forget(run: RunPaths, isGoneNow: (recordSeq: number, seq: number | undefined) => boolean): void {
  if (run.closed !== undefined && isGoneNow(run.closed.recordSeq, undefined)) delete run.closed;
  for (const [seq, entry] of run.entries) {
    if (entry.journal !== undefined && isGoneNow(entry.journal.recordSeq, seq)) delete entry.journal;
    if (entry.received !== undefined && isGoneNow(entry.received.recordSeq, seq)) delete entry.received;
  }
}

function restored({ judgedTo, top, lastAtMs, closedAt, entries }: SavedPaths['runs'][number], nowMs: number): RunPaths {
  const learntMs = nowMs;
  return {
    judgedTo,
    top,
    lastAtMs,
    ...(closedAt === undefined ? {} : { closed: { recordSeq: closedAt, learntMs } }),
    entries: new Map(
      entries.map(({ seq, bus, journal, receivedAt }) => [
        seq,
        {
          ...(bus === undefined ? {} : { bus: { ...bus, learntMs } }),
          ...(journal === undefined ? {} : { journal: { ...journal, learntMs } }),
          ...(receivedAt === undefined ? {} : { received: { recordSeq: receivedAt, learntMs } }),
        },
      ]),
    ),
  };
}
