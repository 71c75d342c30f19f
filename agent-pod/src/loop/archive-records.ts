/**
 * What archiving a run leaves in memory: one entry, one reflection, one thread, one case at most.
 *
 * I1  Each is written once, however often it is asked for: a crash between a record and its confirmation doubles nothing.
 */
import type { Archived } from '@retainer/mind/archive/archive-run';
import type { Remembrance } from '@retainer/mind/archive/event';
import { isCaseKnown, isCredited, type CaseUsed } from '@retainer/mind/parts/cases/cases';
import { joinThread } from '@retainer/mind/parts/threads/thread-rules';
import type { Projections } from '@retainer/mind/projections/projections';
import type { MemoryWriter } from './memory-writer.ts';

export interface EndedRun {
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly endedAtMs: number;
}

export class ArchiveRecords {
  readonly #known: () => Projections['states'];
  readonly #write: MemoryWriter['write'];

  constructor(known: () => Projections['states'], write: MemoryWriter['write']) {
    this.#known = known;
    this.#write = write;
  }

  /**
   * What code has, before the run is closed: its entry, and the lesson of a report, which no model changes and the next run should
   * know.
   *
   * @param credit  of the cases that it was told
   */
  async remember(runId: string, { entry, fallback }: Archived, credit: readonly CaseUsed[]): Promise<void> {
    const { narratedRuns, cases } = this.#known();
    const fresh = credit.filter(({ caseId }) => !isCredited(cases, runId, caseId));
    if (!narratedRuns.has(runId))
      await this.#write('Archivist', [{ store: 'narrative', kind: 'RunRemembered', payload: entry, runId }]);
    await this.#write(
      'Archivist',
      fresh.map((payload) => ({ store: 'case', kind: 'CaseUsed', payload, runId }) as const),
    );
    if (fallback.caseBy === 'Appraiser') await this.#keepCase(runId, fallback);
  }

  /** What was thought of it, after the run is closed. */
  async keep(run: EndedRun, remembrance: Remembrance): Promise<void> {
    const { runId } = run;
    const { reflected } = remembrance;
    // Three stores; none waits for another.
    await Promise.all([
      this.#known().reflectedRuns.has(runId)
        ? undefined
        : this.#write('Archivist', [{ store: 'narrative', kind: 'RunReflected', payload: reflected, runId }]),
      this.#join(run, remembrance),
      this.#keepCase(runId, remembrance),
    ]);
  }

  async #join({ runId, endedAtMs }: EndedRun, { labels, reflected: { label } }: Remembrance): Promise<void> {
    const { byId, joinedRuns } = this.#known().threads;
    if (joinedRuns.has(runId)) return;
    const awake = [...byId.values()].filter(({ isDormant }) => isDormant !== true);
    const joined = joinThread(awake, labels, { runId, atMs: endedAtMs });
    const payload = { ...joined, labels, label };
    await this.#write('Archivist', [{ store: 'thread', kind: 'ThreadJoined', payload, runId }]);
  }

  async #keepCase(runId: string, { case: made, caseBy }: Remembrance): Promise<void> {
    if (made === undefined || isCaseKnown(this.#known().cases, made.caseId)) return;
    await this.#write(caseBy, [{ store: 'case', kind: 'CaseWritten', payload: made, runId }]);
  }
}
