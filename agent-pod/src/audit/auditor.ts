/**
 * One look after another at all stores of a journal. Reads the journal, writes the auditor's own record, tells people.
 *
 * I1  Nothing below the journal's directory is written, locked or created.
 * I2  A look costs what is new; the whole of a store is walked when its files are not those of the last look, and once a day.
 * I3  What was found stays open until a walk over the whole store no longer finds it, or a person sets it aside.
 *
 * Source: design 5.10; reliability-security 1.2 (heads to the auditor).
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { Head } from '../journal/journal.ts';
import { compareHeads } from './compare-heads.ts';
import { findingKey, isAlarm, type Finding } from './finding.ts';
import { storesIn, storesMax, traceOf } from './journal-directory.ts';
import { endsWithHash } from './read-lines.ts';
import * as watches from './store-watch.ts';
import type { StoreWatch } from './store-watch.ts';
import { freshPosition, type ChainPosition } from './walk-chain.ts';
import { walkStore, type Walk } from './walk-store.ts';

/** Where heads and findings go. */
export interface HeadRecordPort {
  readonly heads: ReadonlyMap<string, readonly Head[]>;
  keepHeads(heads: readonly Head[]): Promise<void>;
  tell(findings: readonly Finding[]): Promise<void>;
}

export interface AuditorOptions {
  /** The journal's; may be mounted read-only, may not be there yet. */
  readonly directory: string;
  readonly record: HeadRecordPort;
  readonly clock: Clock;
  /** For a copy that nobody writes to: what is there counts at once, and heads are kept only if nothing is wrong. */
  readonly once?: boolean;
  /** What an earlier auditor saved. */
  readonly saved?: SavedPositions | undefined;
}

/** A cache: without it the next auditor walks every store from its start. */
export interface SavedPositions {
  /** Wall clock of the last walk over everything. */
  readonly wholeAtMs: number;
  readonly stores: readonly Pick<StoreWatch, 'store' | 'settled' | 'sealed'>[];
  readonly open: readonly Finding[];
}

export interface LookReport {
  /** Everything that is wrong now. */
  readonly open: readonly Finding[];
  /** Open, and not told by this process before. */
  readonly fresh: readonly Finding[];
  readonly kept: readonly Head[];
  readonly records: number;
  readonly bytes: number;
  readonly stores: readonly { readonly store: string; readonly lastSeq: number; readonly keptSeq: number }[];
}

/** Everything is walked anew this often: finds what rots without any file changing its size or time. */
export const wholeEveryMs = 24 * 3_600_000;

const journalItself = '*';

export class Auditor {
  readonly #options: AuditorOptions;
  readonly #watches = new Map<string, StoreWatch>();
  readonly #open = new Map<string, Finding>();
  readonly #told = new Set<string>();
  #wholeAtMs: number;
  /** Epoch of the journal's own store as seen one look ago. Not saved: what was not settled is walked again. */
  #epochFloor = 0;

  constructor(options: AuditorOptions) {
    this.#options = options;
    this.#wholeAtMs = options.saved?.wholeAtMs ?? Number.NEGATIVE_INFINITY;
    for (const { store, settled, sealed } of options.saved?.stores ?? []) {
      const watch = watches.newWatch(store, this.#heads(store).at(-1));
      this.#watches.set(store, { ...watch, seen: settled, settled, sealed });
    }
    for (const finding of options.saved?.open ?? []) this.#open.set(findingKey(finding), finding);
  }

  /** @throws the file system's own error, where something cannot be read; the next look starts over */
  async look(): Promise<LookReport> {
    const { directory, record, clock } = this.#options;
    const nowMs = clock.nowMs();
    const isWhole = nowMs - this.#wholeAtMs >= wholeEveryMs || nowMs < this.#wholeAtMs;
    const onDisk = await storesIn(directory);
    this.#boundStores(onDisk);
    const present = onDisk.slice(0, storesMax);
    const known = [...record.heads.keys(), ...this.#watches.keys()].filter((store) => !onDisk.includes(store));
    const walks: Walk[] = [];
    for (const store of new Set([...present, ...known])) {
      const walk = await this.#lookAt(store, present.includes(store), isWhole);
      if (walk !== undefined) walks.push(walk);
    }
    this.#epochFloor = Math.max(this.#epochFloor, this.#watches.get('system')?.seen.epoch ?? 0);
    if (isWhole) this.#wholeAtMs = nowMs;
    const kept = await this.#keepHeads();
    return { ...(await this.#tell()), kept, stores: this.#standings(), ...sums(walks) };
  }

  /** What the next auditor may start from. */
  save(): SavedPositions {
    const stores = [...this.#watches.values()].map(({ store, settled, sealed }) => ({ store, settled, sealed }));
    return { wholeAtMs: this.#wholeAtMs, stores, open: [...this.#open.values()] };
  }

  async #lookAt(store: string, exists: boolean, isWhole: boolean): Promise<Walk | undefined> {
    const watch = this.#watches.get(store) ?? watches.newWatch(store, this.#heads(store).at(-1));
    if (!exists || isWhole || isUnwalked(watch)) return this.#walkWhole(watch, exists, []);
    const missing = await this.#changedSegments(watch);
    if (missing !== undefined) return this.#walkWhole(watch, exists, missing);
    if (await this.#stands(watch, watch.seen)) return this.#walkOn(watch, this.#epochFloor);
    if (await this.#stands(watch, watch.settled)) return this.#walkOn(watches.rewind(watch), 0);
    return this.#walkWhole(watch, exists, []);
  }

  async #walkOn(watch: StoreWatch, epochFloor: number): Promise<Walk> {
    const { directory, clock } = this.#options;
    const { store, seen } = watch;
    const walk = await walkStore({ directory, store, from: seen, wanted: new Set(), epochFloor, checkBlobs: true });
    for (const finding of walk.findings) this.#open.set(findingKey(finding), finding);
    const look = { atMs: clock.monotonicMs(), position: walk.position, marks: walk.marks };
    this.#watches.set(store, watches.afterLook(watch, look, walk.sealed));
    return walk;
  }

  async #walkWhole(watch: StoreWatch, exists: boolean, missing: readonly Finding[]): Promise<Walk> {
    const { directory, clock } = this.#options;
    const { store } = watch;
    const settledHead = watches.headOf(store, watch.settled);
    const kept = [...this.#heads(store), ...(settledHead === undefined ? [] : [settledHead])].toSorted(
      (a, b) => a.seq - b.seq,
    );
    const wanted = new Set(kept.map(({ seq }) => seq));
    const walk = await walkStore({ directory, store, from: freshPosition, wanted, epochFloor: 0, checkBlobs: true });
    const { position, standing } = walk;
    const lost = compareHeads(kept, { store, exists, lastSeq: position.lastSeq, standing });
    for (const [key, finding] of this.#open) if (finding.store === store) this.#open.delete(key);
    const found = [...missing, ...lost, ...walk.findings, ...this.#unfinished(store, walk)];
    for (const finding of found) this.#open.set(findingKey(finding), finding);
    const isKept = new Set(kept.map(({ seq, hash }) => `${seq}:${hash}`));
    const marks = walk.marks.filter(({ seq, hash }) => !isKept.has(`${seq}:${hash}`));
    const settled = (await this.#stands(watch, watch.settled)) ? watch.settled : freshPosition;
    const anew = { ...watch, seen: freshPosition, settled, looks: [], marks: [] };
    this.#watches.set(store, watches.afterLook(anew, { atMs: clock.monotonicMs(), position, marks }, walk.sealed));
    return walk;
  }

  /** Where an agent is at work, it is the line that is being written. */
  #unfinished(store: string, { unfinished, position: { segment, line } }: Walk): readonly Finding[] {
    if (!unfinished || this.#options.once !== true) return [];
    const file = `${store}/${segment}`;
    return [{ kind: 'TailUnfinished', store, file, line: line + 1, detail: 'no newline ends it' }];
  }

  /** Undefined when the sealed segments are those of the last look; else a finding for each that is gone. */
  async #changedSegments({ store, sealed }: StoreWatch): Promise<readonly Finding[] | undefined> {
    const missing: Finding[] = [];
    let isChanged = false;
    for (const then of sealed) {
      const now = await traceOf(`${this.#options.directory}/${store}`, then.file);
      const { file, sizeBytes } = then;
      if (now === undefined)
        missing.push({ kind: 'SegmentMissing', store, file: `${store}/${file}`, detail: `it had ${sizeBytes} bytes` });
      isChanged ||=
        now === undefined ||
        now.sizeBytes !== sizeBytes ||
        now.modifiedMs !== then.modifiedMs ||
        now.inode !== then.inode;
    }
    return isChanged ? missing : undefined;
  }

  /** Whether the file still holds this place, and the line that ended there. */
  async #stands({ store }: StoreWatch, { segment, endBytes, lineHash }: ChainPosition): Promise<boolean> {
    if (segment === '') return true;
    const storeDirectory = `${this.#options.directory}/${store}`;
    const trace = await traceOf(storeDirectory, segment);
    if (trace === undefined || trace.sizeBytes < endBytes) return false;
    return lineHash === '' || endsWithHash(`${storeDirectory}/${segment}`, endBytes, lineHash);
  }

  async #keepHeads(): Promise<readonly Head[]> {
    const { clock, once } = this.#options;
    if (once === true && [...this.#open.values()].some(isAlarm)) return [];
    const nowMs = clock.monotonicMs();
    const due: Head[] = [];
    for (const [store, before] of this.#watches) {
      const watch = watches.settle(before, nowMs, once === true ? 0 : watches.settleMs);
      const heads = watches.headsDue(watch, nowMs);
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
    const key = findingKey({ kind: 'TooManyStores', store: journalItself, detail: '' });
    this.#open.delete(key);
    const detail = `${onDisk.length} are there, ${storesMax} are looked at`;
    if (onDisk.length > storesMax) this.#open.set(key, { kind: 'TooManyStores', store: journalItself, detail });
  }

  #standings(): LookReport['stores'] {
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

/** Nothing was walked yet by anybody whose word counts. */
function isUnwalked({ settled, looks }: StoreWatch): boolean {
  return settled.segment === '' && looks.length === 0;
}

function sums(walks: readonly Walk[]): { readonly records: number; readonly bytes: number } {
  return {
    records: walks.reduce((sum, { records }) => sum + records, 0),
    bytes: walks.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
