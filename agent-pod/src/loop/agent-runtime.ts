/**
 * The agent at work: takes commands from the durable inbox, drives runs and cycles, and takes up after a crash where the
 * record ends.
 *
 * I1  A command is durable before it is acknowledged, and is taken once by its origin id.
 * I2  A command is done only when what it asked for is in the record of the machine that it asked.
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import type { Clock } from '@retainer/contract/std/clock';
import type { CycleConfig } from '../cycle/draft.ts';
import type { Redact } from '../infer/secrets.ts';
import type { Journal } from '../journal/journal.ts';
import { factsUnder, type StoredFact } from '../memory/facts.ts';
import type { Command } from '../memory/inbox.ts';
import { narrativeEntry } from '../memory/narrative.ts';
import type { RunState } from '../run/state.ts';
import type { ArtifactsPort, FactsPort } from '../tools/tool.ts';
import { CycleDriver, type CycleParts, type ToolExecutor } from './cycle-driver.ts';
import type { DeliveryPort, ModelPort } from './ports.ts';
import type { ProjectionCache } from './projection-cache.ts';
import { foldProjections, Projections } from './projections.ts';
import { RunDriver } from './run-driver.ts';
import type { Approval } from '../gate/verdict.ts';

/** Hexadecimal digits of an artifact's id: enough for a trillion artifacts, short enough for a prompt. */
const artifactIdLength = 16;

/** Finished runs between two cached states: a start then folds a few megabytes at the most. */
const runsPerCache = 50;

/** What the tools may reach of the agent's memory. */
export interface ToolMemory {
  readonly facts: FactsPort;
  readonly artifacts: ArtifactsPort;
  approval(requestId: string): Approval | undefined;
}

export interface RuntimeParts {
  readonly journal: Journal;
  readonly model: ModelPort;
  readonly config: CycleConfig;
  readonly delivery: DeliveryPort;
  readonly clock: Clock;
  readonly redact: Redact;
  readonly costUsd: CycleParts['costUsd'];
  readonly parseStructured: CycleParts['parseStructured'];
  readonly makeExecutor: (memory: ToolMemory) => ToolExecutor;
  readonly cache?: ProjectionCache;
  /** The process must stop: a bug, or a journal that takes no more. */
  readonly onFault: (error: unknown) => void;
}

export class AgentRuntime {
  readonly #parts: RuntimeParts;
  #projections = new Projections();
  readonly #cycles: CycleDriver;
  readonly #runs: RunDriver;
  readonly #closed = new Map<string, RunState>();
  readonly #waiters = new Map<string, Set<(state: RunState) => void>>();
  readonly #narrated = new Set<string>();
  /** False while the volume is nearly full: what is under way goes on, nothing is begun. */
  takesNewRuns = true;
  #accepting: Promise<unknown> = Promise.resolve();
  #closedSinceSave = 0;
  #isRunning = false;

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
    const { journal, clock, redact, delivery, onFault } = parts;
    this.#cycles = new CycleDriver({
      ...parts,
      executor: parts.makeExecutor(this.#memory()),
      onEnded: (state) => void this.#runs.cycleEnded(state).catch(onFault),
    });
    this.#runs = new RunDriver({
      journal,
      clock,
      redact,
      delivery,
      archive: (state) => this.#archive(state),
      startCycle: (spec) => this.#cycles.start(spec),
      cancelCycle: (cycleId, by, reason) => this.#cycles.cancel(cycleId, by, reason),
      onClosed: (state) => this.#onClosed(state),
      onFault,
    });
  }

  /** Folds the record and takes up all that was under way. Does nothing while it runs; may be called again after `stop`. */
  async start(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { journal, cache } = this.#parts;
    this.#projections = (await cache?.load(journal)) ?? new Projections();
    this.#narrated.clear();
    await foldProjections(journal, this.#projections);
    await this.#foldNarrated();
    const { runs, cycles, commands } = this.#projections;
    for (const [runId, run] of [...runs]) {
      await this.#runs.resume(runId, run.events, (cycleId) => cycles.has(cycleId));
    }
    for (const [cycleId, cycle] of [...cycles]) await this.#cycles.resume(cycle.runId, cycleId, cycle.events);
    for (const [originId, command] of [...commands]) await this.#carryOut(originId, command);
  }

  /**
   * Takes a command once.
   *
   * @returns false when this origin was accepted before; nothing happens then
   * @throws when the journal takes no more, or the volume is too full to begin a run
   */
  accept(originId: string, source: string, command: Command): Promise<boolean> {
    const accepted = this.#accepting.then(() => this.#accept(originId, source, command));
    this.#accepting = accepted.catch(() => undefined);
    return accepted;
  }

  /** Resolves when the run is closed; at once when it was closed in this process. */
  closed(runId: string): Promise<RunState> {
    const known = this.#closed.get(runId);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(runId) ?? new Set();
      this.#waiters.set(runId, waiters.add(resolve));
    });
  }

  /** Whether the record holds the run as under way. */
  isOpen(runId: string): boolean {
    return this.#runs.states().some((state) => state.spec.runId === runId);
  }

  /** All facts, by key. */
  facts(): readonly StoredFact[] {
    return factsUnder(this.#projections.facts.values(), '');
  }

  openRuns(): readonly RunState[] {
    return this.#runs.states();
  }

  /** Keeps a cached state when nothing is under way; a start is faster with it and the same without. */
  async saveCache(): Promise<void> {
    if (this.#runs.states().length > 0 || this.#projections.commands.size > 0) return;
    await this.#parts.cache?.save(this.#projections, this.#parts.journal);
  }

  /** Stops all effects. The journal stays open; its owner closes it. */
  stop(): void {
    this.#isRunning = false;
    this.#cycles.stop();
    this.#runs.stop();
  }

  async #accept(originId: string, source: string, command: Command): Promise<boolean> {
    if (this.#projections.origins.has(originId)) return false;
    if (command.type === 'StartRun' && !this.takesNewRuns) {
      throw new Error('the volume is more than 90 % full: no new task is begun until there is space');
    }
    const principal = 'by' in command ? `human:${command.by}` : 'operator';
    await this.#append('inbox', 'CommandAccepted', { originId, source, command }, principal);
    await this.#carryOut(originId, command);
    return true;
  }

  async #carryOut(originId: string, command: Command): Promise<void> {
    switch (command.type) {
      case 'StartRun':
        if (this.#projections.runIds.has(command.spec.runId)) break;
        this.#projections.runIds.add(command.spec.runId);
        await this.#runs.admit(command.spec);
        break;
      case 'DecideApproval':
        await this.#cycles.decideApproval(command);
        break;
      case 'CancelRun':
        await this.#runs.cancel(command.runId, command.by, command.reason);
        break;
    }
    await this.#append('inbox', 'CommandDone', { originId }, 'agent');
  }

  async #archive(state: RunState): Promise<void> {
    const { runId } = state.spec;
    if (this.#narrated.has(runId)) return;
    this.#narrated.add(runId);
    const payload = narrativeEntry(state);
    await this.#parts.journal.append([
      { store: 'narrative', kind: 'RunRemembered', principal: 'archivist', runId, payload },
    ]);
  }

  /** Runs whose entry stands already, of those that are still open: the entry was written, its confirmation was not. */
  async #foldNarrated(): Promise<void> {
    if (this.#projections.runs.size === 0) return;
    for await (const record of this.#parts.journal.read('narrative')) {
      if (record.runId !== undefined && this.#projections.runs.has(record.runId)) this.#narrated.add(record.runId);
    }
  }

  #onClosed(state: RunState): void {
    const { runId } = state.spec;
    this.#closedSinceSave += 1;
    if (this.#closedSinceSave >= runsPerCache) {
      this.#closedSinceSave = 0;
      // A cache that cannot be written costs a slower start and nothing else.
      this.saveCache().catch(() => undefined);
    }
    this.#projections.closeRun(runId);
    this.#closed.set(runId, state);
    for (const resolve of this.#waiters.get(runId) ?? []) resolve(state);
    this.#waiters.delete(runId);
  }

  async #append(store: string, kind: string, payload: object, principal: string): Promise<number> {
    const records = await this.#parts.journal.append([{ store, kind, principal, payload: payload as never }]);
    for (const record of records) this.#projections.take(record);
    return records.at(-1)?.seq ?? 0;
  }

  #memory(): ToolMemory {
    const { journal } = this.#parts;
    return {
      approval: (requestId) => this.#cycles.approval(requestId),
      facts: {
        read: (prefix) => factsUnder(this.#projections.facts.values(), prefix),
        write: async (key, value, { callId }) => {
          await this.#append('fact', 'FactWritten', { key, value, callId }, 'agent');
        },
      },
      artifacts: {
        put: (text) => this.#keepArtifact(text),
        read: async (artifactId) => {
          const fromSeq = this.#projections.artifacts.get(artifactId);
          if (fromSeq === undefined) return undefined;
          for await (const record of journal.read('artifact', { fromSeq })) {
            return (record.payload as { readonly text: string }).text;
          }
          return undefined;
        },
      },
    };
  }

  async #keepArtifact(fullText: string): Promise<string> {
    const text = this.#parts.redact(fullText);
    const sha256 = sha256Hex(text);
    const artifactId = sha256.slice(0, artifactIdLength);
    if (this.#projections.artifacts.has(artifactId)) return artifactId;
    const sizeBytes = Buffer.byteLength(text);
    await this.#append('artifact', 'ArtifactKept', { artifactId, sha256, sizeBytes, text }, 'agent');
    return artifactId;
  }
}
