/**
 * The one writer of memory: each store says which kinds its writers may write, and nothing else is written.
 *
 * I1  A kind that a store does not name for a writer is a type error, and is refused at run time: nothing is written then.
 *
 * Source: artoo C (one writer, typed commands, a list of who may write what), A.11 (only the steering step, and the Dreamer after it,
 * write megrams).
 */
import { invariant } from '@retainer/contract/std/invariant';
import type { NewRecord } from '@retainer/journal/journal';
import { dreamStore } from '@retainer/mind/archive/dream-event';
import { WRITERS, type PartRecord, type PartStore, type RecordBy, type Writer } from '@retainer/mind/part/store';
import { storesOfParts, type StoreOfParts } from '@retainer/mind/parts/derived';
import { inboxStore } from '@retainer/mind/run/inbox';
import { humanPrincipal } from './principal.ts';

/** Stores that are written here; runs and cycles write their own. */
const stores: readonly PartStore[] = [inboxStore, dreamStore, ...storesOfParts];

/** What a writer may ask for. */
export type MemoryCommand<W extends Writer> = W extends Writer
  ? RecordBy<W, StoreOfParts | typeof inboxStore | typeof dreamStore>
  : never;

/** Kinds that a writer may write, as `STORE KIND`. */
function allowedTo(writer: Writer): ReadonlySet<string> {
  return new Set(stores.flatMap(({ name, writers }) => (writers[writer] ?? []).map((kind) => `${name} ${kind}`)));
}

export class MemoryWriter {
  readonly #append: (records: readonly NewRecord[]) => Promise<unknown>;
  readonly #allowed = new Map<Writer, ReadonlySet<string>>();

  constructor(append: (records: readonly NewRecord[]) => Promise<unknown>) {
    this.#append = append;
  }

  /** Resolves when all records are durable; throws before anything is written if one is not the writer's. */
  write<W extends Writer>(writer: W, records: readonly MemoryCommand<W>[]): Promise<void> {
    return this.writeAny(writer, records);
  }

  /** As `write`, of records whose types only the store's own table knows. */
  async writeAny(writer: Writer, records: readonly PartRecord[]): Promise<void> {
    const allowed = this.#allowed.get(writer) ?? allowedTo(writer);
    this.#allowed.set(writer, allowed);
    const written = records.map(({ by, runId, cycleId, store, kind, payload }): NewRecord => {
      invariant(allowed.has(`${store} ${kind}`), `memory takes no ${kind} of store ${store} from ${writer}`);
      return {
        store,
        kind,
        principal: by === undefined ? WRITERS[writer] : humanPrincipal(by),
        payload: payload as NewRecord['payload'],
        ...(runId === undefined ? {} : { runId }),
        ...(cycleId === undefined ? {} : { cycleId }),
      };
    });
    // One append is for one store: what is for several is written in the order that the caller chose, and a crash may come between.
    for (let from = 0; from < written.length;) {
      const other = written.findIndex(({ store }, at) => at > from && store !== written[from]?.store);
      const to = other === -1 ? written.length : other;
      await this.#append(written.slice(from, to));
      from = to;
    }
  }
}
