/**
 * Answers questions to memory about texts. What is asked is compared with what is remembered by words and by meaning.
 *
 * I1  Nothing is opened and nothing is indexed before the first question that memory may know something about.
 * I2  An answer holds all that decided on it: a replay needs no index.
 *
 * Source: springdrift 5; libraries 3.
 */
import type { RecalledCase } from '@retainer/contract/wire/bus/recalled-case';
import type { JournalReader } from '@retainer/journal/journal';
import { domainOf } from '@retainer/mind/archive/domains';
import { mayRead, OWNER } from '@retainer/mind/gate/provenance/label';
import { confidenceNow } from '@retainer/mind/parts/facts/fact-rules';
import type { StoredFact } from '@retainer/mind/parts/facts/facts';
import { IntentComparison, NEIGHBOUR_MIN } from '@retainer/mind/memory/recall/intent-comparison';
import type { Recollection } from '@retainer/mind/memory/recall/megram-query';
import { environmentEntity } from '@retainer/mind/parts/megrams/megram-space';
import type { TextVector } from '@retainer/mind/meaning/text-vector';
import type { Recorded } from '@retainer/mind/part/projection';
import { caseExperience } from '@retainer/mind/memory/recall/case-experience';
import { presets, type Weights } from '@retainer/mind/memory/recall/presets';
import type { Problem } from '@retainer/mind/memory/recall/recall-case';
import type { RecalledText, WordsOnly } from '@retainer/mind/memory/recall/recalled';
import { recalledCases } from '@retainer/mind/memory/recall/recalled-cases';
import type { FoundText } from '@retainer/mind/memory/recall/text-index';
import { significantWords } from '@retainer/mind/meaning/significant-words';
import type { Projections } from '@retainer/mind/projections/projections';
import type { RunSpec } from '@retainer/mind/run/event';
import type { MeaningPort, OpenMeaning } from '../ports/meaning.ts';
import { RecallIndex, type TextKind } from './recall-index.ts';
import type { RecalledForWork } from './self-keeper.ts';

export interface RecallSettings {
  /** Most cases of one recall. */
  readonly cases: number;
  readonly minScore: number;
  readonly weights: Weights;
  /** How far back runs and artifacts are searched. */
  readonly windowMs: number;
}

const DAY_MS = 86_400_000;

/** As an Agent has them that says nothing. */
export const DEFAULT_RECALL: RecallSettings = {
  cases: 4,
  minScore: 0.01,
  weights: presets.adaptive,
  windowMs: 30 * DAY_MS,
};

export interface RecallParts {
  readonly journal: Pick<JournalReader, 'read'>;
  readonly known: () => Projections['states'];
  /** Absent: by words alone, as it is wanted. */
  readonly meaning?: OpenMeaning | undefined;
  readonly settings: RecallSettings;
  readonly factHalfLifeDays: number;
  readonly nowMs: () => number;
}

/** Says why the answer is by words alone, if that was not wanted. */
export interface Told {
  readonly wordsOnly?: WordsOnly;
}

/** What the planner is answered. */
export interface PlanRecall extends Recollection, Told {
  readonly cases: readonly RecalledCase[];
}

interface Opened {
  readonly index: RecallIndex;
  readonly meaning: MeaningPort | undefined;
}

/** Words of a Task that are looked up: its first sentences say what is wanted. */
const WORDS_MAX = 64;

/** Source: springdrift 3. */
const FACTS_OF_WORK = 3;
const THREADS_OF_WORK = 5;

/** This many more facts are looked at, because some may be by strangers. */
const FACTS_LOOKED_AT = 4;

export class Recall {
  readonly #parts: RecallParts;
  #comparison: Promise<IntentComparison> | undefined;
  #meaning: Promise<MeaningPort | undefined> | undefined;
  #opening: Promise<Opened> | undefined;
  #index: RecallIndex | undefined;
  /** Records that came while the index was made. */
  #pending: Recorded[] = [];

  constructor(parts: RecallParts) {
    this.#parts = parts;
  }

  /** Call it for each record that is known now. */
  take(record: Recorded): void {
    if (this.#index !== undefined) this.#index.take(record);
    else if (this.#opening !== undefined) this.#pending.push(record);
  }

  /** Call it when everything that is known was folded anew. */
  forget(): void {
    this.#opening = undefined;
    this.#index = undefined;
    this.#pending = [];
  }

  /** For intents of the past, with the asked one. */
  async comparison(asked: string): Promise<Told & { readonly comparison: IntentComparison }> {
    this.#comparison ??= this.#openMeaning().then(
      (meaning) => new IntentComparison(meaning, meaning?.learn !== undefined),
    );
    const meaning = await this.#openMeaning();
    meaning?.learn?.(
      this.#parts.known().megrams.intents.map(({ intent }) => intent),
      () => undefined,
    );
    const wordsOnly = await this.#prepare(asked);
    return { comparison: await this.#comparison, ...wordsOnly };
  }

  /** @param entity  the environment, as megrams name it. @param principal  whom they are for */
  async cases(
    intent: string,
    entity: string,
    principal = OWNER,
  ): Promise<Told & { readonly cases: readonly RecalledCase[] }> {
    const { known, settings, nowMs } = this.#parts;
    if (known().cases.byId.size === 0 || settings.cases === 0) return { cases: [] };
    const { comparison, ...wordsOnly } = await this.comparison(intent);
    const { index, meaning } = await this.#open();
    const { megrams, cases } = known();
    const found = recalledCases(index.cases, {
      intent,
      problem: problemOf(intent),
      vector: meaning?.vectorOf(intent),
      ...settings,
      count: settings.cases,
      caseOf: (id) => {
        const stored = cases.byId.get(id);
        const isTold = stored?.isSuppressed === false && mayRead(stored.label.readers, principal);
        return isTold ? stored : undefined;
      },
      experience: caseExperience(megrams, entity, nowMs(), comparison),
      comparison,
    });
    return { cases: found, ...wordsOnly };
  }

  /** What the perceiver of a run is told: facts, threads and cases that have to do with its Task. */
  async forWork({ intent, environment, principal = OWNER }: RunSpec): Promise<RecalledForWork> {
    const facts = await this.trustedFacts(intent, FACTS_OF_WORK, principal);
    const { byId } = this.#parts.known().threads;
    const threads = await this.texts('thread', intent, THREADS_OF_WORK);
    const found = threads.found.filter(({ id }) => mayRead(byId.get(id)?.label.readers ?? [], principal));
    const { cases, ...told } = await this.cases(intent, environmentEntity(environment), principal);
    const wordsOnly = facts.wordsOnly ?? threads.wordsOnly ?? told.wordsOnly;
    return {
      facts: facts.facts,
      threads: found.flatMap(({ id }) => byId.get(id) ?? []),
      cases,
      recalled: {
        facts: facts.found.map(recordedText),
        threads: found.map(recordedText),
        cases: [...cases],
        ...(wordsOnly === undefined ? {} : { wordsOnly }),
      },
    };
  }

  /** Facts that may stand among instructions of a run for this principal. */
  async trustedFacts(
    text: string,
    count: number,
    principal = OWNER,
  ): Promise<Told & { readonly found: readonly FoundText[]; readonly facts: readonly StoredFact[] }> {
    const { held } = this.#parts.known().facts;
    const { found, ...told } = await this.texts('fact', text, count * FACTS_LOOKED_AT);
    const isTold = (id: string): boolean => {
      const label = held.get(id)?.label;
      return label?.trust === 'Trusted' && mayRead(label.readers, principal);
    };
    const trusted = found.filter(({ id }) => isTold(id)).slice(0, count);
    return { found: trusted, facts: trusted.flatMap(({ id }) => held.get(id) ?? []), ...told };
  }

  /** Records of a kind that are about a text, best first. */
  async texts(kind: TextKind, text: string, count: number): Promise<Told & { readonly found: readonly FoundText[] }> {
    if (!this.#mayKnow(kind)) return { found: [] };
    const wordsOnly = await this.#prepare(text);
    const { index, meaning } = await this.#open();
    const vector = meaning?.vectorOf(text);
    const { found } = index.texts[kind].find({ text, vector, count, weightOf: this.#weightOf(kind) });
    return { found: found.filter(isAbout), ...wordsOnly };
  }

  /** Cases that are about a text, best first, whatever the Agent tells a prompt at most. */
  async caseIds(text: string, count: number): Promise<readonly string[]> {
    if (this.#parts.known().cases.byId.size === 0) return [];
    await this.#prepare(text);
    const { index, meaning } = await this.#open();
    const asked = { problem: problemOf(text), vector: meaning?.vectorOf(text), weights: this.#parts.settings.weights };
    return index.cases.find({ ...asked, count }).found.map(({ id }) => id);
  }

  /** Runs and artifacts from before it are not indexed. Milliseconds since 1970. */
  windowFromMs(): number {
    return this.#parts.nowMs() - this.#parts.settings.windowMs;
  }

  /** Vectors of texts that are not indexed, once the vector of a question is known. */
  async vectors(question: string): Promise<(text: string) => TextVector | undefined> {
    await this.#prepare(question);
    const meaning = await this.#openMeaning();
    return (text) => meaning?.vectorOf(text);
  }

  /** A run of the indexed days. */
  async run(runId: string): Promise<ReturnType<RecallIndex['run']>> {
    return (await this.#open()).index.run(runId);
  }

  #mayKnow(kind: TextKind): boolean {
    const { facts, threads, artifacts, newestRuns } = this.#parts.known();
    const sizes = {
      fact: facts.held.size,
      thread: threads.byId.size,
      artifact: artifacts.size,
      run: newestRuns.runs.length,
    };
    return sizes[kind] > 0;
  }

  /** What is left of a fact's confidence; 0 for one that is not known any more. */
  #weightOf(kind: TextKind): (id: string) => number {
    const { known, factHalfLifeDays, nowMs } = this.#parts;
    if (kind !== 'fact') return () => 1;
    const { held } = known().facts;
    const now = nowMs();
    return (id) => {
      const fact = held.get(id);
      if (fact === undefined) return 0;
      return confidenceNow(fact.confidence, now - fact.writtenAtMs, factHalfLifeDays);
    };
  }

  async #openMeaning(): Promise<MeaningPort | undefined> {
    this.#meaning ??= this.#parts.meaning?.() ?? Promise.resolve(undefined);
    return this.#meaning;
  }

  /** Makes the vector of a question known, in time for it. */
  async #prepare(text: string): Promise<Told> {
    const meaning = await this.#openMeaning();
    if (this.#parts.meaning === undefined) return {};
    const wordsOnly = meaning === undefined ? 'Away' : await meaning.prepare?.([text]);
    return wordsOnly === undefined ? {} : { wordsOnly };
  }

  async #open(): Promise<Opened> {
    this.#opening ??= this.#make().catch((error: unknown) => {
      // The next question tries again.
      this.forget();
      throw error;
    });
    const opened = await this.#opening;
    opened.index.dropBefore(this.windowFromMs());
    return opened;
  }

  async #make(): Promise<Opened> {
    const { journal, known } = this.#parts;
    const meaning = await this.#openMeaning();
    const index = new RecallIndex({ journal, known, meaning, fromMs: this.windowFromMs() });
    const pending = this.#pending;
    await index.make();
    for (const record of pending) index.take(record);
    // Everything may have been folded anew meanwhile.
    if (pending === this.#pending) this.#index = index;
    return { index, meaning };
  }
}

function recordedText({ id, score, signals, matched }: FoundText): RecalledText {
  return { id, score, signals: { ...signals }, matched: [...matched] };
}

/** A Task as cases are asked for it: its own words, and the field that they point to. */
function problemOf(text: string): Problem {
  const words = significantWords(text).slice(0, WORDS_MAX);
  return { intent: '', domain: domainOf(words), keywords: words, entities: [], text };
}

/** Not merely the best of what has nothing to do with it. */
function isAbout({ matched, signals }: FoundText): boolean {
  return matched.length > 0 || signals.meaning >= NEIGHBOUR_MIN;
}
