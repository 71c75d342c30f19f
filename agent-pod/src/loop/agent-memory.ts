/** The agent's memory outside its runs: facts, files, artifacts, megrams, the inbox and the narrative. */
import type { BusMessageOf } from '@retainer/contract/wire/bus/envelope';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { Clock } from '@retainer/contract/std/clock';
import type { Journal } from '@retainer/journal/journal';
import { FACT_HALF_LIFE_DAYS } from '@retainer/mind/parts/facts/fact-rules';
import type { Redact } from '../infer/secrets.ts';
import { summaryOf } from '@retainer/mind/parts/artifacts/artifacts';
import { asOf, factsProjection, factsUnder, heldLike } from '@retainer/mind/parts/facts/facts';
import { recollect } from '@retainer/mind/memory/recall/megram-query';
import type { GateChange } from '@retainer/mind/parts/interventions/part';
import { slugWords } from '@retainer/mind/parts/megrams/megram-space';
import { runsOfConversation } from '@retainer/mind/projections/open-archives';
import { forgetClosedRuns } from '@retainer/mind/projections/open-work';
import type { Projections } from '@retainer/mind/projections/projections';
import { assembleSession } from '@retainer/mind/run/admit/session';
import { labelOfRun } from '@retainer/mind/run/handed-on';
import type { Finding } from '@retainer/mind/gate/meta/observer';
import type { Command } from '@retainer/mind/run/inbox';
import type { RunState } from '@retainer/mind/run/state';
import type { OpenMeaning } from '../ports/meaning.ts';
import type { ArtifactsPort, FactsPort, FilesPort, PartsPort, RecallPort } from '../ports/tool.ts';
import { ArchiveRecords } from './archive-records.ts';
import { readArtifact } from './read-artifact.ts';
import { fileRecords, seedRecords, type PresentSeed } from './file-records.ts';
import type { Unread } from './fold-record.ts';
import { MemoryWriter } from './memory-writer.ts';
import type { Writer } from '@retainer/mind/part/store';
import type { ToolMemory } from './tool-executor.ts';
import { MemorySearch } from './memory-search.ts';
import { ProjectedJournal } from './projected-journal.ts';
import { DEFAULT_RECALL, Recall, type PlanRecall, type RecallSettings } from './recall.ts';
import type { ProjectionCache } from './projection-cache.ts';

/** Hexadecimal digits of an artifact's id: enough for a trillion artifacts, short enough for a prompt. */
const ARTIFACT_ID_LENGTH = 16;

export interface MemoryParts {
  readonly journal: Journal;
  readonly redact: Redact;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Absent: as the rules of facts say. */
  readonly factHalfLifeDays?: number;
  /** Absent: by words alone. */
  readonly meaning?: OpenMeaning;
  /** Absent: as an Agent has it that says nothing. */
  readonly recall?: RecallSettings;
}

export class AgentMemory {
  readonly #journal: Journal;
  readonly #redact: Redact;
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #halfLifeDays: number;
  readonly #projected: ProjectedJournal;
  readonly #writer: MemoryWriter;
  readonly texts: Recall;
  readonly search: RecallPort;

  constructor({ journal, redact, clock, meaning, recall, factHalfLifeDays = FACT_HALF_LIFE_DAYS }: MemoryParts) {
    this.#journal = journal;
    this.#redact = redact;
    this.#clock = clock;
    this.#halfLifeDays = factHalfLifeDays;
    const known = (): Projections['states'] => this.known;
    const nowMs = (): number => clock.nowMs();
    this.texts = new Recall({ journal, known, meaning, settings: recall ?? DEFAULT_RECALL, factHalfLifeDays, nowMs });
    this.search = new MemorySearch({ journal, known, recall: this.texts });
    this.#projected = new ProjectedJournal(journal, (record) => this.texts.take(record));
    this.#writer = new MemoryWriter((records) => this.#projected.append(records));
  }

  get known(): Projections['states'] {
    return this.#projected.known;
  }

  /** What a projection could not take at the last fold. */
  get unread(): readonly Unread[] {
    return this.#projected.unread;
  }

  /** See `ProjectedJournal.fold`. */
  async fold(...[more, ...from]: Parameters<ProjectedJournal['fold']>): Promise<Projections['states']> {
    this.texts.forget();
    const known = await this.#projected.fold({ ...more, facts: factsProjection(this.#halfLifeDays) }, ...from);
    forgetClosedRuns(known);
    return known;
  }

  /** See `ProjectedJournal.saveTo`. */
  saveTo(cache: ProjectionCache): Promise<boolean> {
    return this.#projected.saveTo(cache);
  }

  /** Writes what the table of writers allows this one. */
  readonly write: MemoryWriter['write'] = (writer, commands) => this.#writer.write(writer, commands);

  /** What archiving a run leaves. */
  readonly records = new ArchiveRecords(() => this.known, this.write);

  /** See `MemoryWriter.writeAny`. */
  readonly writeAny: MemoryWriter['writeAny'] = (writer, records) => this.#writer.writeAny(writer, records);

  nowMs(): number {
    return this.#clock.nowMs();
  }

  /** Of machines whose events are projected as they are written. */
  get journal(): Pick<Journal, 'append' | 'mode'> {
    return this.#projected;
  }

  noteFinding({ cycleId, intervention, detectors }: Finding, runId: string | undefined): Promise<void> {
    const payload = { cycleId, intervention, detectors: [...detectors] };
    const of = runId === undefined ? {} : { runId };
    return this.write('Runtime', [{ store: 'agent', kind: 'GatesIntervened', payload, cycleId, ...of }]);
  }

  noteGateChange(change: GateChange): Promise<void> {
    return this.write('Runtime', [{ store: 'agent', kind: 'GatesChanged', payload: { change } }]);
  }

  /** Of nothing that memory holds, the table of words is not even opened. */
  async recall({ payload, atMs }: BusMessageOf<'MemoryRead'>, principal?: string): Promise<PlanRecall> {
    const { megrams } = this.known;
    const { pairs, intent } = payload;
    const asked = { ...payload, principal };
    if (intent === undefined) return { ...recollect(megrams, asked, atMs), cases: [] };
    const compared = megrams.intents.length === 0 ? undefined : await this.texts.comparison(intent);
    const entity = pairs.find((it) => slugWords(it.space) !== undefined)?.entity ?? '';
    const recalled = await this.texts.cases(intent, entity, principal);
    const wordsOnly = compared?.wordsOnly ?? recalled.wordsOnly;
    return {
      ...recollect(megrams, asked, atMs, compared?.comparison),
      cases: recalled.cases,
      ...(wordsOnly === undefined ? {} : { wordsOnly }),
    };
  }

  /** Earlier runs of a conversation, and what the agent knows of the user, independent of the task: what this principal may read. */
  session(conversation: string, nowMs: number, principal?: string): ReturnType<typeof assembleSession> {
    const aboutUser = recollect(this.known.megrams, { pairs: [], principal }, nowMs).answers;
    return assembleSession(runsOfConversation(this.known, conversation), aboutUser, principal);
  }

  /** Notes which megrams a planner saw: their decay starts again. Leaves out megrams that are noted already. */
  async noteRecalled(told: readonly string[], runId: string, atMs: number): Promise<void> {
    const ids = told.filter((id) => !this.known.megrams.isRecalledSince(id, atMs));
    if (ids.length === 0) return;
    await this.write('Steerer', [{ store: 'megram', kind: 'MegramRecalled', payload: { ids, atMs }, runId }]);
  }

  /** Writes what a round taught, with the label of all that the run had read. A megram that is already recorded is not written again. */
  async remember({ payload, runId }: BusMessageOf<'MemoryWrite'>, state: RunState): Promise<void> {
    const label = labelOfRun(state);
    const fresh = payload.megrams.filter((it) => !this.known.megrams.has(it.id));
    await this.write(
      'Steerer',
      fresh.map((megram) => ({ store: 'megram', kind: 'MegramWritten', payload: { megram, label }, runId })),
    );
  }

  /** Notes the seeds that stand as the manifests have them. */
  async noteSeeds(present: readonly PresentSeed[]): Promise<void> {
    await this.write('Manifests', seedRecords(present, this.known.files));
  }

  /** A person wants a dream; each command counts once. */
  async wantDream({ by, reason }: Extract<Command, { type: 'TendMemory' }>, originId: string): Promise<void> {
    if (this.known.dreamChanges.has(originId)) return;
    await this.write('Person', [{ store: 'dream', kind: 'DreamWanted', payload: { by, reason, originId }, by }]);
  }

  /** What parts know, and what they write under this name. */
  partsFor(writer: Writer): PartsPort {
    return { known: () => this.known, write: (records) => this.writeAny(writer, records) };
  }

  /** What the chokepoint lends to tools. */
  get forTools(): Pick<ToolMemory, 'facts' | 'files' | 'artifacts' | 'recall' | 'parts'> {
    const { facts, files, artifacts, search: recall } = this;
    return { facts, files, artifacts, recall, parts: this.partsFor('Tools') };
  }

  readonly facts: FactsPort = {
    read: (prefix, reader) =>
      factsUnder(this.known.facts, prefix, reader).map((fact) => asOf(fact, this.#clock.nowMs(), this.#halfLifeDays)),
    write: async ({ runId, cycleId, evidence, ...fact }) => {
      const payload = { ...fact, evidence: [...evidence] };
      const before = heldLike(this.known.facts, { ...fact, runId, cycleId });
      await this.write('Tools', [{ store: 'fact', kind: 'FactWritten', payload, runId, cycleId }]);
      const after = heldLike(this.known.facts, { ...fact, runId, cycleId });
      return after === before ? after : undefined;
    },
  };

  readonly files: FilesPort = {
    known: () => this.known.files,
    addedBy: (runId) => this.known.additions.get(runId) ?? { files: 0, bytes: 0 },
    record: (changes, by) => this.write('Tools', fileRecords(changes, by, this.known.files)),
  };

  readonly artifacts: ArtifactsPort = {
    put: async ({ runId, cycleId, url, ...artifact }) => {
      const text = this.#redact(artifact.text);
      const sha256 = sha256Hex(text);
      const artifactId = sha256.slice(0, ARTIFACT_ID_LENGTH);
      if (this.known.artifacts.has(artifactId)) return artifactId;
      const made = { artifactId, sha256, sizeBytes: Buffer.byteLength(text), text, summary: summaryOf(text) };
      const payload = { ...artifact, ...made, ...(url === undefined ? {} : { url: this.#redact(url) }) };
      await this.write('Tools', [{ store: 'artifact', kind: 'ArtifactKept', payload, runId, cycleId }]);
      return artifactId;
    },
    read: (artifactId) => readArtifact(this.#journal, this.known.artifacts, artifactId),
  };
}
