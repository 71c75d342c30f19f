/**
 * What memory is searched in: an index of the cases, and one of each kind of free text. It is made from what is known, and follows
 * each record after that.
 *
 * I1  Cases out of use and forgotten runs are not in it. What is no longer known stays in it until the next start, and whoever
 *     searches leaves it out.
 * I2  Runs and artifacts of the last days are in it, as many as the Agent says; cases, threads and facts that hold for all runs for
 *     life.
 */
import type { JournalReader } from '@retainer/journal/journal';
import { runAfter, type RememberedRun } from '@retainer/mind/parts/narrative/narrative';
import type { Recorded } from '@retainer/mind/part/projection';
import { useOf } from '@retainer/mind/parts/cases/cases';
import { CaseIndex } from '@retainer/mind/memory/recall/case-index';
import { textOf } from '@retainer/mind/memory/recall/recall-case';
import { recallCaseOf } from '@retainer/mind/memory/recall/recalled-cases';
import { artifactText, factText, runText, threadText } from '@retainer/mind/memory/recall/record-texts';
import { TextIndex, type TextRecord } from '@retainer/mind/memory/recall/text-index';
import type { Projections } from '@retainer/mind/projections/projections';
import type { MeaningPort } from '../ports/meaning.ts';
import { pauses } from './pauses.ts';

export type TextKind = 'fact' | 'thread' | 'run' | 'artifact';

export interface IndexParts {
  readonly journal: Pick<JournalReader, 'read'>;
  readonly known: () => Projections['states'];
  /** Absent: everything is compared by words. */
  readonly meaning: MeaningPort | undefined;
  /** Runs and artifacts before it are not indexed. Milliseconds since 1970. */
  readonly fromMs: number;
}

export class RecallIndex {
  readonly cases = new CaseIndex();
  readonly texts: Readonly<Record<TextKind, TextIndex>> = {
    fact: new TextIndex(),
    thread: new TextIndex(),
    run: new TextIndex(),
    artifact: new TextIndex(),
  };
  readonly #parts: IndexParts;
  readonly #runs = new Map<string, RememberedRun>();
  readonly #threadOfRun = new Map<string, string>();
  /** What leaves with its days, oldest first. */
  readonly #passing: { readonly kind: 'run' | 'artifact'; readonly id: string; readonly atMs: number }[] = [];
  readonly #pause = pauses();

  constructor(parts: IndexParts) {
    this.#parts = parts;
  }

  /** A run of the indexed days, with what is thought of it. */
  run(runId: string): RememberedRun | undefined {
    return this.#runs.get(runId);
  }

  /** Records that come meanwhile have to be taken afterwards. */
  async make(): Promise<void> {
    const { journal, known, fromMs } = this.#parts;
    const { cases, facts, threads, artifacts } = known();
    for (const id of [...cases.byId.keys()]) await this.#added(() => this.#syncCase(id));
    for (const key of [...facts.held.keys()]) await this.#added(() => this.#syncFact(key));
    for (const id of [...threads.byId.keys()]) await this.#added(() => this.#syncThread(id));
    for (const { artifactId, keptAtMs } of artifacts.all())
      if (keptAtMs >= fromMs) await this.#added(() => this.#syncArtifact(artifactId));
    for (const store of ['thread', 'narrative'])
      for await (const record of journal.read(store, { fromTimeMs: fromMs }))
        await this.#added(() => this.#takePast(record));
    this.#passing.sort((a, b) => a.atMs - b.atMs);
  }

  /** Takes a record that is known now. */
  take(record: Recorded): void {
    switch (record.store) {
      case 'case':
        return idsIn(record, 'caseId').forEach((id) => this.#syncCase(id));
      case 'fact':
        return idsIn(record, 'key').forEach((key) => this.#syncFact(key));
      case 'artifact':
        return idsIn(record, 'artifactId').forEach((id) => this.#syncArtifact(id));
      case 'thread':
        idsIn(record, 'threadId').forEach((id) => this.#syncThread(id));
        return this.#takePast(record);
      case 'narrative':
        return this.#takePast(record);
      default:
        return undefined;
    }
  }

  /** Runs and artifacts before it leave. */
  dropBefore(ms: number): void {
    for (let [oldest] = this.#passing; oldest !== undefined && oldest.atMs < ms; [oldest] = this.#passing) {
      this.#passing.shift();
      this.texts[oldest.kind].remove(oldest.id);
      if (oldest.kind === 'run') this.#forgetRun(oldest.id);
    }
  }

  #forgetRun(runId: string): void {
    this.#runs.delete(runId);
    this.#threadOfRun.delete(runId);
  }

  async #added(add: () => void): Promise<void> {
    add();
    await this.#pause();
  }

  #syncCase(id: string): void {
    const stored = this.#parts.known().cases.byId.get(id);
    if (stored === undefined || stored.isSuppressed) return this.cases.remove(id);
    const recallCase = recallCaseOf(stored, useOf(stored));
    // As a Task is asked about: in its own words.
    const text = recallCase.text.trim() === '' ? textOf(recallCase) : recallCase.text;
    const add = (): void => this.cases.add(recallCase, this.#parts.meaning?.vectorOf(text));
    add();
    this.#learn(text, add);
  }

  #syncFact(key: string): void {
    const fact = this.#parts.known().facts.held.get(key);
    if (fact === undefined) this.texts.fact.remove(key);
    else if (fact.scope === 'Persistent') this.#add('fact', { id: key, text: factText(fact) });
  }

  #syncThread(id: string): void {
    const thread = this.#parts.known().threads.byId.get(id);
    if (thread === undefined) this.texts.thread.remove(id);
    else this.#add('thread', { id, text: threadText(thread) });
  }

  #syncArtifact(id: string): void {
    const artifact = this.#parts.known().artifacts.get(id);
    if (artifact === undefined) return this.texts.artifact.remove(id);
    const { runId, keptAtMs } = artifact;
    this.#passing.push({ kind: 'artifact', id, atMs: keptAtMs });
    this.#add('artifact', { id, text: artifactText(artifact), ...(runId === undefined ? {} : { group: runId }) });
  }

  #takePast({ store, kind, payload, timeMs, runId = '' }: Recorded): void {
    if (store === 'thread' && kind !== 'ThreadJoined') return undefined;
    if (store === 'thread') this.#threadOfRun.set(runId, (payload as { readonly threadId: string }).threadId);
    const before = this.#runs.get(runId);
    const now = kind === 'ThreadJoined' ? before : runAfter(before, { kind, payload, runId });
    if (now === undefined) {
      this.#runs.delete(runId);
      return this.texts.run.remove(runId);
    }
    // By the time of its record, as it was read: a run that was taken over may have ended years ago.
    if (before === undefined) this.#passing.push({ kind: 'run', id: runId, atMs: timeMs });
    this.#runs.set(runId, now);
    const group = this.#threadOfRun.get(runId);
    const when = dateWords(now.endedAtMs);
    this.#add('run', { id: runId, text: runText(now), when, ...(group === undefined ? {} : { group }) });
  }

  #add(kind: TextKind, record: TextRecord): void {
    const add = (): void => this.texts[kind].add(record, this.#parts.meaning?.vectorOf(record.text));
    add();
    this.#learn(record.text, add);
  }

  /** A vector that comes later takes the place of none. */
  #learn(text: string, add: () => void): void {
    this.#parts.meaning?.learn?.([text], add);
  }
}

/** The ids that a record names. */
function idsIn({ payload }: Recorded, name: string): readonly string[] {
  const named = payload as Readonly<Record<string, unknown>>;
  const all = [named[name], named['into'], ...(Array.isArray(named['ids']) ? named['ids'] : [])];
  return all.filter((it) => typeof it === 'string');
}

const inWords = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeZone: 'UTC' });

/** `Friday, March 1, 2030`: a question may ask for the month or the day. */
function dateWords(ms: number): string {
  return inWords.format(ms);
}
