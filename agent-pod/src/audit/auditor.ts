/**
 * Looks at all stores of a journal periodically. Reads the journal, writes the auditor's own record, reports to people.
 *
 * I1  The auditor writes, locks and creates nothing below the journal's directory.
 * I2  A look reads only new data. It walks a whole store when files seen by the last look have changed. Once a day a walk over
 *     all stores runs in parallel with the looks, so that no head waits for it.
 * I3  A finding stays open until a whole walk of the store no longer finds it, or a person sets it aside.
 *
 * Source: design 5; reliability-security 1 (heads to the auditor).
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { Head } from '@retainer/journal/journal';
import { compareHeads } from './compare-heads.ts';
import { findingKey, isAlarm, JOURNAL_ITSELF, type Finding } from './finding.ts';
import { storesIn, STORES_MAX, traceOf } from './journal-directory.ts';
import { isSame, OpenSegment } from './open-segment.ts';
import { endsWithHash } from './read-lines.ts';
import * as watches from './store-watch.ts';
import type { StoreWatch } from './store-watch.ts';
import { CONFIGURED_STORE, type Walked } from './verdict-audit.ts';
import type { JudgedEnd } from './judge-records.ts';
import { freshPosition, type ChainPosition } from './walk-chain.ts';
import { walkStore, type Noted, type Walk, type WalkRequest } from './walk-store.ts';

export interface HeadRecordPort {
  readonly heads: ReadonlyMap<string, readonly Head[]>;
  /** Gaps that a person acknowledged: `STORE/SEQUENCE`. */
  readonly acknowledged?: ReadonlySet<string>;
  keepHeads(heads: readonly Head[]): Promise<void>;
  tell(findings: readonly Finding[]): Promise<void>;
}

export interface AuditorOptions {
  /** The journal's. May be read-only; may not exist yet. */
  readonly directory: string;
  readonly record: HeadRecordPort;
  readonly clock: Clock;
  /** For a copy without a writer: records settle at once, and heads are kept only without alarms. */
  readonly once?: boolean;
  readonly saved?: SavedPositions | undefined;
  /** Ends the daily walk early. */
  readonly signal?: AbortSignal | undefined;
}

/** A cache: without it the next auditor walks every store from its start. */
export interface SavedPositions {
  /** Wall clock at the last whole walk. */
  readonly wholeAtMs: number;
  readonly stores: readonly Pick<StoreWatch, 'store' | 'settled' | 'sealed'>[];
  readonly open: readonly Finding[];
}

export interface LookReport {
  /** Everything that is wrong now. */
  readonly open: readonly Finding[];
  /** Open, and not reported by this process before. */
  readonly fresh: readonly Finding[];
  readonly kept: readonly Head[];
  readonly records: number;
  readonly bytes: number;
  /** Facts about messages from the run store, if walked. */
  readonly noted: readonly Noted[];
  readonly stores: readonly { readonly store: string; readonly lastSeq: number; readonly keptSeq: number }[];
}

/** The store that the journal itself writes. */
const JOURNAL_STORE = 'system';

/** Period of the whole walk. It finds bit rot, which changes neither size nor time of a file. */
export const WHOLE_EVERY_MS = 24 * 3_600_000;

interface Inspection {
  readonly walk: Walk;
  /** The compared heads, oldest first. */
  readonly heads: readonly Head[];
}

export class Auditor {
  readonly #options: AuditorOptions;
  readonly #watches = new Map<string, StoreWatch>();
  readonly #openSegments = new Map<string, OpenSegment>();
  readonly #open = new Map<string, Finding>();
  readonly #told = new Set<string>();
  #wholeAtMs: number | undefined;
  #wholeWalk: Promise<void> | undefined;
  #wholeFailure: Error | undefined;
  /** Epoch of the journal's own store one look ago. Not saved, because a new auditor walks unsettled records again. */
  #epochFloor = 0;
  /** Its writer said that it was the last one: nothing that is there will go away again. */
  #isClosed = false;
  /** Ends a walk of a whole store early. */
  #signal: AbortSignal | undefined;

  constructor(options: AuditorOptions) {
    this.#options = options;
    this.#signal = options.signal;
    this.#wholeAtMs = options.saved?.wholeAtMs;
    for (const { store, settled, sealed } of options.saved?.stores ?? []) {
      const lastKept = this.#heads(store).at(-1);
      // The position predates the last kept heads, and only a whole walk compares those.
      if (lastKept !== undefined && lastKept.seq > settled.lastSeq) continue;
      this.#watches.set(store, { ...watches.newWatch(store, lastKept), seen: settled, settled, sealed });
    }
    for (const finding of options.saved?.open ?? []) this.#found(finding);
  }

  /**
   * The last look of this process: of a journal that was closed it keeps the ends, however new they are.
   *
   * @param signal  ends it early, by a rejection
   * @throws the file system's error when a read fails
   */
  lookLast(signal: AbortSignal): Promise<LookReport> {
    this.#signal = signal;
    return this.look(true);
  }

  /** @throws the file system's error when a read fails; the next look starts over */
  async look(isLast = false): Promise<LookReport> {
    const { directory, record } = this.#options;
    const onDisk = await storesIn(directory);
    this.#boundStores(onDisk);
    const present = onDisk.slice(0, STORES_MAX);
    const gone = [...record.heads.keys(), ...this.#watches.keys()].filter((store) => !onDisk.includes(store));
    const walks: Walk[] = [];
    for (const store of present) {
      const walk = await this.#lookAt(store);
      if (store === JOURNAL_STORE && walk.lastKind !== undefined) this.#isClosed = walk.lastKind === 'Closed';
      walks.push(walk);
    }
    for (const store of new Set(gone)) walks.push(await this.#walkWhole(this.#watch(store), false, []));
    this.#epochFloor = Math.max(this.#epochFloor, this.#watches.get(JOURNAL_STORE)?.seen.epoch ?? 0);
    this.#startWholeWalk(present);
    const kept = await this.#keepHeads(isLast && this.#isClosed);
    const noted = walks.flatMap((walk) => (walk.noted === undefined ? [] : [walk.noted]));
    return { ...(await this.#tell()), kept, noted, stores: this.#storeStates(), ...sums(walks) };
  }

  /** Resolves when no whole walk is running. */
  async settled(): Promise<void> {
    await this.#wholeWalk;
  }

  save(): SavedPositions {
    const stores = [...this.#watches.values()].map(({ store, settled, sealed }) => ({ store, settled, sealed }));
    return { wholeAtMs: this.#wholeAtMs ?? 0, stores, open: [...this.#open.values()] };
  }

  get walked(): Walked {
    return { seen: (store) => this.#watch(store).seen, settled: (store) => this.#watch(store).settled };
  }

  /** How far each store can be judged: to its settled end, but configurations to the newest one. */
  get ends(): readonly JudgedEnd[] {
    return [...this.#watches.values()].map(({ store, seen, settled }) => {
      const { segment, endBytes, lineHash, order, epoch } = store === CONFIGURED_STORE ? seen : settled;
      return { store, segment, endBytes, lineHash, order, epoch };
    });
  }

  async #lookAt(store: string): Promise<Walk> {
    const watch = this.#watch(store);
    if (isUnwalked(watch)) return this.#walkWhole(watch, true, []);
    const missing = await this.#changedSegments(watch);
    if (missing !== undefined) return this.#walkWhole(watch, true, missing);
    const changed = await this.#reread(watch);
    if (changed !== undefined) return this.#walkWhole(watch, true, [changed]);
    if (await this.#stands(watch, watch.seen)) return this.#walkOn(watch, this.#epochFloor);
    if (!(await this.#stands(watch, watch.settled))) return this.#walkWhole(watch, true, []);
    this.#openSegments.get(store)?.forgetAfter(watch.settled);
    return this.#walkOn(watches.rewind(watch), 0);
  }

  #reread({ store, settled }: StoreWatch): Promise<Finding | undefined> {
    const { directory, clock } = this.#options;
    const open = this.#openSegments.get(store) ?? new OpenSegment();
    this.#openSegments.set(store, open);
    return open.look({ directory, store, settled, nowMs: clock.monotonicMs() });
  }

  #watch(store: string): StoreWatch {
    return this.#watches.get(store) ?? watches.newWatch(store, this.#heads(store).at(-1));
  }

  /** Once a day. Not at the start, because the first look walks every store without a saved position. */
  #startWholeWalk(stores: readonly string[]): void {
    if (this.#wholeFailure !== undefined) {
      const failure = this.#wholeFailure;
      this.#wholeFailure = undefined;
      throw failure;
    }
    const nowMs = this.#options.clock.nowMs();
    this.#wholeAtMs ??= nowMs;
    const isDue = nowMs - this.#wholeAtMs >= WHOLE_EVERY_MS || nowMs < this.#wholeAtMs;
    if (!isDue || this.#wholeWalk !== undefined) return;
    this.#wholeWalk = this.#walkAll(stores, nowMs);
  }

  async #walkAll(stores: readonly string[], startedAtMs: number): Promise<void> {
    try {
      for (const store of stores) await this.#inspect(this.#watch(store), true, []);
      this.#wholeAtMs = startedAtMs;
    } catch (error) {
      const isAborted = this.#options.signal?.aborted === true;
      if (!isAborted) this.#wholeFailure = error instanceof Error ? error : new Error(String(error));
    } finally {
      this.#wholeWalk = undefined;
    }
  }

  async #walkOn(watch: StoreWatch, epochFloor: number): Promise<Walk> {
    const { directory, clock } = this.#options;
    const { store, seen } = watch;
    const request = { directory, store, from: seen, wanted: new Set<number>(), epochFloor, checkBlobs: true };
    const walk = await walkTwiceIfWrong(request, watch.settled);
    for (const finding of walk.findings) this.#found(finding);
    const look = { atMs: clock.monotonicMs(), position: walk.position, marks: walk.marks };
    this.#watches.set(store, watches.afterLook(watch, look, walk.sealed));
    this.#openSegments.get(store)?.note(walk.stops);
    return walk;
  }

  #found(finding: Finding): void {
    const { kind, store, seq } = finding;
    const isAcknowledged = this.#options.record.acknowledged?.has(`${store}/${seq}`) === true;
    const told =
      kind === 'GapRecorded' && isAcknowledged ? ({ ...finding, kind: 'GapAcknowledged' } as const) : finding;
    this.#open.set(findingKey(told), told);
  }

  /** Walks a store from its start and replaces its earlier findings. */
  async #inspect(watch: StoreWatch, exists: boolean, missing: readonly Finding[]): Promise<Inspection> {
    const { directory } = this.#options;
    const { store } = watch;
    const settledHead = watches.headOf(store, watch.settled);
    const kept = [...this.#heads(store), ...(settledHead === undefined ? [] : [settledHead])];
    const heads = kept.toSorted((a, b) => a.seq - b.seq);
    const wanted = new Set(heads.map(({ seq }) => seq));
    const request = {
      directory,
      store,
      from: freshPosition,
      wanted,
      epochFloor: 0,
      checkBlobs: true,
      signal: this.#signal,
    };
    const walk = await walkTwiceIfWrong(request, freshPosition);
    const { position, met } = walk;
    const lost = compareHeads(heads, { store, exists, lastSeq: position.lastSeq, met });
    for (const [key, finding] of this.#open) if (finding.store === store) this.#open.delete(key);
    const found = [...missing, ...lost, ...walk.findings, ...this.#unfinished(store, walk)];
    for (const finding of found) this.#found(finding);
    return { walk, heads };
  }

  async #walkWhole(watch: StoreWatch, exists: boolean, missing: readonly Finding[]): Promise<Walk> {
    const { walk, heads } = await this.#inspect(watch, exists, missing);
    const isKept = new Set(heads.map(({ seq, hash }) => `${seq}:${hash}`));
    const marks = walk.marks.filter(({ seq, hash }) => !isKept.has(`${seq}:${hash}`));
    const settled = (await this.#stands(watch, watch.settled)) ? watch.settled : freshPosition;
    const anew = { ...watch, seen: freshPosition, settled, looks: [], marks: [] };
    const look = { atMs: this.#options.clock.monotonicMs(), position: walk.position, marks };
    this.#watches.set(watch.store, watches.afterLook(anew, look, walk.sealed));
    const open = new OpenSegment();
    open.note(walk.stops);
    this.#openSegments.set(watch.store, open);
    return walk;
  }

  /** While an agent runs, an unfinished line is the one it is writing. */
  #unfinished(store: string, { unfinished, position: { segment, line } }: Walk): readonly Finding[] {
    if (!unfinished || this.#options.once !== true) return [];
    const file = `${store}/${segment}`;
    return [{ kind: 'TailUnfinished', store, file, line: line + 1, detail: 'no newline ends it' }];
  }

  /** Undefined if no sealed segment changed since the last look; else a finding for each missing one. */
  async #changedSegments({ store, sealed }: StoreWatch): Promise<readonly Finding[] | undefined> {
    const missing: Finding[] = [];
    let isChanged = false;
    for (const then of sealed) {
      const now = await traceOf(`${this.#options.directory}/${store}`, then.file);
      const { file, sizeBytes } = then;
      if (now === undefined)
        missing.push({ kind: 'SegmentMissing', store, file: `${store}/${file}`, detail: `it had ${sizeBytes} bytes` });
      isChanged ||= now === undefined || !isSame(now, then);
    }
    return isChanged ? missing : undefined;
  }

  async #stands({ store }: StoreWatch, { segment, endBytes, lineHash }: ChainPosition): Promise<boolean> {
    if (segment === '') return true;
    const storeDirectory = `${this.#options.directory}/${store}`;
    const trace = await traceOf(storeDirectory, segment);
    if (trace === undefined || trace.sizeBytes < endBytes) return false;
    return lineHash === '' || endsWithHash(`${storeDirectory}/${segment}`, endBytes, lineHash);
  }

  async #keepHeads(isAtRest: boolean): Promise<readonly Head[]> {
    const { clock, once } = this.#options;
    if (once === true && [...this.#open.values()].some(isAlarm)) return [];
    const nowMs = clock.monotonicMs();
    const due: Head[] = [];
    for (const [store, before] of this.#watches) {
      const watch = watches.settle(before, nowMs, once === true || isAtRest ? 0 : watches.SETTLE_MS);
      const heads = watches.headsDue(watch, isAtRest ? Number.POSITIVE_INFINITY : nowMs);
      this.#watches.set(store, watches.afterKeeping(watch, heads, nowMs));
      due.push(...heads);
    }
    if (due.length > 0) await this.#options.record.keepHeads(due);
    return due;
  }

  async #tell(): Promise<{ readonly open: readonly Finding[]; readonly fresh: readonly Finding[] }> {
    const open = [...this.#open.values()];
    const fresh = open.filter((finding) => !this.#told.has(findingKey(finding)));
    if (fresh.length > 0) await this.#options.record.tell(fresh);
    this.#told.clear();
    for (const key of this.#open.keys()) this.#told.add(key);
    return { open, fresh };
  }

  #boundStores(onDisk: readonly string[]): void {
    const key = findingKey({ kind: 'TooManyStores', store: JOURNAL_ITSELF, detail: '' });
    this.#open.delete(key);
    const detail = `${onDisk.length} are there, ${STORES_MAX} are looked at`;
    if (onDisk.length > STORES_MAX) this.#open.set(key, { kind: 'TooManyStores', store: JOURNAL_ITSELF, detail });
  }

  #storeStates(): LookReport['stores'] {
    return [...this.#watches.values()].map(({ store, seen, lastKept }) => ({
      store,
      lastSeq: seen.lastSeq,
      keptSeq: lastKept?.seq ?? -1,
    }));
  }

  #heads(store: string): readonly Head[] {
    return this.#options.record.heads.get(store) ?? [];
  }
}

/**
 * A writer that removes its unacknowledged tail during a walk looks like damage, so only a second finding counts. An epoch that
 * went back counts at once, because the second walk runs without an epoch floor.
 */
async function walkTwiceIfWrong(request: WalkRequest, again: ChainPosition): Promise<Walk> {
  const first = await walkStore(request);
  if (!first.findings.some(isAlarm)) return first;
  const second = await walkStore({ ...request, from: again, epochFloor: 0 });
  const stale = first.findings.filter(({ kind }) => kind === 'EpochWentBack');
  return {
    ...second,
    findings: [...new Map([...second.findings, ...stale].map((it) => [findingKey(it), it])).values()],
  };
}

function isUnwalked({ settled, looks }: StoreWatch): boolean {
  return settled.segment === '' && looks.length === 0;
}

function sums(walks: readonly Walk[]): { readonly records: number; readonly bytes: number } {
  return {
    records: walks.reduce((sum, { records }) => sum + records, 0),
    bytes: walks.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
