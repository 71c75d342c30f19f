/** The journal with its projections: each appended record goes at once into the projections of its store. */
import type { Journal, JournalRecord, NewRecord } from '@retainer/journal/journal';
import type { Recorded } from '@retainer/mind/part/projection';
import { Projections } from '@retainer/mind/projections/projections';
import { foldRecord, type Unread } from './fold-record.ts';
import type { ProjectionCache } from './projection-cache.ts';

export class ProjectedJournal {
  readonly #journal: Journal;
  readonly #onKnown: (record: Recorded) => void;
  #projections = new Projections();
  /** Appends that are not yet projected. */
  #pendingAppends = 0;

  /** @param onKnown  sees each record of an append once it is known */
  constructor(journal: Journal, onKnown: (record: Recorded) => void = () => undefined) {
    this.#journal = journal;
    this.#onKnown = onKnown;
  }

  get known(): Projections['states'] {
    return this.#projections.states;
  }

  /** What a projection could not take at the last fold. */
  unread: readonly Unread[] = [];

  /** Folds the record and forgets the earlier states. @param more  projections beside those of memory, by name */
  async fold(
    more: ConstructorParameters<typeof Projections>[0],
    nowMs: number,
    cache?: ProjectionCache,
  ): Promise<Projections['states']> {
    this.#projections = new Projections(more);
    this.unread = await foldRecord(this.#journal, this.#projections, nowMs, cache);
    return this.known;
  }

  /** Caches the states, unless a command is open or an append is under way. Call it while no run and no cycle is open. @returns whether it did */
  async saveTo(cache: ProjectionCache): Promise<boolean> {
    if (this.#pendingAppends > 0 || this.known.inbox.open.size > 0) return false;
    await cache.save(this.#projections.rows, this.#journal);
    return true;
  }

  get mode(): Journal['mode'] {
    return this.#journal.mode;
  }

  async append(records: readonly NewRecord[]): Promise<readonly JournalRecord[]> {
    this.#pendingAppends += 1;
    try {
      const appended = await this.#journal.append(records);
      for (const record of appended) {
        this.#projections.take(record);
        this.#onKnown(record);
      }
      return appended;
    } finally {
      this.#pendingAppends -= 1;
    }
  }
}
