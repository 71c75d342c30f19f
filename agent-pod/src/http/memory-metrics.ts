/**
 * Metrics of memory: what it was asked, how far its archive is behind, and what dreams changed. No label
 * contains a text.
 *
 * Source: springdrift 4, 5; platforms 6 (own metrics).
 */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { JournalRecord } from '@retainer/journal/journal';
import type { WordsOnly } from '@retainer/mind/memory/recall/recalled';

export interface MemoryMetrics {
  /** @param record  durable */
  count(record: Pick<JournalRecord, 'kind' | 'payload' | 'runId' | 'timeMs'>): void;
}

/** Seconds from the end of a run until its archive is complete: two calls of a model, in turn with those of other runs. */
const ARCHIVE_BUCKETS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600];

/** Ended runs whose archive is awaited here: far more than end while one is archived. */
const AWAITED_MAX = 1_000;

const WHYS = { Late: 'late', Away: 'away' } as const satisfies Readonly<Record<WordsOnly, string>>;

/** The part of a record that tells what memory answered. */
interface Answered {
  readonly answers?: readonly { readonly rules: readonly unknown[]; readonly recent: readonly unknown[] }[];
  readonly cases?: readonly unknown[];
  readonly facts?: readonly unknown[];
  readonly threads?: readonly unknown[];
  readonly wordsOnly?: WordsOnly;
}

export function createMemoryMetrics(registry: Registry): MemoryMetrics {
  const registers = [registry];
  const recalls = new Counter({
    name: 'retainer_agent_memory_recalls_total',
    help: 'Questions to memory of a plan or at the start of a cycle, by whether it knew something.',
    labelNames: ['result'],
    registers,
  });
  const byWords = new Counter({
    name: 'retainer_agent_memory_recalls_by_words_total',
    help: 'Recalls that compared words alone, because vectors came too late or nobody made them.',
    labelNames: ['why'],
    registers,
  });
  for (const result of ['found', 'nothing']) recalls.inc({ result }, 0);
  for (const why of Object.values(WHYS)) byWords.inc({ why }, 0);
  const archive = archiveMetrics(registry);
  const dreams = dreamMetrics(registry);
  return {
    count(record) {
      archive(record);
      dreams(record);
      const answered = answeredIn(record);
      if (answered === undefined) return;
      recalls.inc({ result: knewSomething(answered) ? 'found' : 'nothing' });
      if (answered.wordsOnly !== undefined) byWords.inc({ why: WHYS[answered.wordsOnly] });
    },
  };
}

function answeredIn({ kind, payload }: Pick<JournalRecord, 'kind' | 'payload'>): Answered | undefined {
  if (kind === 'MemoryRecalled') return payload as unknown as Answered;
  const { recalled } = payload as { readonly recalled?: Answered };
  return kind === 'CycleStarted' ? recalled : undefined;
}

function knewSomething({ answers = [], cases = [], facts = [], threads = [] }: Answered): boolean {
  const ofPairs = answers.some(({ rules, recent }) => rules.length + recent.length > 0);
  return ofPairs || cases.length + facts.length + threads.length > 0;
}

/** A run is archived when it has been reflected on. */
function archiveMetrics(registry: Registry): MemoryMetrics['count'] {
  const registers = [registry];
  const endedAtMs = new Map<string, number>();
  const durations = new Histogram({
    name: 'retainer_agent_archive_duration_seconds',
    help: 'Time from the end of a run until its archive is complete.',
    buckets: ARCHIVE_BUCKETS,
    registers,
  });
  return ({ kind, runId = '', timeMs }) => {
    if (kind === 'RunConcluded' && endedAtMs.size < AWAITED_MAX) endedAtMs.set(runId, timeMs);
    const sinceMs = kind === 'RunReflected' ? endedAtMs.get(runId) : undefined;
    if (sinceMs === undefined) return;
    endedAtMs.delete(runId);
    durations.observe(Math.max(0, timeMs - sinceMs) / 1000);
  };
}

/** A pass that changed nothing leaves no record, and is not counted. */
function dreamMetrics(registry: Registry): MemoryMetrics['count'] {
  const registers = [registry];
  const passes = new Counter({
    name: 'retainer_agent_dream_passes_total',
    help: 'Passes of dreams that changed something, by pass.',
    labelNames: ['pass'],
    registers,
  });
  const changes = new Counter({
    name: 'retainer_agent_dream_changes_total',
    help: 'Things in memory that dreams changed, by the kind of the record that says so.',
    labelNames: ['kind'],
    registers,
  });
  return ({ kind, payload }) => {
    if (kind !== 'PassEnded') return;
    const { pass, changed } = payload as unknown as { readonly pass: string; readonly changed: Record<string, number> };
    passes.inc({ pass });
    for (const [record, count] of Object.entries(changed)) changes.inc({ kind: record }, count);
  };
}
