/** A journal that counts at its port how often each record was read. */
import type { Journal, JournalReader } from '@retainer/journal/journal';

export interface CountedReads {
  readonly journal: Journal;
  /** By `store/seq`. */
  readonly reads: ReadonlyMap<string, number>;
}

export function countedReads(journal: Journal): CountedReads {
  const reads = new Map<string, number>();
  const read: JournalReader['read'] = async function* counted(store, range) {
    for await (const record of journal.read(store, range)) {
      const name = `${store}/${record.seq}`;
      reads.set(name, (reads.get(name) ?? 0) + 1);
      yield record;
    }
  };
  const counted = new Proxy(journal, {
    get(target, property) {
      if (property === 'read') return read;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { journal: counted, reads };
}
