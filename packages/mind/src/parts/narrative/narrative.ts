/**
 * The narrative: one entry for each finished run, in chronological order. The entry is what code counted; what was thought of the run
 * comes after it, in a record of its own with the label of everything that the run had read.
 *
 * Source: springdrift 4. Differs: metrics, delegations and tools come from the record; a model writes prose and labels only.
 */
import { z } from 'zod';
import { Label } from '../../gate/provenance/label.ts';
import { originField } from '../../part/applied-changes.ts';
import { importedFields } from './imported-entry.ts';
import { addNewest } from '../../part/newest-members.ts';
import { defineProjection, omitEach, type Recorded } from '../../part/projection.ts';
import { RunTelemetry } from './run-telemetry.ts';

/** Full: a model's account. Partial: one that claimed what no call shows, without these claims. Fallback: code's own. */
export const REFLECTION_STATUSES = ['Full', 'Partial', 'Fallback'] as const;

/** What is thought of a run. */
export const RunReflected = z.object({
  prose: z.string(),
  /** What was wanted, in a clause. */
  intent: z.string(),
  /** Empty: unknown. */
  domain: z.string(),
  keywords: z.array(z.string()),
  /** Names, places and things that it was about. */
  entities: z.array(z.string()),
  topics: z.array(z.string()),
  status: z.enum(REFLECTION_STATUSES),
  /** Why it is not Full; absent: it is. */
  reason: z.string().exactOptional(),
  /** Of everything that the run had read: whose words it may hold. */
  label: Label,
  /** Id of the model, or `Code`. */
  by: z.string(),
});
export type RunReflected = z.infer<typeof RunReflected>;

export const narrativeKinds = {
  RunRemembered: z.object({
    task: z.object({ namespace: z.string(), name: z.string() }),
    /** Whose session the run belongs to. */
    conversation: z.string(),
    /** In the words of the Task. */
    intent: z.string(),
    /** Others: the words of the intent stand under `label`. Absent: they are people's own. */
    askedBy: z.literal('Others').exactOptional(),
    outcome: z.string(),
    /** Distinct names, in the order of first use. */
    tools: z.array(z.string()),
    tokens: z.number(),
    startedAtMs: z.number(),
    endedAtMs: z.number(),
    /** Label of everything that the run had read. */
    label: Label,
    /** Absent where `words` stand: nothing was counted. */
    telemetry: RunTelemetry.exactOptional(),
    /** Said of the run in its entry, not in a `RunReflected`. */
    words: z.object({ summary: z.string(), unmet: z.array(z.string()), reasons: z.array(z.string()) }).exactOptional(),
  }),
  /** Once for each entry, after it. */
  RunReflected,
  /** An entry of another system, taken over by a person. It is no run of this agent: found when asked for, and in no figure. */
  RunImported: z.object({ ...importedFields, label: Label, by: z.string(), reason: z.string(), ...originField }),
  /** A person's word about the entry of a run. `Endorsed`: its words are believed. `Forgotten`: no prompt holds it any more. */
  RunAmended: z.object({ as: z.enum(['Endorsed', 'Forgotten']), by: z.string(), reason: z.string(), ...originField }),
} as const;
export type RunRemembered = z.infer<(typeof narrativeKinds)['RunRemembered']>;
type RunImported = z.infer<(typeof narrativeKinds)['RunImported']>;
type RunAmended = z.infer<(typeof narrativeKinds)['RunAmended']>;

const RememberedRun = narrativeKinds.RunRemembered.extend({
  runId: z.string().exactOptional(),
  /** Absent: nobody has thought about it, or not yet. */
  reflected: RunReflected.exactOptional(),
});
/** An entry, with its run and what is thought of it. */
export type RememberedRun = z.infer<typeof RememberedRun>;

/** What is said of a run, and whose words that may be; undefined: nothing. */
export function wordsOfRun({
  words,
  label,
  reflected,
}: RememberedRun): { readonly text: string; readonly label: Label } | undefined {
  if (reflected !== undefined) return { text: reflected.prose, label: reflected.label };
  return words === undefined ? undefined : { text: saidOnce(words.summary, words.reasons), label };
}

/** The first reason of an end often stands in the summary, too: each is said once. */
export function saidOnce(summary: string, [reason = '']: readonly string[]): string {
  return summary.includes(reason) ? summary : `${reason} ${summary}`;
}

/** As an entry is found. Nothing in it but its day and its outcome is said by code, so every word stands under its label. */
function entryOfImported(imported: RunImported, runId: string): RememberedRun {
  const { system, atMs, outcome, tokens, words, label } = imported;
  const { prose, domain, keywords, topics } = words;
  const intent = `An entry of ${system}`;
  return {
    runId,
    task: { namespace: system, name: 'imported' },
    conversation: system,
    intent,
    outcome,
    tools: [],
    tokens,
    startedAtMs: atMs,
    endedAtMs: atMs,
    label,
    reflected: {
      prose,
      intent,
      domain,
      keywords,
      topics,
      entities: [],
      status: 'Partial',
      reason: 'it comes from another system: no record here shows what it says',
      label,
      by: system,
    },
  };
}

/** Who believes it carries the person's name. */
function believed(run: RememberedRun, by: string): RememberedRun {
  const trusted = ({ readers }: Label): Label => {
    return { source: { kind: 'Person', name: by }, trust: 'Trusted', readers };
  };
  const { reflected } = run;
  const of = reflected === undefined ? {} : { reflected: { ...reflected, label: trusted(reflected.label) } };
  return { ...run, label: trusted(run.label), ...of };
}

/** The entry of a run after one more record of the narrative; undefined: it has none, or is forgotten. */
export function runAfter(
  before: RememberedRun | undefined,
  { kind, payload, runId = '' }: Pick<Recorded, 'kind' | 'payload' | 'runId'>,
): RememberedRun | undefined {
  switch (kind) {
    case 'RunRemembered':
      return { ...(payload as unknown as RunRemembered), runId };
    case 'RunReflected':
      return before === undefined ? undefined : { ...before, reflected: payload as unknown as RunReflected };
    case 'RunImported':
      // It is taken over once.
      return before ?? entryOfImported(payload as unknown as RunImported, runId);
    case 'RunAmended': {
      const { as, by } = payload as unknown as RunAmended;
      return before === undefined || as === 'Forgotten' ? undefined : believed(before, by);
    }
    default:
      return before;
  }
}

/** Newest entries of a conversation that are kept in memory: more than the perceiver receives. */
const RUNS_OF_CONVERSATION_KEPT = 8;

/** Runs with an entry, newest ones: far more than are ever open at once, and only an open run is asked for. */
const NARRATED_RUNS_KEPT = 1_000;

/**
 * What a start reads of the narrative, which grows for years: an entry and a reflection for each run that anybody keeps, and as many
 * words of people again.
 */
export const NARRATIVE_WINDOW = { lastRecords: 4 * NARRATED_RUNS_KEPT } as const;

const NewestRuns = z.object({
  /** Entries so far, those that are dropped included. */
  narrated: z.number(),
  /** Oldest first. */
  runs: z.array(RememberedRun.extend({ nth: z.number() })),
});
export type NewestRuns = z.infer<typeof NewestRuns>;

/**
 * Of the newest thousand runs, the newest eight of each conversation: a conversation finds its own, whatever other ones came in
 * between, and a start that reads the narrative's window knows the same.
 */
export const newestRuns = defineProjection({
  store: 'narrative',
  kinds: narrativeKinds,
  start: (): NewestRuns => ({ narrated: 0, runs: [] }),
  folds: {
    RunRemembered: (state, run, { runId }) => {
      state.narrated += 1;
      state.runs.push({ ...run, ...(runId === undefined ? {} : { runId }), nth: state.narrated });
      const isOwn = ({ conversation }: RunRemembered): boolean => conversation === run.conversation;
      if (state.runs.filter(isOwn).length > RUNS_OF_CONVERSATION_KEPT)
        state.runs.splice(state.runs.findIndex(isOwn), 1);
      const [oldest] = state.runs;
      if (oldest !== undefined && oldest.nth <= state.narrated - NARRATED_RUNS_KEPT) state.runs.shift();
    },
    RunReflected: (state, _reflected, record) => changeEntry(state, record),
    RunImported: { because: 'what the perceiver is told of before is the life of this agent' },
    RunAmended: (state, _amended, record) => changeEntry(state, record),
  },
  window: NARRATIVE_WINDOW,
  cached: {
    version: 5,
    schema: NewestRuns,
    keep: ({ narrated, runs }) => ({ narrated, runs: [...runs] }),
    restore: (state, { narrated, runs }) => {
      state.narrated = narrated;
      state.runs.push(...runs);
    },
  },
});

/** Oldest first. */
export function newestOf({ runs }: NewestRuns, conversation: string): readonly RememberedRun[] {
  return runs.filter((it) => it.conversation === conversation);
}

/** What comes after the entry of a run that is no longer among the newest changes nothing. */
function changeEntry({ runs }: NewestRuns, record: Recorded): void {
  const at = runs.findIndex((it) => it.runId === record.runId);
  const run = runs[at];
  if (run === undefined) return;
  const after = runAfter(run, record);
  runs.splice(at, 1, ...(after === undefined ? [] : [{ ...after, nth: run.nth }]));
}

/** Runs that have a record of this kind, though the confirmation may be missing. */
function runsWith(which: 'RunRemembered' | 'RunReflected') {
  return defineProjection({
    store: 'narrative',
    kinds: narrativeKinds,
    start: () => new Set<string>(),
    folds: {
      ...omitEach(narrativeKinds, 'its run is known by another record'),
      [which]: (state: Set<string>, _payload: unknown, { runId }: Recorded) => {
        if (runId !== undefined) addNewest(state, runId, NARRATED_RUNS_KEPT);
      },
    },
    window: NARRATIVE_WINDOW,
    cached: {
      version: 3,
      schema: z.array(z.string()),
      keep: (state) => [...state],
      restore: (state, kept) => {
        for (const runId of kept) state.add(runId);
      },
    },
  });
}

/** Runs that have an entry. */
export const narratedRuns = runsWith('RunRemembered');

/** Runs that somebody reflected on. */
export const reflectedRuns = runsWith('RunReflected');
