/** Memory in its own words, for the agent's tool: what `recall.ts` finds, with whose words each is. */
import type { JournalReader } from '@retainer/journal/journal';
import type { StoredArtifact } from '@retainer/mind/parts/artifacts/artifacts';
import type { StoredCase } from '@retainer/mind/parts/cases/cases';
import type { RememberedRun } from '@retainer/mind/parts/narrative/narrative';
import { accountOf } from '@retainer/mind/memory/recall/record-texts';
import type { RememberedKind } from '@retainer/mind/memory/recall/recalled';
import type { LabelledThread } from '@retainer/mind/parts/threads/threads';
import type { Projections } from '@retainer/mind/projections/projections';
import type { MemoryQuestion, RecallPort, RememberedText } from '../ports/tool.ts';
import { olderRecords } from './older-records.ts';
import type { Recall } from './recall.ts';

export interface SearchParts {
  readonly journal: Pick<JournalReader, 'read'>;
  readonly known: () => Projections['states'];
  readonly recall: Recall;
}

export class MemorySearch implements RecallPort {
  readonly #parts: SearchParts;

  constructor(parts: SearchParts) {
    this.#parts = parts;
  }

  async search(question: MemoryQuestion): Promise<readonly RememberedText[]> {
    const found: RememberedText[] = [];
    for (const kind of question.kinds) found.push(...(await this.#ofKind(kind, question)));
    return question.older ? [...found, ...(await this.#older(question))] : found;
  }

  async #ofKind(kind: RememberedKind, question: MemoryQuestion): Promise<readonly RememberedText[]> {
    if (kind === 'run') return this.#runs(question);
    const { recall, known } = this.#parts;
    const { facts, threads, cases, artifacts } = known();
    if (kind === 'case') {
      const ids = await recall.caseIds(question.query, question.count);
      return ids.flatMap((id) => told(cases.byId.get(id), caseWords));
    }
    const { found } = await recall.texts(kind, question.query, question.count);
    return found.flatMap(({ id }): readonly RememberedText[] => {
      switch (kind) {
        case 'fact':
          return told(facts.held.get(id), ({ key, value, writtenAtMs, label }) => {
            return { kind, id: key, atMs: writtenAtMs, text: value, label };
          });
        case 'thread':
          return told(threads.byId.get(id), threadWords);
        case 'artifact':
          return told(artifacts.get(id), artifactWords);
      }
    });
  }

  /** With those beside them in their thread, each once. */
  async #runs({ query, count }: MemoryQuestion): Promise<readonly RememberedText[]> {
    const { recall } = this.#parts;
    const { found } = await recall.texts('run', query, count);
    const ids = [...new Set(found.flatMap(({ id, neighbours }) => [id, ...neighbours]))];
    const runs = await Promise.all(ids.map((id) => recall.run(id)));
    return runs.flatMap((run) => told(run, runWords));
  }

  async #older({ query, kinds, count }: MemoryQuestion): Promise<readonly RememberedText[]> {
    const { journal, known, recall } = this.#parts;
    const { runs, artifacts } = await olderRecords(query, {
      journal,
      artifacts: kinds.includes('artifact') ? known().artifacts.all() : [],
      readsRuns: kinds.includes('run'),
      beforeMs: recall.windowFromMs(),
      vectorOf: await recall.vectors(query),
      count,
    });
    return [...runs.map(runWords), ...artifacts.map(artifactWords)];
  }
}

function told<Item>(item: Item | undefined, words: (item: Item) => RememberedText): readonly RememberedText[] {
  return item === undefined ? [] : [words(item)];
}

function runWords(run: RememberedRun): RememberedText {
  const { runId = '', endedAtMs } = run;
  return { kind: 'run', id: runId, atMs: endedAtMs, ...accountOf(run) };
}

function caseWords({
  caseId,
  category,
  problem,
  solution,
  outcome,
  notes,
  label,
  writtenAtMs,
}: StoredCase): RememberedText {
  const parts = [outcome.assessment, ...outcome.pitfalls, solution.approach, solution.steps.join(', '), ...notes];
  const text = `${category}: ${problem.input} → ${parts.filter((it) => it !== '').join('; ')}`;
  return { kind: 'case', id: caseId, atMs: writtenAtMs, text, label };
}

function threadWords({
  threadId,
  name,
  runs,
  lastRunId,
  locations,
  keywords,
  lastAtMs,
  label,
}: LabelledThread): RememberedText {
  const about = [...locations, ...keywords].join(', ');
  return {
    kind: 'thread',
    id: threadId,
    atMs: lastAtMs,
    text: `${name}: ${runs} runs, last ${lastRunId}; ${about}`,
    label,
  };
}

/** Named as `read_file` takes it. */
function artifactWords({ artifactId, keptAtMs, summary, tool = '', url = '', label }: StoredArtifact): RememberedText {
  const text = [tool, url, summary].filter((it) => it !== '').join(' ');
  return {
    kind: 'artifact',
    id: `artifact:${artifactId}`,
    atMs: keptAtMs,
    text,
    ...(label === undefined ? {} : { label }),
  };
}
