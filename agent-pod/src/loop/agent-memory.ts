/**
 * The agent's memory outside its runs: facts, files, artifacts, the inbox and the narrative. Each write goes to its store and at once
 * into its projection.
 */
import type { BusMessageOf } from '@retainer/contract/wire/bus/envelope';
import type { MemoryAnswer } from '@retainer/contract/wire/bus/payloads';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { Journal, NewRecord } from '@retainer/journal/journal';
import type { Redact } from '../infer/secrets.ts';
import { artifactKinds } from '@retainer/mind/memory/artifacts';
import { factsUnder } from '@retainer/mind/memory/facts';
import { recollect, type Recollection } from '@retainer/mind/memory/megram-query';
import type { MegramEvent } from '@retainer/mind/memory/megrams';
import { narrativeEntry } from '@retainer/mind/run/remember';
import { Projections } from '@retainer/mind/projections/projections';
import { labelOfRun } from '@retainer/mind/run/handed-on';
import type { Finding } from '@retainer/mind/gate/meta/observer';
import type { Command } from '@retainer/mind/run/inbox';
import type { RunState } from '@retainer/mind/run/state';
import type { ArtifactsPort, FactsPort, FilesPort } from '../ports/tool.ts';
import { fileRecords, seedRecords, type StandingSeed } from './file-records.ts';
import { foldRecord, type Unread } from './fold-record.ts';
import { humanPrincipal } from './principal.ts';
import type { ProjectionCache } from './projection-cache.ts';

/** Hexadecimal digits of an artifact's id: enough for a trillion artifacts, short enough for a prompt. */
const ARTIFACT_ID_LENGTH = 16;

export class AgentMemory {
  readonly #journal: Journal;
  readonly #redact: Redact;
  #projections = new Projections();
  /** Appends that are not yet projected. */
  #pendingAppends = 0;

  constructor({ journal, redact }: { readonly journal: Journal; readonly redact: Redact }) {
    this.#journal = journal;
    this.#redact = redact;
  }

  get known(): Projections['states'] {
    return this.#projections.states;
  }

  /** What a projection could not take at the last fold. */
  unread: readonly Unread[] = [];

  /** Folds the record and forgets the earlier states. @param more  projections beside those of memory, by name */
  async fold(
    more: ConstructorParameters<typeof Projections>[0],
    nowMs: number,
    cache?: ProjectionCache,
  ): Promise<Projections['states']> {
    this.#projections = new Projections(more);
    this.unread = await foldRecord(this.#journal, this.#projections, nowMs, cache);
    return this.known;
  }

  /** Caches the states, unless a command is open or an append is under way. Call it while no run and no cycle is open. */
  async saveTo(cache: ProjectionCache): Promise<void> {
    if (this.#pendingAppends > 0 || this.known.inbox.open.size > 0) return;
    await cache.save(this.#projections.rows, this.#journal);
  }

  /** Writes the narrative entry of a run, once. */
  async narrate(state: RunState): Promise<void> {
    const { runId } = state.spec;
    if (this.known.narratedRuns.has(runId)) return;
    const payload = { ...narrativeEntry(state), label: labelOfRun(state) };
    await this.append([{ store: 'narrative', kind: 'RunRemembered', principal: 'archivist', runId, payload }]);
  }

  reportFalsePositive(report: Extract<Command, { type: 'ReportFalsePositive' }>): Promise<void> {
    const { type: _type, ...payload } = report;
    const principal = humanPrincipal(payload.by);
    return this.append([{ store: 'agent', kind: 'FalsePositiveReported', principal, payload }]);
  }

  noteFinding({ cycleId, intervention, detectors }: Finding, runId: string | undefined): Promise<void> {
    const payload = { cycleId, intervention, detectors: [...detectors] };
    const of = runId === undefined ? {} : { runId };
    return this.append([{ store: 'agent', kind: 'GatesIntervened', principal: 'agent', payload, cycleId, ...of }]);
  }

  recall({ payload, atMs }: BusMessageOf<'MemoryRead'>): Recollection {
    return recollect(this.known.megrams, payload, atMs);
  }

  /** What the agent knows of the user, independent of the task. */
  aboutUser(nowMs: number): readonly MemoryAnswer[] {
    return recollect(this.known.megrams, { pairs: [] }, nowMs).answers;
  }

  /** Notes which megrams a planner saw: their decay starts anew. */
  async noteRecalled(ids: readonly string[], runId: string, atMs: number): Promise<void> {
    if (ids.length > 0) await this.#appendMegrams([{ kind: 'MegramRecalled', ids: [...ids], atMs }], runId);
  }

  /** Writes what a round taught, with the label of all that the run had read. A megram that is already recorded is not written again. */
  async remember({ payload, runId }: BusMessageOf<'MemoryWrite'>, state: RunState): Promise<void> {
    const label = labelOfRun(state);
    const fresh = payload.megrams.filter((it) => !this.known.megrams.has(it.id));
    if (fresh.length === 0) return;
    await this.#appendMegrams(
      fresh.map((megram) => ({ kind: 'MegramWritten', megram, label })),
      runId,
    );
  }

  /** Notes the seeds that stand as the manifests have them. */
  async noteSeeds(standing: readonly StandingSeed[]): Promise<void> {
    const records = seedRecords(standing, this.known.files);
    if (records.length > 0) await this.append(records);
  }

  /** A person's word about the bytes of a file. */
  async trustFile(command: Extract<Command, { type: 'TrustFile' }>): Promise<void> {
    const { type: _, knownBy: __, ...payload } = command;
    await this.append([{ store: 'file', kind: 'FileTrusted', principal: humanPrincipal(payload.by), payload }]);
  }

  #appendMegrams(events: readonly MegramEvent[], runId: string): Promise<void> {
    return this.append(
      events.map(({ kind, ...payload }) => {
        return { store: 'megram', kind, principal: 'agent', payload, runId };
      }),
    );
  }

  async append(records: readonly NewRecord[]): Promise<void> {
    this.#pendingAppends += 1;
    try {
      for (const record of await this.#journal.append(records)) this.#projections.take(record);
    } finally {
      this.#pendingAppends -= 1;
    }
  }

  readonly facts: FactsPort = {
    read: (prefix) => factsUnder(this.known.facts.values(), prefix),
    write: (key, value, { callId, label }) =>
      this.append([{ store: 'fact', kind: 'FactWritten', principal: 'agent', payload: { key, value, callId, label } }]),
  };

  readonly files: FilesPort = {
    known: () => this.known.files,
    record: (changes, by) => this.append(fileRecords(changes, by, this.known.files)),
  };

  readonly artifacts: ArtifactsPort = {
    put: async (fullText, label) => {
      const text = this.#redact(fullText);
      const sha256 = sha256Hex(text);
      const artifactId = sha256.slice(0, ARTIFACT_ID_LENGTH);
      if (this.known.artifacts.has(artifactId)) return artifactId;
      const sizeBytes = Buffer.byteLength(text);
      const payload = { artifactId, sha256, sizeBytes, text, ...(label === undefined ? {} : { label }) };
      await this.append([{ store: 'artifact', kind: 'ArtifactKept', principal: 'agent', payload }]);
      return artifactId;
    },
    read: async (artifactId) => {
      const fromSeq = this.known.artifacts.get(artifactId);
      if (fromSeq === undefined) return undefined;
      for await (const record of this.#journal.read('artifact', { fromSeq })) {
        const { text, label } = artifactKinds.ArtifactKept.parse(record.payload);
        return { text, ...(label === undefined ? {} : { label }) };
      }
      return undefined;
    },
  };
}
