/**
 * The auditor's check of verdicts: reads the stores `agent` and `cycle` with the auditor's own reader, and hands their records to
 * the rules that recompute the verdicts.
 *
 * I1  A look takes little more than {@link LOOK_MS_MAX} for records that no look judged before; the next look continues.
 * I2  A finding stays open until the judged part of the store changes, or a person sets it aside.
 * I3  A restart during a cycle begins at that cycle's first record, and reports no finding twice.
 *
 * Source: design 5.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { findingKey, type Finding, type FindingKind } from './finding.ts';
import { readJournalLine, readLineIds, type JournalLine } from './journal-line.ts';
import { linesBetween, stands, storeStart, type LineEnd } from './line-end.ts';
import type { ChainPosition } from './walk-chain.ts';
import type { WholePayloads } from './whole-payload.ts';

/** The agent's rules. Injected, so that the auditor's reader shares no code with the agent's. */
export interface VerdictRules {
  readonly verdicts: number;
  /** Cycles recorded under other rules, with other verdicts today. */
  readonly otherRulesCycles: number;
  readonly openFromSeq: number | undefined;
  take(record: RuledRecord): readonly VerdictFound[];
  /** Records before the next one are unreadable; another check reports that. */
  forget(): void;
}

/** A record of the stores `agent` and `cycle`. */
export interface RuledRecord {
  readonly store: string;
  readonly seq: number;
  /** Over all stores: determines the configuration of the record. */
  readonly order: number;
  readonly epoch: number;
  readonly kind: string;
  /** Of the form in which it was written. */
  readonly version: number;
  readonly cycleId: string | undefined;
  /** Without the kind. */
  readonly payload: unknown;
  /** Written while it is read. */
  readonly isLive: boolean;
}

interface VerdictFound {
  readonly kind: FindingKind;
  readonly store: string;
  readonly seq?: number | undefined;
  readonly detail: string;
}

export type PlaceInOrder = Pick<ChainPosition, 'segment' | 'endBytes' | 'order'>;

/** By store: the position walked to, and the position settled. */
export interface Walked {
  readonly seen: (store: string) => PlaceInOrder;
  readonly settled: (store: string) => PlaceInOrder;
}

/** State for the next auditor process. JSON. */
export interface SavedVerdicts {
  /** Start of the oldest unfinished cycle. */
  readonly from: LineEnd;
  /** Verdicts are recomputed up to here. */
  readonly to: LineEnd;
  readonly open: readonly Finding[];
}

export interface VerdictFigures {
  readonly verdictsTotal: number;
  readonly otherRulesCyclesTotal: number;
  /** Sequence in the store `cycle`; -1 before the first. */
  readonly lastSeq: number;
}

export const noVerdicts: VerdictFigures = { verdictsTotal: 0, otherRulesCyclesTotal: 0, lastSeq: -1 };

export interface VerdictAuditOptions {
  /** The journal's. */
  readonly directory: string;
  readonly clock: Clock;
  readonly payloads: WholePayloads;
  readonly makeRules: () => VerdictRules;
  readonly saved?: SavedVerdicts | undefined;
  /** Records of a higher order are written while an auditor watches. Default: those after the first look. */
  readonly bornAtOrder?: number | undefined;
  /** Reads everything in one look; for a copy. */
  readonly once?: boolean;
}

/** A third of the minute in which findings are told. */
export const LOOK_MS_MAX = 20_000;
/** Open findings; more add nothing. */
const OPEN_MAX = 1_000;
/** Remembered cycle starts. Beyond it every second one is dropped, and a restart reads a little more. */
const BEGINS_MAX = 512;

/** The store with the configuration of the gates, and the store with their verdicts. */
export const CONFIGURED_STORE = 'agent';
export const VERDICT_STORE = 'cycle';

type ReadStore = typeof CONFIGURED_STORE | typeof VERDICT_STORE;

type RecordOnLine = Extract<JournalLine, { readonly type: 'Record' }>;

export class VerdictAudit {
  readonly #options: VerdictAuditOptions;
  readonly #open = new Map<string, Finding>();
  #rules: VerdictRules;
  #places: Readonly<Record<ReadStore, LineEnd>> = { [CONFIGURED_STORE]: storeStart, [VERDICT_STORE]: storeStart };
  /** Ends of the lines before cycle starts, oldest first; no unfinished cycle starts before the first. */
  #begins: LineEnd[] = [];
  /** Findings below this sequence were reported before. */
  #judgedTo = 0;
  #verdicts = 0;
  #otherRulesCycles = 0;
  /** Records of a higher order are live; undefined before the first look. */
  #bornAtOrder: number | undefined;
  #isSavedChecked: boolean;
  #isChanged = false;
  #isDone = false;
  #fresh: Finding[] = [];

  constructor(options: VerdictAuditOptions) {
    this.#options = options;
    this.#rules = options.makeRules();
    this.#isSavedChecked = options.saved === undefined;
  }

  /** Call after a look at the chains. @returns new findings. @throws when a read fails; the next look starts over */
  async look(walked: Walked): Promise<readonly Finding[]> {
    try {
      return await this.#look(walked);
    } finally {
      await this.#options.payloads.forget();
    }
  }

  async #look({ seen, settled }: Walked): Promise<readonly Finding[]> {
    this.#bornAtOrder ??=
      this.#options.bornAtOrder ?? Math.max(seen(CONFIGURED_STORE).order, seen(VERDICT_STORE).order);
    if (!this.#isSavedChecked) await this.#takeUp();
    if (!(await this.#standsAll())) this.#startOver();
    this.#fresh = [];
    // The configuration first, unsettled records included: a verdict needs the configuration before it.
    await this.#read(CONFIGURED_STORE, seen(CONFIGURED_STORE));
    this.#isDone = await this.#read(VERDICT_STORE, settled(VERDICT_STORE));
    return this.#fresh;
  }

  /** Whether the last look came to the end. */
  get isDone(): boolean {
    return this.#isDone;
  }

  get open(): readonly Finding[] {
    return [...this.#open.values()];
  }

  get figures(): VerdictFigures {
    return {
      verdictsTotal: this.#verdicts,
      otherRulesCyclesTotal: this.#otherRulesCycles,
      lastSeq: this.#places[VERDICT_STORE].nextSeq - 1,
    };
  }

  /** Undefined if unchanged since the last call, and while it reads judged records again. */
  save(): SavedVerdicts | undefined {
    const to = this.#places[VERDICT_STORE];
    if (!this.#isChanged || to.nextSeq < this.#judgedTo) return undefined;
    this.#isChanged = false;
    const isOpen = this.#rules.openFromSeq !== undefined;
    return { from: isOpen ? (this.#begins[0] ?? storeStart) : to, to, open: this.open };
  }

  /** Ignores the saved state of another record, so that everything is judged again. */
  async #takeUp(): Promise<void> {
    const { saved } = this.#options;
    if (saved !== undefined && (await this.#stands(VERDICT_STORE, saved.to))) {
      this.#places = { ...this.#places, [VERDICT_STORE]: saved.from };
      this.#judgedTo = saved.to.nextSeq;
      for (const finding of saved.open) this.#open.set(findingKey(finding), finding);
    }
    this.#isSavedChecked = true;
  }

  #startOver(): void {
    this.#rules = this.#options.makeRules();
    this.#places = { [CONFIGURED_STORE]: storeStart, [VERDICT_STORE]: storeStart };
    this.#begins = [];
    this.#judgedTo = 0;
    this.#open.clear();
    this.#isChanged = true;
  }

  async #standsAll(): Promise<boolean> {
    const { agent, cycle } = this.#places;
    return (await this.#stands(CONFIGURED_STORE, agent)) && this.#stands(VERDICT_STORE, cycle);
  }

  #stands(store: ReadStore, place: LineEnd): Promise<boolean> {
    return stands(this.#directoryOf(store), place);
  }

  /** @returns false if the look ran out of time */
  async #read(store: ReadStore, end: PlaceInOrder): Promise<boolean> {
    const { clock, once } = this.#options;
    const lookMsMax = once === true || store === CONFIGURED_STORE ? Infinity : LOOK_MS_MAX;
    let endMs = Infinity;
    for await (const { segment, bytes, endBytes } of linesBetween(this.#directoryOf(store), this.#places[store], end)) {
      await this.#take(store, bytes, { segment, endBytes });
      if (endMs === Infinity && this.#places[store].nextSeq > this.#judgedTo) endMs = clock.monotonicMs() + lookMsMax;
      if (clock.monotonicMs() >= endMs) return false;
    }
    return true;
  }

  #directoryOf(store: ReadStore): string {
    return `${this.#options.directory}/${store}`;
  }

  async #take(store: ReadStore, bytes: Buffer, end: Pick<LineEnd, 'segment' | 'endBytes'>): Promise<void> {
    const { nextSeq } = this.#places[store];
    const line = readJournalLine(store, bytes);
    if (line.type === 'Unreadable') this.#rules.forget();
    if (line.type === 'Record') await this.#takeRecord(store, line, bytes);
    const lineHash = line.type === 'Unreadable' ? '' : line.hash;
    const place = { ...end, lineHash, nextSeq: line.type === 'Record' ? line.seq + 1 : nextSeq };
    this.#places = { ...this.#places, [store]: place };
    this.#isChanged = true;
  }

  async #takeRecord(store: ReadStore, line: RecordOnLine, bytes: Buffer): Promise<void> {
    const { seq, order, epoch, recordKind: kind, blob } = line;
    const { cycleId, version } = readLineIds(bytes);
    const payload = await this.#options.payloads.read(store, line, bytes);
    // The lost blob is reported by another check; a place that leads nowhere is not, and the rules say so of this record.
    if (blob !== undefined && payload === undefined) this.#rules.forget();
    if (kind === 'CycleStarted') this.#begins.push({ ...this.#places[store], nextSeq: seq });
    const isLive = this.#options.once !== true && order > (this.#bornAtOrder ?? Infinity);
    const { verdicts, otherRulesCycles } = this.#rules;
    const found = this.#rules.take({ store, seq, order, epoch, kind, version, cycleId, payload, isLive });
    this.#forgetBegins();
    if (store === VERDICT_STORE && seq < this.#judgedTo) return;
    this.#verdicts += this.#rules.verdicts - verdicts;
    this.#otherRulesCycles += this.#rules.otherRulesCycles - otherRulesCycles;
    for (const finding of found) this.#tell(finding);
  }

  #forgetBegins(): void {
    const { openFromSeq } = this.#rules;
    if (openFromSeq === undefined) this.#begins = [];
    const first = this.#begins.findLastIndex(({ nextSeq }) => nextSeq <= (openFromSeq ?? 0));
    if (first > 0) this.#begins = this.#begins.slice(first);
    if (this.#begins.length > BEGINS_MAX) this.#begins = this.#begins.filter((_, index) => index % 2 === 0);
  }

  #tell(found: VerdictFound): void {
    const isTold = this.#open.has(findingKey(found)) || this.open.some((it) => isSameVersion(it, found));
    if (isTold || this.#open.size >= OPEN_MAX) return;
    this.#open.set(findingKey(found), found);
    this.#fresh.push(found);
  }
}

/** One finding stands for all cycles that the same versions recorded. */
function isSameVersion(a: VerdictFound, b: VerdictFound): boolean {
  const versions = ({ detail }: VerdictFound): string => detail.slice(0, detail.indexOf(';'));
  return a.kind === 'OtherRules' && b.kind === 'OtherRules' && versions(a) === versions(b);
}
