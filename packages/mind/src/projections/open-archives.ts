/** Archivings that are not over: a fold of the store `archive`. The next start goes on with them. */
import { z } from 'zod';
import { archiveKinds, type ArchiveEvent } from '../archive/event.ts';
import { newestOf, type NewestRuns, type RememberedRun } from '../parts/narrative/narrative.ts';
import { defineProjection, eventOf, everyKind } from '../part/projection.ts';

/** Their events by run, in the order in which they were opened. */
export type OpenArchives = Map<string, ArchiveEvent[]>;

export const archives = defineProjection({
  store: 'archive',
  kinds: archiveKinds,
  start: (): OpenArchives => new Map(),
  folds: everyKind(archiveKinds, (state: OpenArchives, _payload, record) => {
    const { runId, kind } = record;
    if (runId === undefined) return;
    if (kind === 'ArchiveClosed') return void state.delete(runId);
    const events = state.get(runId) ?? [];
    events.push(eventOf<ArchiveEvent>(record));
    state.set(runId, events);
  }),
  window: 'WholeStore',
  cached: {
    version: 2,
    // They stay open while no run is: a model may be slow.
    schema: z.array(z.tuple([z.string(), z.array(z.custom<ArchiveEvent>((it) => typeof it === 'object'))])),
    keep: (state) => [...state],
    restore: (state, kept) => {
      for (const [runId, events] of kept) state.set(runId, events);
    },
  },
});

/** Entries with what code says of a run, until the Archivist has spoken: what follows at once must not know less. */
function withOpenArchives(runs: readonly RememberedRun[], open: OpenArchives): readonly RememberedRun[] {
  return runs.map((run) => {
    const [opened] = open.get(run.runId ?? '') ?? [];
    if (run.reflected !== undefined || opened?.kind !== 'ArchiveOpened') return run;
    return { ...run, reflected: opened.fallback.reflected };
  });
}

/** The newest runs of a conversation, oldest first, each with what is said of it by now. */
export function runsOfConversation(
  { newestRuns, archives: open }: { readonly newestRuns: NewestRuns; readonly archives: OpenArchives },
  conversation: string,
): readonly RememberedRun[] {
  return withOpenArchives(newestOf(newestRuns, conversation), open);
}
