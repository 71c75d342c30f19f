/** What the running agent keeps beside its runs: facts, artifacts, the inbox and the narrative, each written to its store and projected at once. */
import type { Json } from '@retainer/contract/std/canonical-json';
import type { BusMessageOf } from '@retainer/contract/wire/bus/envelope';
import type { MemoryAnswer } from '@retainer/contract/wire/bus/payloads';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { Journal } from '@retainer/journal/journal';
import type { Redact } from '../infer/secrets.ts';
import { factsUnder } from '@retainer/mind/memory/facts';
import { SESSION_TURNS_MAX } from '@retainer/mind/run/admit/session';
import { recollect, type Recollection } from '@retainer/mind/memory/megram-query';
import type { MegramEvent } from '@retainer/mind/memory/megrams';
import type { RunRemembered } from '@retainer/mind/memory/narrative';
import { narrativeEntry } from '@retainer/mind/run/remember';
import { labelOfRun } from '@retainer/mind/run/handed-on';
import type { RunState } from '@retainer/mind/run/state';
import type { ArtifactsPort, FactsPort } from '../ports/tool.ts';
import { Projections } from './projections.ts';

/** Hexadecimal digits of an artifact's id: enough for a trillion artifacts, short enough for a prompt. */
const artifactIdLength = 16;

/** Newest records of the narrative among which runs are looked for: each start of a process and each new segment write some, too. */
const NARRATIVE_LOOKED_AT = 64;

export class AgentMemory {
  readonly #journal: Journal;
  readonly #redact: Redact;
  /** Runs whose narrative entry stands, of those that were open at the start. */
  readonly #narrated = new Set<string>();
  readonly #newest: RunRemembered[] = [];
  projections = new Projections();
  /** Appends whose projection is still to come. */
  pendingAppends = 0;

  constructor({ journal, redact }: { readonly journal: Journal; readonly redact: Redact }) {
    this.#journal = journal;
    this.#redact = redact;
  }

  /** The newest runs that are told, oldest first. */
  get newestRuns(): readonly RunRemembered[] {
    return this.#newest;
  }

  /** Looks at the end of the narrative only: it may be years long. */
  async foldNewest(): Promise<void> {
    const end = this.#journal.heads().find((it) => it.store === 'narrative');
    const fromSeq = Math.max(0, (end?.seq ?? 0) - NARRATIVE_LOOKED_AT);
    this.#newest.length = 0;
    for await (const { kind, payload } of this.#journal.read('narrative', { fromSeq }))
      if (kind === 'RunRemembered') this.#keepNewest(payload as unknown as RunRemembered);
  }

  #keepNewest(run: RunRemembered): void {
    this.#newest.push(run);
    if (this.#newest.length > SESSION_TURNS_MAX) this.#newest.shift();
  }

  /** Runs that are open may have their entry already: it was written, its confirmation was not. */
  async foldNarrated(): Promise<void> {
    this.#narrated.clear();
    const { runs } = this.projections;
    if (runs.size === 0) return;
    for await (const { runId } of this.#journal.read('narrative')) {
      if (runId !== undefined && runs.has(runId)) this.#narrated.add(runId);
    }
  }

  /** Writes the narrative entry of a run, once. */
  async narrate(state: RunState): Promise<void> {
    const { runId } = state.spec;
    if (this.#narrated.has(runId)) return;
    const record = { store: 'narrative', kind: 'RunRemembered', principal: 'archivist', runId } as const;
    const entry = { ...narrativeEntry(state), label: labelOfRun(state) };
    await this.#journal.append([{ ...record, payload: entry }]);
    this.#keepNewest(entry);
    this.#narrated.add(runId);
  }

  /** Answers a planner out of what was learnt. */
  recall({ payload, atMs }: BusMessageOf<'MemoryRead'>): Recollection {
    return recollect(this.projections.megrams, payload, atMs);
  }

  /** What is known of the user, whatever the task. */
  aboutUser(nowMs: number): readonly MemoryAnswer[] {
    return recollect(this.projections.megrams, { pairs: [] }, nowMs).answers;
  }

  /** Notes what a planner was shown: from then on it fades anew. */
  async noteRecalled(ids: readonly string[], runId: string, atMs: number): Promise<void> {
    if (ids.length > 0) await this.#appendMegrams([{ kind: 'MegramRecalled', ids: [...ids], atMs }], runId);
  }

  /** Writes what a round taught; what stands already is not written twice. */
  async remember({ payload, runId }: BusMessageOf<'MemoryWrite'>): Promise<void> {
    const fresh = payload.megrams.filter((it) => !this.projections.megrams.has(it.id));
    if (fresh.length === 0) return;
    await this.#appendMegrams(
      fresh.map((megram) => ({ kind: 'MegramWritten', megram })),
      runId,
    );
  }

  async #appendMegrams(events: readonly MegramEvent[], runId: string): Promise<void> {
    const records = await this.#journal.append(
      events.map(({ kind, ...payload }) => {
        return { store: 'megram', kind, principal: 'agent', payload: payload, runId };
      }),
    );
    for (const record of records) this.projections.take(record);
  }

  async append(store: string, kind: string, payload: object, principal: string): Promise<void> {
    this.pendingAppends += 1;
    try {
      const records = await this.#journal.append([{ store, kind, principal, payload: payload as Json }]);
      for (const record of records) this.projections.take(record);
    } finally {
      this.pendingAppends -= 1;
    }
  }

  readonly facts: FactsPort = {
    read: (prefix) => factsUnder(this.projections.facts.values(), prefix),
    write: (key, value, { callId, label }) =>
      this.append('fact', 'FactWritten', { key, value, callId, label }, 'agent'),
  };

  readonly artifacts: ArtifactsPort = {
    put: async (fullText) => {
      const text = this.#redact(fullText);
      const sha256 = sha256Hex(text);
      const artifactId = sha256.slice(0, artifactIdLength);
      if (this.projections.artifacts.has(artifactId)) return artifactId;
      const sizeBytes = Buffer.byteLength(text);
      await this.append('artifact', 'ArtifactKept', { artifactId, sha256, sizeBytes, text }, 'agent');
      return artifactId;
    },
    read: async (artifactId) => {
      const fromSeq = this.projections.artifacts.get(artifactId);
      if (fromSeq === undefined) return undefined;
      for await (const record of this.#journal.read('artifact', { fromSeq })) {
        return (record.payload as { readonly text: string }).text;
      }
      return undefined;
    },
  };
}
