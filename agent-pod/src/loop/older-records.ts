/** Runs and artifacts that are no longer indexed, read when somebody asks. */
import type { JournalReader } from '@retainer/journal/journal';
import type { StoredArtifact } from '@retainer/mind/parts/artifacts/artifacts';
import { runAfter, type RememberedRun } from '@retainer/mind/parts/narrative/narrative';
import { dot, type TextVector } from '@retainer/mind/meaning/text-vector';
import { NEIGHBOUR_MIN } from '@retainer/mind/memory/recall/intent-comparison';
import { artifactText, runText } from '@retainer/mind/memory/recall/record-texts';
import { termsOf } from '@retainer/mind/memory/recall/terms';
import { TextIndex } from '@retainer/mind/memory/recall/text-index';
import { pauses } from './pauses.ts';

/** Records that have to do with the question, the newest: a few megabytes, of however many years. */
const COMPARED_MAX = 2_000;

export interface OlderParts {
  readonly journal: Pick<JournalReader, 'read'>;
  /** Oldest first. */
  readonly artifacts: readonly StoredArtifact[];
  readonly readsRuns: boolean;
  /** Milliseconds since 1970. */
  readonly beforeMs: number;
  readonly vectorOf: (text: string) => TextVector | undefined;
  /** Most of each kind. */
  readonly count: number;
}

export interface Older {
  /** Best first. */
  readonly runs: readonly RememberedRun[];
  readonly artifacts: readonly StoredArtifact[];
}

export async function olderRecords(query: string, parts: OlderParts): Promise<Older> {
  const { artifacts, beforeMs, readsRuns } = parts;
  const past = artifacts.filter(({ keptAtMs }) => keptAtMs < beforeMs);
  return {
    runs: readsRuns ? await best(query, await runsBefore(parts), runText, parts) : [],
    artifacts: await best(query, past, artifactText, parts),
  };
}

async function runsBefore({ journal, beforeMs }: OlderParts): Promise<readonly RememberedRun[]> {
  const runs = new Map<string, RememberedRun>();
  for await (const { kind, payload, runId = '', timeMs } of journal.read('narrative')) {
    const run = runAfter(runs.get(runId), { kind, payload, runId });
    if (run === undefined) runs.delete(runId);
    else if (kind !== 'RunRemembered' || timeMs < beforeMs) runs.set(runId, run);
  }
  return [...runs.values()];
}

async function best<Item>(
  query: string,
  items: readonly Item[],
  textOf: (item: Item) => string,
  { vectorOf, count }: OlderParts,
): Promise<readonly Item[]> {
  const asked = { terms: new Set(termsOf(query)), vector: vectorOf(query) };
  const index = new TextIndex();
  const pause = pauses();
  for (const [at, item] of items.toReversed().entries()) {
    await pause();
    const text = textOf(item);
    const vector = vectorOf(text);
    const isNear = vector !== undefined && asked.vector !== undefined && dot(vector, asked.vector) >= NEIGHBOUR_MIN;
    if (isNear || termsOf(text).some((term) => asked.terms.has(term)))
      index.add({ id: String(items.length - 1 - at), text }, vector);
    if (index.size >= COMPARED_MAX) break;
  }
  const { found } = index.find({ text: query, vector: asked.vector, count });
  return found.flatMap(({ id }) => items[Number(id)] ?? []);
}
