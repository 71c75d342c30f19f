/** One entry for each finished run, and what was thought of it. */
import { z } from 'zod';
import { OWNER } from '../../gate/provenance/label.ts';
import { appliedChanges } from '../../part/applied-changes.ts';
import { entriesGauge } from '../../part/memory-gauges.ts';
import { defineCommand, definePart, Reason } from '../../part/part.ts';
import { recordIn } from '../../part/record-in.ts';
import { defineStore } from '../../part/store.ts';
import { importedFields } from './imported-entry.ts';
import { narratedRuns, NARRATIVE_WINDOW, narrativeKinds, newestRuns, reflectedRuns } from './narrative.ts';

const store = defineStore({
  name: 'narrative',
  durability: 'durable',
  kinds: narrativeKinds,
  writers: { Archivist: ['RunRemembered', 'RunReflected'], Person: ['RunAmended', 'RunImported'] },
});

interface Known {
  readonly narratedRuns: ReadonlySet<string>;
  readonly runChanges: ReadonlySet<string>;
}

const named = z.object({ runId: z.string().min(1), reason: Reason });

/** A person's word about the entry of a run. */
const amend = (as: 'Forgotten' | 'Endorsed') =>
  defineCommand({
    schema: named,
    isOverPodsExec: true,
    decide: ({ runChanges }: Known, { runId, reason, by }, { originId }) =>
      runChanges.has(originId) ? [] : [recordIn(store, 'RunAmended', { as, by, reason, originId }, { by, runId })],
  });

/** Untrusted, whoever takes it over: a person endorses what they have read. */
const take = defineCommand({
  schema: z.object({ ...importedFields, reason: Reason }),
  isOverPodsExec: true,
  decide: ({ runChanges }: Known, { system, entryId, atMs, outcome, tokens, words, reason, by }, { originId }) => {
    if (runChanges.has(originId)) return [];
    // Another system's memory may hold anybody's words.
    const label = { source: { kind: 'Memory', name: system }, trust: 'Untrusted', readers: [OWNER] } as const;
    const payload = { system, entryId, atMs, outcome, tokens, words, label, by, reason, originId };
    return [recordIn(store, 'RunImported', payload, { by, runId: `${system}-${entryId}` })];
  },
});

export const narrativePart = definePart({
  name: 'narrative',
  stores: [store],
  projections: {
    newestRuns,
    narratedRuns,
    reflectedRuns,
    runChanges: appliedChanges('narrative', narrativeKinds, NARRATIVE_WINDOW),
  },
  commands: { ForgetRun: amend('Forgotten'), EndorseRun: amend('Endorsed'), ImportRun: take },
  gauges: [entriesGauge('runs', (known: Known) => known.narratedRuns.size)],
  isAbout: ({ runId }, id) => runId === id,
});
