/**
 * The auditor's check of whole runs: notes in the store `run` which runs have closed, and hands all records of a closed run to
 * the rules that decide it again. So a record that an honest agent would have written is missed, even if no chain shows it.
 *
 * I1  Every closed run is judged once. An open run is judged when it has rested at an input though its writer went on: it may
 *     lack nothing but its end.
 * I2  A pass holds the state of at most {@link RUNS_PER_PASS} runs, and one line of the record.
 * I3  A look ends after the pass in which {@link LOOK_MS_MAX} is over; the next look continues.
 *
 * Source: design 5.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { findingKey, type Finding } from './finding.ts';
import { readJournalLine, readLineIds, type LineIds, type RecordLine } from './journal-line.ts';
import { linesBetween, stands, storeStart, type LineEnd } from './line-end.ts';
import { RUN_STORE } from './run-note.ts';
import { CONFIGURED_STORE, LOOK_MS_MAX, VERDICT_STORE, type PlaceInOrder, type RuledRecord } from './verdict-audit.ts';
import type { WholePayloads } from './whole-payload.ts';

export interface RunRecord extends RuledRecord {
  readonly runId: string;
  readonly version: number;
}

/** What became of the runs of one pass. */
export interface RunsJudged {
  readonly equal: number;
  readonly different: number;
  /** Decided by deciders of another number. */
  readonly other: number;
  readonly findings: readonly Finding[];
}

/** The agent's deciders. Injected, as `VerdictRules`. */
export interface RunRules {
  /** Takes the store `agent` first, then for each pass the store `run`, then `cycle`: only records of the runs to judge. */
  take(record: RunRecord): void;
  /** Ends a pass. Nothing of its runs was cut off by a crash. */
  judge(): RunsJudged;
}

/** An admitted run. */
export interface NotedRun {
  readonly runId: string;
  /** The line before its first record. */
  readonly from: LineEnd;
  readonly fromOrder: number;
  /** Of its last record. */
  readonly lastOrder: number;
  readonly epoch: number;
  readonly isClosed: boolean;
  /** Its last record takes something in, or the run has been concluded: nothing need follow but its end. */
  readonly mayEnd: boolean;
  /** `lastOrder` when it was judged at rest. */
  readonly judgedAtOrder: number;
}

/** A line of the store `cycle`, to begin near a run. */
interface Mark {
  readonly place: LineEnd;
  readonly order: number;
}

/** State for the next look. JSON. */
export interface SavedRuns {
  /** Runs are noted up to here. */
  readonly to: LineEnd;
  /** Order of the newest record of the last look. A run that was quiet since then rests. */
  readonly lookedToOrder: number;
  /** Not judged yet, in the order of their admission. */
  readonly runs: readonly NotedRun[];
  readonly marks: readonly Mark[];
  /** Records of the store are missing, which was reported elsewhere: runs may lack their beginning. */
  readonly hasLost: boolean;
  readonly open: readonly Finding[];
}

export interface StoreEnd extends PlaceInOrder {
  readonly store: string;
  readonly epoch: number;
}

export interface RunAuditOptions {
  /** The journal's. */
  readonly directory: string;
  readonly clock: Clock;
  readonly payloads: WholePayloads;
  readonly makeRules: () => RunRules;
  /** Kinds of records that take something in. */
  readonly isInput: (kind: string) => boolean;
  readonly saved?: SavedRuns | undefined;
  /** See `VerdictAuditOptions`. */
  readonly bornAtOrder: number;
  /** For a copy: everything in one look, and what rests at its end rests. */
  readonly once?: boolean;
}

interface Feed {
  readonly store: string;
  readonly from: LineEnd;
  readonly ends: readonly StoreEnd[];
  /** The runs, and up to which record; absent: everything. */
  readonly scope?: { readonly ids: ReadonlySet<string>; readonly lastOrder: number };
}

const RUNS_PER_PASS = 8;
/** Far more than an agent has under way. A record with more must not fill memory. */
const RUNS_MAX = 1_024;
/** Records of the store `cycle` between two marks, and remembered marks: beyond, every second one is dropped. */
const RECORDS_PER_MARK = 256;
const MARKS_MAX = 512;
/** Open findings; more add nothing. */
const OPEN_MAX = 1_000;

export class RunAudit {
  readonly #options: RunAuditOptions;
  readonly #open = new Map<string, Finding>();
  readonly #fresh: Finding[] = [];
  readonly #runs = new Map<string, NotedRun>();
  #to = storeStart;
  #lookedToOrder = -1;
  #marks: readonly Mark[] = [];
  #hasLost = false;
  readonly counts = { equal: 0, different: 0, other: 0 };
  #isDone = false;

  constructor(options: RunAuditOptions) {
    this.#options = options;
  }

  /** @param ends  of all stores, settled. @returns new findings. @throws when a read fails */
  async look(ends: readonly StoreEnd[]): Promise<readonly Finding[]> {
    try {
      return await this.#look(ends);
    } finally {
      await this.#options.payloads.forget();
    }
  }

  async #look(ends: readonly StoreEnd[]): Promise<readonly Finding[]> {
    await this.#takeUp();
    const endMs = this.#options.clock.monotonicMs() + (this.#options.once === true ? Infinity : LOOK_MS_MAX);
    await this.#note(ends);
    const due = [...this.#runs.values()].filter((run) => run.isClosed || this.#rests(run, ends));
    const rules = this.#options.makeRules();
    if (due.length > 0) await this.#feed(rules, { store: CONFIGURED_STORE, from: storeStart, ends });
    for (let at = 0; at < due.length && !this.#isOver(endMs); at += RUNS_PER_PASS)
      await this.#judge(rules, due.slice(at, at + RUNS_PER_PASS), ends);
    this.#isDone = !this.#isOver(endMs);
    this.#lookedToOrder = Math.max(this.#lookedToOrder, ...ends.map(({ order }) => order));
    return this.#fresh;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  save(): SavedRuns {
    return {
      to: this.#to,
      lookedToOrder: this.#lookedToOrder,
      runs: [...this.#runs.values()],
      marks: this.#marks,
      hasLost: this.#hasLost,
      open: [...this.#open.values()],
    };
  }

  #isOver(endMs: number): boolean {
    return this.#options.clock.monotonicMs() >= endMs;
  }

  /** Ignores the saved state of another record. */
  async #takeUp(): Promise<void> {
    const { saved, directory } = this.#options;
    if (saved === undefined || !(await stands(`${directory}/${RUN_STORE}`, saved.to))) return;
    const newest = saved.marks.at(-1)?.place ?? storeStart;
    this.#marks = (await stands(`${directory}/${VERDICT_STORE}`, newest)) ? saved.marks : [];
    this.#to = saved.to;
    this.#lookedToOrder = saved.lookedToOrder;
    this.#hasLost = saved.hasLost;
    for (const run of saved.runs) this.#runs.set(run.runId, run);
    for (const finding of saved.open) this.#open.set(findingKey(finding), finding);
  }

  async #note(ends: readonly StoreEnd[]): Promise<void> {
    const end = ends.find(({ store }) => store === RUN_STORE);
    if (end === undefined) return;
    const lines = linesBetween(this.#directoryOf(RUN_STORE), this.#to, end);
    for await (const { segment, bytes, endBytes } of lines) {
      const line = readJournalLine(RUN_STORE, bytes);
      if (line.type === 'Unreadable' || (line.type === 'Record' && line.gap !== undefined)) this.#lose();
      if (line.type === 'Record') this.#noteRecord(line, readLineIds(bytes));
      const lineHash = line.type === 'Unreadable' ? '' : line.hash;
      this.#to = { segment, endBytes, lineHash, nextSeq: line.type === 'Record' ? line.seq + 1 : this.#to.nextSeq };
    }
  }

  /** Open runs cannot be followed any more. */
  #lose(): void {
    this.#hasLost = true;
    this.#runs.clear();
  }

  #noteRecord({ recordKind: kind, order, epoch }: RecordLine, { runId }: LineIds): void {
    if (runId === undefined) return;
    const before = this.#runs.get(runId);
    if (before === undefined && kind !== 'RunAdmitted' && this.#hasLost) return;
    const { from, fromOrder } = before ?? { from: this.#to, fromOrder: order };
    const isClosed = kind === 'RunClosed';
    const mayEnd = this.#options.isInput(kind) || kind === 'RunConcluded';
    this.#runs.set(runId, { runId, from, fromOrder, lastOrder: order, epoch, isClosed, mayEnd, judgedAtOrder: -1 });
    if (!forgetOldest(this.#runs, RUNS_MAX)) return;
    this.#tell({ kind: 'CannotRecompute', store: RUN_STORE, detail: `more than ${RUNS_MAX} runs are open at once` });
  }

  #rests(run: NotedRun, ends: readonly StoreEnd[]): boolean {
    const { mayEnd, lastOrder, judgedAtOrder } = run;
    const isQuiet = this.#options.once === true || lastOrder <= this.#lookedToOrder;
    return mayEnd && isQuiet && judgedAtOrder < lastOrder && wentOn(run, ends);
  }

  async #judge(rules: RunRules, runs: readonly NotedRun[], ends: readonly StoreEnd[]): Promise<void> {
    const ids = new Set(runs.map(({ runId }) => runId));
    const scope = { ids, lastOrder: Math.max(...runs.map((it) => it.lastOrder)) };
    const { from, fromOrder } = runs[0] ?? { from: storeStart, fromOrder: 0 };
    await this.#feed(rules, { store: RUN_STORE, from, ends, scope });
    const near = this.#marks.findLast(({ order }) => order < fromOrder)?.place ?? storeStart;
    await this.#feed(rules, { store: VERDICT_STORE, from: near, ends, scope });
    const { findings, ...counts } = rules.judge();
    for (const finding of findings) this.#tell(finding);
    for (const run of runs) {
      if (run.isClosed) this.#runs.delete(run.runId);
      else this.#runs.set(run.runId, { ...run, judgedAtOrder: run.lastOrder });
    }
    this.counts.equal += counts.equal;
    this.counts.different += counts.different;
    this.counts.other += counts.other;
  }

  async #feed(rules: RunRules, { store, from, ends, scope }: Feed): Promise<void> {
    const end = ends.find((it) => it.store === store);
    if (end === undefined) return;
    let place = from;
    for await (const { segment, bytes, endBytes } of linesBetween(this.#directoryOf(store), from, end)) {
      const line = readJournalLine(store, bytes);
      if (line.type !== 'Record') continue;
      if (scope !== undefined && line.order > scope.lastOrder) return;
      if (store === VERDICT_STORE) this.#mark(line, place);
      place = { segment, endBytes, lineHash: line.hash, nextSeq: line.seq + 1 };
      const ids = readLineIds(bytes);
      if (scope === undefined || scope.ids.has(ids.runId ?? '')) rules.take(await this.#read(store, line, ids, bytes));
    }
  }

  async #read(store: string, line: RecordLine, ids: LineIds, bytes: Buffer): Promise<RunRecord> {
    const { seq, order, epoch, recordKind: kind } = line;
    const payload = await this.#options.payloads.read(store, line, bytes);
    const isLive = this.#options.once !== true && order > this.#options.bornAtOrder;
    return { store, seq, order, epoch, kind, ...ids, runId: ids.runId ?? '', payload, isLive };
  }

  /** Beyond the last mark only. */
  #mark({ order }: RecordLine, place: LineEnd): void {
    const last = this.#marks.at(-1);
    if (place.nextSeq < (last?.place.nextSeq ?? 0) + RECORDS_PER_MARK || place.lineHash === '') return;
    const marks = [...this.#marks, { place, order }];
    this.#marks = marks.length > MARKS_MAX ? marks.filter((_, index) => index % 2 === 1) : marks;
  }

  #directoryOf(store: string): string {
    return `${this.#options.directory}/${store}`;
  }

  #tell(found: Finding): void {
    if (this.#open.has(findingKey(found)) || this.#open.size >= OPEN_MAX) return;
    this.#open.set(findingKey(found), found);
    this.#fresh.push(found);
  }
}

/** The writer of the run's last record has written since, or its successor works on other runs. */
function wentOn({ epoch, lastOrder }: NotedRun, ends: readonly StoreEnd[]): boolean {
  return ends.some((end) => end.order > lastOrder && (end.epoch === epoch || workStores.has(end.store)));
}

/** A successor takes up all open runs before it writes here. */
const workStores: ReadonlySet<string> = new Set(['inbox', 'narrative']);
