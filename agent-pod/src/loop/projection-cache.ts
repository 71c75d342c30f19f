/**
 * Cached forms of the projections, so that a start need not read years, or a busy day, of the record. The cache can be deleted at
 * any time without loss.
 *
 * I1  The cache is written only at rest: no command, run or cycle is open.
 * I2  The cache is used only when every store that it folded still has the same hash at the same sequence.
 * I3  If a projection rejects its form, only that projection is folded anew.
 * I4  The cache of a program with other kinds of records is not used: it may stand for records that this program cannot read,
 *     and reading them is what refuses them.
 */
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { Journal, JournalReader } from '@retainer/journal/journal';
import type { StoreDefinition } from '@retainer/journal/stores';
import type { Folded } from '@retainer/mind/projections/projections';
import { agentStores } from './stores.ts';

/** Version of the file; each form in it has its own version. */
const FILE_VERSION = 6;

const Cached = z.object({
  version: z.literal(FILE_VERSION),
  /** Digest of the kinds of all stores, with their versions. */
  kinds: z.string(),
  heads: z.array(z.object({ store: z.string(), seq: z.number(), hash: z.string() })),
  /** By the name of the projection. */
  forms: z.record(z.string(), z.object({ version: z.number(), form: z.unknown() })),
});
type Cached = z.infer<typeof Cached>;

export class ProjectionCache {
  readonly #path: string;
  readonly #directory: string;
  readonly #kinds: string;

  /** @param directory  created if missing */
  constructor(directory: string, stores: readonly StoreDefinition[] = agentStores) {
    this.#directory = directory;
    this.#kinds = digestOf(stores);
    this.#path = join(directory, 'projections.json');
  }

  /** Fills states whose cached forms fit the record. @returns by projection, the first sequence not seen by its state */
  async restore(
    rows: readonly Folded[],
    journal: Pick<JournalReader, 'read' | 'heads'>,
  ): Promise<ReadonlyMap<string, number>> {
    const nextSeq = new Map<string, number>();
    const cached = await this.#read();
    if (cached?.kinds !== this.#kinds || !(await fits(cached, journal))) return nextSeq;
    const ends = new Map(cached.heads.map(({ store, seq }) => [store, seq]));
    for (const { name, projection, state } of rows) {
      const kept = cached.forms[name];
      if (kept !== undefined && projection.restore(state, kept))
        nextSeq.set(name, (ends.get(projection.store) ?? -1) + 1);
    }
    return nextSeq;
  }

  /** Call it at rest only. */
  async save(rows: readonly Folded[], journal: Pick<Journal, 'heads'>): Promise<void> {
    const kept = rows.flatMap(({ name, projection, state }) => {
      const form = projection.keep(state);
      return form === undefined ? [] : [{ name, store: projection.store, form }];
    });
    const stores = new Set(kept.map(({ store }) => store));
    const cached: Cached = {
      version: FILE_VERSION,
      kinds: this.#kinds,
      heads: journal
        .heads()
        .filter(({ store }) => stores.has(store))
        .map(({ store, seq, hash }) => ({ store, seq, hash })),
      forms: Object.fromEntries(kept.map(({ name, form }) => [name, form])),
    };
    await mkdir(this.#directory, { recursive: true });
    const temporary = `${this.#path}.tmp`;
    const file = await open(temporary, 'w');
    try {
      await file.writeFile(JSON.stringify(cached));
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(temporary, this.#path);
  }

  async #read(): Promise<Cached | undefined> {
    try {
      return Cached.parse(JSON.parse(await readFile(this.#path, 'utf8')));
    } catch {
      // The file is missing, torn or of another version. The record holds everything.
      return undefined;
    }
  }
}

function digestOf(stores: readonly StoreDefinition[]): string {
  const kinds = stores.flatMap((store) =>
    Object.entries(store.kinds).map(([kind, { version }]) => `${store.name}/${kind}/${version}`),
  );
  return sha256Hex(kinds.toSorted().join('\n'));
}

async function fits(cached: Cached, journal: Pick<JournalReader, 'read' | 'heads'>): Promise<boolean> {
  const newest = new Map(journal.heads().map((head) => [head.store, head]));
  for (const head of cached.heads) {
    const end = newest.get(head.store);
    // The end of a store is known without reading it: the usual case after a clean stop.
    const hash = end?.seq === head.seq ? end.hash : await hashAt(journal, head.store, head.seq);
    if (hash !== head.hash) return false;
  }
  return true;
}

async function hashAt(journal: Pick<JournalReader, 'read'>, store: string, seq: number): Promise<string | undefined> {
  for await (const record of journal.read(store, { fromSeq: seq })) return record.seq === seq ? record.hash : undefined;
  return undefined;
}
