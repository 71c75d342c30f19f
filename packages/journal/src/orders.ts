/**
 * The places in the order of a whole journal that have a record, and those that must have one. Pure.
 *
 * Every record of every store gets the next number, so a number without a record is a record that was taken away. Only a crash
 * leaves such numbers rightly: of records that were under way in its last moments.
 *
 * Source: reliability-security 1.
 */
import type { LineHead } from './codec.ts';

/** Both ends inclusive. */
export interface OrderRange {
  readonly from: number;
  readonly to: number;
}

/** Kinds that an opening, or the taking up after a full volume, writes first. */
const openingKinds: ReadonlySet<string> = new Set(['StoreOpened', 'Recovered', 'Opened', 'DiskFull']);

/** Orders of one piece of the bitmap. */
const CHUNK_ORDERS = 32_768;
/** Orders that share one remembered time. */
const TIMED_ORDERS = 64;
/** What a crash may lose: a lazy store's second, and a write that a busy disk held up for long. */
const CRASH_WINDOW_MS = 60_000;

export class Orders {
  readonly #chunks = new Map<number, Uint8Array>();
  /** Highest time among {@link TIMED_ORDERS} neighbours. */
  readonly #times = new Map<number, number>();
  readonly #starts: number[] = [];
  readonly #closings = new Set<number>();
  readonly #explained: OrderRange[] = [];
  readonly #end: number;
  #max = -1;

  /** @param end  the last order that counts; those after it may be noted in part */
  constructor(end = Number.POSITIVE_INFINITY) {
    this.#end = end;
  }

  note({ order, kind, time }: LineHead): void {
    if (order > this.#end) return;
    const chunk = Math.floor(order / CHUNK_ORDERS);
    const bits = this.#chunks.get(chunk) ?? new Uint8Array(CHUNK_ORDERS / 8);
    this.#chunks.set(chunk, bits);
    const bit = order % CHUNK_ORDERS;
    bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (1 << (bit & 7));
    const timed = Math.floor(order / TIMED_ORDERS);
    this.#times.set(timed, Math.max(this.#times.get(timed) ?? 0, Date.parse(time)));
    if (order > this.#max) this.#max = order;
    if (openingKinds.has(kind)) this.#starts.push(order);
    if (kind === 'Closed') this.#closings.add(order);
  }

  /** A gap accounts for these. */
  explain(range: OrderRange): void {
    this.#explained.push(range);
  }

  /** Orders without a record between two others, which are not part of the answer. */
  between(after: number, before: number): readonly OrderRange[] {
    const end = Math.min(before, this.#max + 1);
    const found: OrderRange[] = [];
    let next = after + 1;
    for (const chunk of [...this.#chunks.keys()].toSorted((a, b) => a - b)) {
      const bits = this.#chunks.get(chunk) ?? new Uint8Array(0);
      const chunkEnd = Math.min((chunk + 1) * CHUNK_ORDERS, end);
      if (chunkEnd <= next) continue;
      // A chunk that is not there is one wide hole: a changed line may claim any number.
      extend(found, { from: next, to: Math.min(chunk * CHUNK_ORDERS, end) - 1 });
      for (let order = Math.max(next, chunk * CHUNK_ORDERS); order < chunkEnd; order += 1)
        if (!hasBit(bits, order)) extend(found, { from: order, to: order });
      next = chunkEnd;
    }
    return found;
  }

  /** Orders that must have a record and have none. */
  missing(): readonly OrderRange[] {
    const starts = this.#starts.toSorted((a, b) => a - b);
    const ends = [...starts, Number.POSITIVE_INFINITY];
    return this.between(-1, this.#max).filter(
      (hole) => !this.#isExplained(hole) && !this.#isLostInCrash(hole, ends.find((start) => start > hole.to) ?? 0),
    );
  }

  #isExplained({ from, to }: OrderRange): boolean {
    return this.#explained.some((it) => it.from <= from && to <= it.to);
  }

  /** @param end  order at which the next opening began */
  #isLostInCrash({ to }: OrderRange, end: number): boolean {
    const last = Math.min(end - 1, this.#max);
    for (const closing of this.#closings) if (closing > to && closing <= last) return false;
    const own = Math.floor(to / TIMED_ORDERS);
    const later = [...this.#times].filter(([timed]) => timed > own && timed <= Math.floor(last / TIMED_ORDERS));
    const since = later.reduce((first, it) => (it[0] < first[0] ? it : first), later[0] ?? [0, 0]);
    return later.every(([, timeMs]) => timeMs - since[1] <= CRASH_WINDOW_MS);
  }
}

function hasBit(bits: Uint8Array, order: number): boolean {
  const bit = order % CHUNK_ORDERS;
  return ((bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
}

/** Joins neighbours. */
function extend(ranges: { from: number; to: number }[], { from, to }: OrderRange): void {
  if (to < from) return;
  const last = ranges.at(-1);
  if (last !== undefined && last.to + 1 === from) last.to = to;
  else ranges.push({ from, to });
}

/** Ranges that a sentence names; more would only repeat. */
const NAMED_RANGES_MAX = 10;

/** `3, 7-9 and 12 more ranges`. */
export function renderOrders(ranges: readonly OrderRange[]): string {
  const named = ranges.slice(0, NAMED_RANGES_MAX).map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
  const more = ranges.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more ranges` : named.join(', ');
}
