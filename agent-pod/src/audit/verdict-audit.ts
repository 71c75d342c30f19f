/**
 * The auditor's check of verdicts: reads the stores `agent` and `cycle` with the auditor's own reader, and hands their records to
 * the rules that recompute the verdicts.
 *
 * I1  A look takes {@link LOOK_MS_MAX} at most, so that heads are kept in time; the next look continues.
 * I2  A finding stays open until the judged part of the store changes, or a person sets it aside.
 * I3  A restart during a cycle begins at that cycle's first record, and reports no finding twice.
 *
 * Source: design 5.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { parseJson } from '@retainer/contract/std/parse-json';
import { readBlob } from './check-blob.ts';
import { findingKey, type Finding, type FindingKind } from './finding.ts';
import { readJournalLine, type JournalLine } from './journal-line.ts';
import { segmentsIn } from './journal-directory.ts';
import { endsWithHash, readLines } from './read-lines.ts';
import { readLineContent } from './run-note.ts';
import type { ChainPosition } from './walk-chain.ts';

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
  readonly cycleId: string | undefined;
  /** Without the kind. */
  readonly payload: unknown;
  /** Written while it is read. */
  readonly isLive: boolean;
}

interface VerdictFound {
  readonly kind: FindingKind;
  readonly store: string;
  readonly seq: number;
  readonly detail: string;
}

/** The end of a line in its store. */
export type LineEnd = Pick<ChainPosition, 'segment' | 'endBytes' | 'lineHash' | 'nextSeq'>;

/** By store: the position walked to, and the position settled. */
export interface Walked {
  readonly seen: (store: string) => ChainPosition;
  readonly settled: (store: string) => ChainPosition;
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
  readonly makeRules: () => VerdictRules;
  readonly saved?: SavedVerdicts | undefined;
  /** Reads everything in one look; for a copy. */
  readonly once?: boolean;
}

/** A fifth of the longest pause between looks. */
const LOOK_MS_MAX = 1_000;
/** Open findings; more add nothing. */
const OPEN_MAX = 1_000;
/** Remembered cycle starts. Beyond it every second one is dropped, and a restart reads a little more. */
const BEGINS_MAX = 512;

/** The store with the configuration of the gates, and the store with their verdicts. */
export const CONFIGURED_STORE = 'agent';
export const VERDICT_STORE = 'cycle';

type ReadStore = typeof CONFIGURED_STORE | typeof VERDICT_STORE;

type RecordOnLine = Extract<JournalLine, { readonly type: 'Record' }>;

const start: LineEnd = { segment: '', endBytes: 0, lineHash: '', nextSeq: 0 };

export class VerdictAudit {
  readonly #options: VerdictAuditOptions;
  readonly #open = new Map<string, Finding>();
  #rules: VerdictRules;
  #places: Readonly<Record<ReadStore, LineEnd>> = { [CONFIGURED_STORE]: start, [VERDICT_STORE]: start };
  /** Ends of the lines before cycle starts, oldest first; no unfinished cycle starts before the first. */
  #begins: LineEnd[] = [];
  /** Findings below this sequence were reported before. */
  #judgedTo = 0;
  #pastVerdicts = 0;
  #pastOtherRulesCycles = 0;
  /** Records of a higher order are live; undefined before the first look. */
  #bornAtOrder: number | undefined;
  #isSavedChecked: boolean;
  #isChanged = false;
  #fresh: Finding[] = [];

  constructor(options: VerdictAuditOptions) {
    this.#options = options;
    this.#rules = options.makeRules();
    this.#isSavedChecked = options.saved === undefined;
  }

  /** Call after a look at the chains. @returns new findings. @throws when a read fails; the next look starts over */
  async look({ seen, settled }: Walked): Promise<readonly Finding[]> {
    const endMs = this.#options.clock.monotonicMs() + (this.#options.once === true ? Infinity : LOOK_MS_MAX);
    this.#bornAtOrder ??= Math.max(seen(CONFIGURED_STORE).order, seen(VERDICT_STORE).order);
    if (!this.#isSavedChecked) await this.#takeUp();
    if (!(await this.#standsAll())) this.#startOver();
    this.#fresh = [];
    // The configuration first, unsettled records included: a verdict needs the configuration before it.
    const isConfigured = await this.#read(CONFIGURED_STORE, seen(CONFIGURED_STORE), endMs);
    if (isConfigured) await this.#read(VERDICT_STORE, settled(VERDICT_STORE), endMs);
    return this.#fresh;
  }

  get open(): readonly Finding[] {
    return [...this.#open.values()];
  }

  get figures(): VerdictFigures {
    return {
      verdictsTotal: this.#pastVerdicts + this.#rules.verdicts,
      otherRulesCyclesTotal: this.#pastOtherRulesCycles + this.#rules.otherRulesCycles,
      lastSeq: this.#places[VERDICT_STORE].nextSeq - 1,
    };
  }

  /** Undefined if unchanged since the last call, and while it reads judged records again. */
  save(): SavedVerdicts | undefined {
    const to = this.#places[VERDICT_STORE];
    if (!this.#isChanged || to.nextSeq < this.#judgedTo) return undefined;
    this.#isChanged = false;
    const isOpen = this.#rules.openFromSeq !== undefined;
    return { from: isOpen ? (this.#begins[0] ?? start) : to, to, open: this.open };
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
    this.#pastVerdicts += this.#rules.verdicts;
    this.#pastOtherRulesCycles += this.#rules.otherRulesCycles;
    this.#rules = this.#options.makeRules();
    this.#places = { [CONFIGURED_STORE]: start, [VERDICT_STORE]: start };
    this.#begins = [];
    this.#judgedTo = 0;
    this.#open.clear();
    this.#isChanged = true;
  }

  async #standsAll(): Promise<boolean> {
    const { agent, cycle } = this.#places;
    return (await this.#stands(CONFIGURED_STORE, agent)) && this.#stands(VERDICT_STORE, cycle);
  }

  /** The hash of a line covers everything before it. */
  async #stands(store: ReadStore, { segment, endBytes, lineHash }: LineEnd): Promise<boolean> {
    if (lineHash === '') return true;
    return endsWithHash(`${this.#directoryOf(store)}/${segment}`, endBytes, lineHash).catch(() => false);
  }

  /** @returns false if the look ran out of time */
  async #read(store: ReadStore, end: ChainPosition, endMs: number): Promise<boolean> {
    for await (const { segment, bytes, endBytes } of linesBetween(this.#directoryOf(store), this.#places[store], end)) {
      await this.#take(store, bytes, { segment, endBytes });
      if (this.#options.clock.monotonicMs() >= endMs) return false;
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
    const { payload: inLine, cycleId } = readLineContent(bytes.toString('utf8'));
    const kept = blob === undefined ? undefined : await readBlob(this.#options.directory, blob);
    if (blob !== undefined && kept === undefined) this.#rules.forget();
    const payload = kept === undefined ? inLine : parseJson(kept);
    if (kind === 'CycleStarted') this.#begins.push({ ...this.#places[store], nextSeq: seq });
    const isLive = this.#options.once !== true && order > (this.#bornAtOrder ?? Infinity);
    const found = this.#rules.take({ store, seq, order, epoch, kind, cycleId, payload, isLive });
    this.#forgetBegins();
    const isJudged = store === VERDICT_STORE && seq < this.#judgedTo;
    if (!isJudged) for (const finding of found) this.#tell(finding);
  }

  #forgetBegins(): void {
    const { openFromSeq } = this.#rules;
    if (openFromSeq === undefined) this.#begins = [];
    const first = this.#begins.findLastIndex(({ nextSeq }) => nextSeq <= (openFromSeq ?? 0));
    if (first > 0) this.#begins = this.#begins.slice(first);
    if (this.#begins.length > BEGINS_MAX) this.#begins = this.#begins.filter((_, index) => index % 2 === 0);
  }

  #tell(found: VerdictFound): void {
    if (this.#open.has(findingKey(found)) || this.#open.size >= OPEN_MAX) return;
    this.#open.set(findingKey(found), found);
    this.#fresh.push(found);
  }
}

type Between = Pick<LineEnd, 'segment' | 'endBytes'>;

/** Bytes are valid until the caller asks for the next line. */
async function* linesBetween(
  storeDirectory: string,
  from: Between,
  to: Between,
): AsyncGenerator<Between & { readonly bytes: Buffer }> {
  const segments = await segmentsIn(storeDirectory);
  const first = Math.max(0, segments.indexOf(from.segment));
  for (const segment of segments.slice(first, segments.indexOf(to.segment) + 1)) {
    const fromBytes = segment === from.segment ? from.endBytes : 0;
    const toBytes = segment === to.segment ? to.endBytes : Infinity;
    for await (const lines of readLines(`${storeDirectory}/${segment}`, fromBytes)) {
      const some = lines.filter(({ endBytes }) => endBytes <= toBytes);
      yield* some.map(({ bytes, endBytes }) => ({ segment, bytes, endBytes }));
    }
  }
}
