/**
 * Cached forms of what is folded at a start, so that it need not read years, or a busy day, of the record. Deletable at any time without loss.
 *
 * I1  It is written only at rest: no command, run or cycle is open.
 * I2  It is used only when the record still holds, at the same sequence, the same hash in every store that it folded.
 * I3  A form that its projection does not take is dropped alone: that projection is folded anew, the others are not.
 */
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Journal, JournalReader } from '@retainer/journal/journal';
import type { Folded } from '@retainer/mind/projections/projections';

/** Of the file; each form in it has a version of its own. */
const fileVersion = 5;

const Cached = z.object({
  version: z.literal(fileVersion),
  heads: z.array(z.object({ store: z.string(), seq: z.number(), hash: z.string() })),
  /** By the projection's name. */
  forms: z.record(z.string(), z.object({ version: z.number(), form: z.unknown() })),
});
type Cached = z.infer<typeof Cached>;

export class ProjectionCache {
  readonly #path: string;
  readonly #directory: string;

  /** @param directory  made when it is not there */
  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, 'projections.json');
  }

  /**
   * Fills the states whose forms are kept and fit the record.
   *
   * @returns by the projection's name, the first sequence that a filled state has not seen
   */
  async restore(rows: readonly Folded[], journal: JournalReader): Promise<ReadonlyMap<string, number>> {
    const nextSeq = new Map<string, number>();
    const cached = await this.#read();
    if (cached === undefined || !(await fits(cached, journal))) return nextSeq;
    const ends = new Map(cached.heads.map(({ store, seq }) => [store, seq]));
    for (const { name, projection, state } of rows) {
      const kept = cached.forms[name];
      if (kept !== undefined && projection.restore(state, kept))
        nextSeq.set(name, (ends.get(projection.store) ?? -1) + 1);
    }
    return nextSeq;
  }

  /** Call at rest only. */
  async save(rows: readonly Folded[], journal: Pick<Journal, 'heads'>): Promise<void> {
    const kept = rows.flatMap(({ name, projection, state }) => {
      const form = projection.keep(state);
      return form === undefined ? [] : [{ name, store: projection.store, form }];
    });
    const stores = new Set(kept.map(({ store }) => store));
    const cached: Cached = {
      version: fileVersion,
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
      // Missing, torn or of another version: the record has it all.
      return undefined;
    }
  }
}

async function fits(cached: Cached, journal: JournalReader): Promise<boolean> {
  const newest = new Map(journal.heads().map((head) => [head.store, head]));
  for (const head of cached.heads) {
    const end = newest.get(head.store);
    // The end of a store is known without reading it: the usual case after a clean stop.
    const hash = end?.seq === head.seq ? end.hash : await hashAt(journal, head.store, head.seq);
    if (hash !== head.hash) return false;
  }
  return true;
}

async function hashAt(journal: JournalReader, store: string, seq: number): Promise<string | undefined> {
  for await (const record of journal.read(store, { fromSeq: seq })) return record.seq === seq ? record.hash : undefined;
  return undefined;
}
