/**
 * The plan for the repair of one store. Pure: it takes the surviving lines and returns the new segments.
 *
 * Every line that is still right is kept, byte for byte. Where records are lost, a new segment begins with a `Gap` record that
 * names them and the place where the chain continues.
 *
 * Source: reliability-security 1 (opening: bad line with valid lines after it).
 */
import { decodeLine, encodeLine, type LineEnds, type LineHead } from './codec.ts';
import type { OrderRange } from './orders.ts';
import { err, ok, type Result } from '@retainer/contract/std/result';

/** A line whose own hash is right. */
export interface KeptLine {
  readonly head: LineHead & LineEnds;
  /** Newline excluded. */
  readonly bytes: Buffer;
}

export interface ChainEnd {
  readonly nextSeq: number;
  readonly prev: string;
  readonly epoch: number;
  readonly order: number;
}

/** The record after a gap. */
export interface Follower {
  readonly seq: number;
  readonly prev: string;
  readonly order: number;
  readonly runId: string | undefined;
}

/** What a line still says though its hash is wrong: no more than a hint. */
export interface DamagedLine {
  readonly seq: number;
  readonly kind: string;
  readonly runId: string | undefined;
}

export interface RepairInput {
  readonly store: string;
  /** State of the chain before the first line. */
  readonly start: ChainEnd;
  /** Lines of all segments concerned, in any order, with duplicates. */
  readonly lines: readonly KeptLine[];
  /** The first record after the segments concerned; undefined at the end of the store. */
  readonly follower: Follower | undefined;
  /** The store certainly reached this sequence. */
  readonly knownNextSeq: number;
  readonly damagedFiles: readonly string[];
  readonly damagedLines: readonly DamagedLine[];
  /** Orders between two others that no record of any store has. */
  readonly ordersBetween: (after: number, before: number) => readonly OrderRange[];
  readonly principal: string;
  readonly reason: string;
  readonly nowMs: number;
}

/** What one gap gives up. */
export interface LostRange {
  readonly fromSeq: number;
  readonly toSeq: number;
  /** Each of the lost records had one of these. */
  readonly orders: readonly OrderRange[];
  /** As far as the damaged lines can still be read. */
  readonly kinds: readonly string[];
  /** Runs whose records were lost or stand beside the gap. */
  readonly runs: readonly string[];
}

/** Names of kinds and runs, and ranges of orders, in one gap: a line must stay below its limit. */
const NAMED_MAX = 200;

/** The lines of one new segment, newlines included. */
export interface RepairedPiece {
  readonly lines: readonly Buffer[];
}

export interface RepairedStore {
  readonly pieces: readonly RepairedPiece[];
  readonly lost: readonly LostRange[];
  readonly kept: number;
}

/** The error says why no machine may decide this. */
export function planPieces(input: RepairInput): Result<RepairedStore, string> {
  const lines = distinct(input.lines, input.start.nextSeq);
  const pieces = new Pieces(input);
  for (const line of lines) {
    const problem = pieces.add(line);
    if (problem !== undefined) return err(problem);
  }
  const { follower, knownNextSeq } = input;
  const problem = follower === undefined ? pieces.finishAt(knownNextSeq) : pieces.join(follower);
  return problem === undefined ? ok(pieces.result(lines.length)) : err(problem);
}

function distinct(lines: readonly KeptLine[], fromSeq: number): readonly KeptLine[] {
  const byHash = new Map(lines.filter(({ head }) => head.seq >= fromSeq).map((line) => [line.head.hash, line]));
  return [...byHash.values()].toSorted((a, b) => a.head.seq - b.head.seq);
}

class Pieces {
  readonly #input: RepairInput;
  readonly #pieces: Buffer[][] = [[]];
  readonly #lost: LostRange[] = [];
  #end: ChainEnd;
  #lastRun: string | undefined;

  constructor(input: RepairInput) {
    this.#input = input;
    this.#end = input.start;
  }

  /** Returns the problem, if there is one. */
  add({ head, bytes }: KeptLine): string | undefined {
    if (head.seq < this.#end.nextSeq) return `sequence ${head.seq} exists twice with different content: two writers`;
    const follower = { seq: head.seq, prev: head.prev, order: head.order, runId: runOf(bytes) };
    if (head.seq > this.#end.nextSeq) this.#gap(follower);
    else if (head.prev !== this.#end.prev) return `sequence ${head.seq} does not continue the record before it`;
    else if (head.kind === 'Gap') this.#pieces.push([]);
    this.#push(bytes);
    this.#lastRun = runOf(bytes);
    const resume = head.kind === 'Gap' ? resumeOf(bytes) : undefined;
    const order = Math.max(this.#end.order, head.order);
    const epoch = Math.max(this.#end.epoch, head.epoch);
    this.#end = { nextSeq: resume?.seq ?? head.seq + 1, prev: resume?.prev ?? head.hash, epoch, order };
    return undefined;
  }

  join(follower: Follower): string | undefined {
    if (follower.seq > this.#end.nextSeq) this.#gap(follower);
    else if (follower.seq < this.#end.nextSeq || follower.prev !== this.#end.prev)
      return `the next segment, from sequence ${follower.seq}, does not continue this one`;
    return undefined;
  }

  finishAt(knownNextSeq: number): undefined {
    if (knownNextSeq > this.#end.nextSeq) this.#gap({ seq: knownNextSeq });
    return undefined;
  }

  result(kept: number): RepairedStore {
    const pieces = this.#pieces.filter((lines) => lines.length > 0).map((lines) => ({ lines }));
    return { pieces, lost: this.#lost, kept };
  }

  #gap(resume: Partial<Follower> & Pick<Follower, 'seq'>): void {
    const { store, principal, nowMs, damagedFiles, reason } = this.#input;
    const { nextSeq: seq, prev, epoch, order } = this.#end;
    const lost = this.#lostUntil(resume);
    this.#lost.push(lost);
    const payload = {
      lostFromSeq: lost.fromSeq,
      lostToSeq: lost.toSeq,
      resumeSeq: resume.seq,
      ...(resume.prev === undefined ? {} : { resumePrev: resume.prev }),
      damagedFiles,
      reason,
      lostOrders: lost.orders,
      lostKinds: lost.kinds,
      runs: lost.runs,
    };
    // The gap stands in the place of the first record that it gives up.
    const own = lost.orders[0]?.from ?? order + 1;
    const place = { store, seq, order: own, epoch, batch: seq, timeMs: nowMs, kind: 'Gap', version: 1, principal };
    const content = { payloadText: JSON.stringify(payload) };
    const line = encodeLine({ ...place, cycleId: undefined, runId: undefined, content, prev });
    this.#pieces.push([Buffer.from(line.text)]);
    this.#end = { nextSeq: resume.seq, prev: resume.prev ?? line.hash, epoch, order: own };
  }

  #lostUntil({ seq, order, runId }: Partial<Follower> & Pick<Follower, 'seq'>): LostRange {
    const { damagedLines, ordersBetween } = this.#input;
    const [fromSeq, toSeq] = [this.#end.nextSeq, seq - 1];
    const readable = damagedLines.filter((line) => line.seq >= fromSeq && line.seq <= toSeq);
    const runs = [this.#lastRun, ...readable.map((line) => line.runId), runId].filter((run) => run !== undefined);
    return {
      fromSeq,
      toSeq,
      orders: ordersBetween(this.#end.order, order ?? Number.POSITIVE_INFINITY).slice(0, NAMED_MAX),
      kinds: [...new Set(readable.map(({ kind }) => kind))].slice(0, NAMED_MAX),
      runs: [...new Set(runs)].slice(0, NAMED_MAX),
    };
  }

  #push(bytes: Buffer): void {
    this.#pieces.at(-1)?.push(Buffer.concat([bytes, Buffer.from('\n')]));
  }
}

/** The run that a right line belongs to. */
export function runOf(bytes: Buffer): string | undefined {
  const decoded = decodeLine(bytes);
  return decoded.ok ? decoded.value.record.runId : undefined;
}

function resumeOf(bytes: Buffer): { readonly seq: number | undefined; readonly prev: string | undefined } {
  const { payload } = JSON.parse(bytes.toString('utf8')) as { payload: { resumeSeq?: number; resumePrev?: string } };
  return { seq: payload.resumeSeq, prev: payload.resumePrev };
}
