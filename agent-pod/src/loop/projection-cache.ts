/**
 * A cached state of all that is folded at a start, so that it need not read years, or a busy day, of the record. Deletable at any time without loss.
 *
 * I1  It is written only at rest: no command, run or cycle is open.
 * I2  It is used only when the record still holds, at the same sequence, the same hash in every store that it folded.
 */
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Label } from '@retainer/mind/gate/provenance/label';
import type { Journal, JournalReader } from '@retainer/journal/journal';
import { OversightState } from './oversight.ts';
import { Projections, projectedStores } from './projections.ts';

/** Folded anew at each start: it is small, and its index is more than a list. */
const uncachedStore = 'megram';

/** Raised with every change of what the projections fold. */
const cacheVersion = 4;

const Cached = z.object({
  version: z.literal(cacheVersion),
  heads: z.array(z.object({ store: z.string(), seq: z.number(), hash: z.string() })),
  origins: z.array(z.string()),
  runIds: z.array(z.string()),
  facts: z.array(
    z.object({ key: z.string(), value: z.string(), writtenAtMs: z.number(), label: Label.exactOptional() }),
  ),
  artifacts: z.array(z.tuple([z.string(), z.number()])),
  oversight: OversightState,
});
type Cached = z.infer<typeof Cached>;

/** What an earlier process had folded. */
export interface Kept {
  readonly projections: Projections;
  readonly oversight: OversightState;
}

export class ProjectionCache {
  readonly #path: string;
  readonly #directory: string;

  /** @param directory  made when it is not there */
  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, 'projections.json');
  }

  /** Undefined when nothing is kept that fits the record. */
  async load(journal: JournalReader): Promise<Kept | undefined> {
    const cached = await this.#read();
    if (cached === undefined || !(await fits(cached, journal))) return undefined;
    const projections = new Projections();
    for (const origin of cached.origins) projections.origins.add(origin);
    for (const runId of cached.runIds) projections.runIds.add(runId);
    for (const fact of cached.facts) projections.facts.set(fact.key, fact);
    for (const [artifactId, seq] of cached.artifacts) projections.artifacts.set(artifactId, seq);
    for (const { store, seq } of cached.heads) projections.nextSeq.set(store, seq + 1);
    return { projections, oversight: cached.oversight };
  }

  /** Call at rest only. */
  async save({ projections, oversight }: Kept, journal: Pick<Journal, 'heads'>): Promise<void> {
    const cached: Cached = {
      version: cacheVersion,
      heads: journal
        .heads()
        .filter((head) => head.store !== uncachedStore && projectedStores.includes(head.store))
        .map(({ store, seq, hash }) => ({ store, seq, hash })),
      origins: [...projections.origins],
      runIds: [...projections.runIds],
      facts: [...projections.facts.values()],
      artifacts: [...projections.artifacts],
      oversight,
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
