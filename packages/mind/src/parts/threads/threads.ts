/** Threads: runs that go on with each other. A projection of the store `thread`. */
import { z } from 'zod';
import { join, Label } from '../../gate/provenance/label.ts';
import { defineProjection } from '../../part/projection.ts';
import { addNewest } from '../../part/newest-members.ts';
import { RunLabels, THREAD_WORDS_KEPT } from './thread-rules.ts';

/** Runs that are known to have a thread, the newest ones: only a run that was just archived is asked for. */
const JOINED_RUNS_KEPT = 1_000;

export const threadKinds = {
  /** The run of the record joined it, or began it. */
  ThreadJoined: z.object({
    threadId: z.string(),
    /** Of the words of the run that began the thread: paths, hosts and keywords, which a model may have chosen. */
    name: z.string(),
    score: z.number(),
    /** What it shares with the thread. */
    matched: RunLabels,
    /** Of the run in the thread, from 1. */
    position: z.number(),
    continuity: z.string(),
    labels: RunLabels,
    /** Of everything that the run had read. */
    label: Label,
  }),
  /** A better name, out of the words of its runs. */
  ThreadNamed: z.object({
    threadId: z.string(),
    name: z.string(),
    /** Of all its runs: whose words the name may hold. */
    label: Label,
    /** Who found the name. */
    by: z.enum(['Model', 'Code']),
    reason: z.string(),
  }),
  /** No run joins it any more. */
  ThreadDormant: z.object({ threadId: z.string(), reason: z.string() }),
} as const;

const KeptThread = RunLabels.extend({
  threadId: z.string(),
  name: z.string(),
  runs: z.number(),
  lastRunId: z.string(),
  /** Milliseconds since 1970. */
  lastAtMs: z.number(),
  /** Of its name: that of the run that began it. */
  nameLabel: Label,
  /** Of all that it is known by: those of all its runs. */
  label: Label,
  /** It was given a name of its own. */
  isNamed: z.literal(true).exactOptional(),
  /** No run joins it any more. */
  isDormant: z.literal(true).exactOptional(),
});
/** A thread, with whose words it holds. */
export type LabelledThread = Readonly<z.infer<typeof KeptThread>>;

export interface Threads {
  /** In the order of their beginning. */
  readonly byId: Map<string, LabelledThread>;
  readonly joinedRuns: Set<string>;
}

export const threads = defineProjection({
  store: 'thread',
  kinds: threadKinds,
  start: (): Threads => ({ byId: new Map(), joinedRuns: new Set() }),
  folds: {
    ThreadJoined: ({ byId, joinedRuns }, joined, { timeMs, runId = '' }) => {
      addNewest(joinedRuns, runId, JOINED_RUNS_KEPT);
      const thread = byId.get(joined.threadId) ?? begun(joined);
      byId.set(joined.threadId, { ...grown(thread, joined), lastRunId: runId, lastAtMs: timeMs });
    },
    ThreadNamed: ({ byId }, { threadId, name, label }) => {
      const thread = byId.get(threadId);
      if (thread !== undefined) byId.set(threadId, { ...thread, name, nameLabel: label, isNamed: true });
    },
    ThreadDormant: ({ byId }, { threadId }) => {
      const thread = byId.get(threadId);
      if (thread !== undefined) byId.set(threadId, { ...thread, isDormant: true });
    },
  },
  window: 'WholeStore',
  cached: {
    version: 4,
    schema: z.object({ threads: z.array(KeptThread), joinedRuns: z.array(z.string()) }),
    keep: ({ byId, joinedRuns }) => ({
      threads: [...byId.values()].map((it) => ({ ...it, locations: [...it.locations], keywords: [...it.keywords] })),
      joinedRuns: [...joinedRuns],
    }),
    restore: ({ byId, joinedRuns }, kept) => {
      for (const thread of kept.threads) byId.set(thread.threadId, thread);
      for (const runId of kept.joinedRuns) joinedRuns.add(runId);
    },
  },
});

type Joined = z.infer<(typeof threadKinds)['ThreadJoined']>;
type Grown = Omit<LabelledThread, 'lastRunId' | 'lastAtMs'>;

function begun({ threadId, name, label }: Joined): Grown {
  return { threadId, name, domain: '', locations: [], keywords: [], runs: 0, nameLabel: label, label };
}

/** The name stays: whoever joins repeats the one that the thread had. */
function grown(thread: Grown, { position, labels, label }: Joined): Grown {
  return {
    ...thread,
    domain: labels.domain || thread.domain,
    locations: newest([...thread.locations, ...labels.locations]),
    keywords: newest([...thread.keywords, ...labels.keywords]),
    runs: position,
    label: join(thread.label, label),
  };
}

function newest(all: readonly string[]): string[] {
  return [...new Set(all.toReversed())].slice(0, THREAD_WORDS_KEPT).toReversed();
}
