/**
 * The agent at work: it takes commands from the durable inbox and drives runs and cycles. After a crash it continues where the
 * record ends.
 *
 * I1  A command is durable before it is acknowledged. Each origin id is taken once.
 * I2  A command is done only when the machine that it addresses has recorded it.
 * I3  Each start has its own drivers. Work in flight from an earlier start writes nothing more and starts nothing.
 * I4  A cycle continues only as the pending cycle of an open run. Any other cycle is cancelled, in the record.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { assembleSession } from '@retainer/mind/run/admit/session';
import type { Publisher } from '../bus/bus.ts';
import type { CycleConfig } from '@retainer/mind/cycle/draft';
import type { CycleState } from '@retainer/mind/cycle/state';
import type { BudgetLevel } from '@retainer/mind/gate/budget/budget';
import type { Finding } from '@retainer/mind/gate/meta/observer';
import type { Redact } from '../infer/secrets.ts';
import type { Journal } from '@retainer/journal/journal';
import type { StoredFact } from '@retainer/mind/memory/facts';
import { withoutSpent, type Command } from '@retainer/mind/run/inbox';
import { forgetRun } from '@retainer/mind/projections/open-work';
import type { AsideRun } from '@retainer/mind/run/set-aside';
import type { RunState } from '@retainer/mind/run/state';
import { AgentMemory } from './agent-memory.ts';
import { AsideKeeper, type Driven } from './aside-keeper.ts';
import { asideProjection, RunSetAsideError } from './aside-runs.ts';
import { carryOut } from './carry-out.ts';
import { ClosedRuns } from './closed-runs.ts';
import type { StandingSeed } from './file-records.ts';
import { CycleDriver, type CycleParts } from './cycle-driver.ts';
import type { ToolExecutor, ToolMemory } from './tool-executor.ts';
import { Oversight, type GateHealth, type OversightSettings } from './oversight.ts';
import type { DeliveryPort, ModelPort } from '../ports/ports.ts';
import type { ProjectionCache } from './projection-cache.ts';
import { humanPrincipal } from './principal.ts';
import { RunDriver, type RunParts } from './run-driver.ts';

/** Finished runs between two cached states. A start then folds a few megabytes at most. */
const RUNS_PER_CACHE = 50;

export interface RuntimeParts {
  readonly journal: Journal;
  readonly model: ModelPort;
  readonly config: CycleConfig;
  readonly oversight: OversightSettings;
  readonly delivery: DeliveryPort;
  readonly bus: Pick<Publisher, 'publish'>;
  readonly clock: Clock;
  readonly redact: Redact;
  readonly holdsSecret: CycleParts['holdsSecret'];
  readonly drawNonce: CycleParts['drawNonce'];
  readonly lookAround: RunParts['lookAround'];
  readonly costUsd: CycleParts['costUsd'];
  readonly parseStructured: CycleParts['parseStructured'];
  readonly makeExecutor: (memory: ToolMemory) => ToolExecutor;
  readonly cache?: ProjectionCache;
  /** Files of the workspace that stand as the manifests have them. Absent: none. */
  readonly standingSeeds?: () => Promise<readonly StandingSeed[]>;
  readonly onNotice?: (notice: string) => void;
  /** Of this program; see `AsideKeeper`. */
  readonly version: string;
  /** The process must stop: a bug that concerns no single run, or a journal that takes no more. */
  readonly onFault: (error: unknown) => void;
}

interface Drive extends Driven {
  readonly oversight: Oversight;
  readonly keeper: AsideKeeper;
}

/** The agent takes no commands at present. The record keeps the accepted ones. */
export class NotRunningError extends Error {
  override readonly name = 'NotRunningError';
}

export class AgentRuntime {
  readonly #parts: RuntimeParts;
  readonly #memory: AgentMemory;
  readonly #executor: ToolExecutor;
  readonly #closed = new ClosedRuns();
  #drive: Drive | undefined;
  #isReady = false;
  #takesNewRuns = true;
  #accepting: Promise<unknown> = Promise.resolve();
  #changing: Promise<unknown> = Promise.resolve();
  #closedSinceSave = 0;

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
    this.#memory = new AgentMemory(parts);
    const { facts, files, artifacts } = this.#memory;
    this.#executor = parts.makeExecutor({
      facts,
      files,
      artifacts,
      approval: (id) => this.#drive?.cycles.approval(id),
      accepted: (permit) => this.#drive?.cycles.accepted(permit),
    });
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get takesNewRuns(): boolean {
    return this.#takesNewRuns;
  }

  /** False while the volume is nearly full: work under way continues, no new run begins. */
  takeNewRuns(isAllowed: boolean): void {
    this.#takesNewRuns = isAllowed;
  }

  /**
   * Folds the record and continues all work that was under way. Does nothing while the agent runs. Can be called again after
   * `stop`.
   *
   * @throws when the journal takes no more; the runtime is stopped then
   */
  start(): Promise<void> {
    return this.#change(async () => {
      if (this.#drive !== undefined) return;
      const drive = this.#makeDrive();
      this.#drive = drive;
      try {
        await this.#takeUp(drive);
        this.#isReady = !drive.isOver;
      } catch (error) {
        await this.#end(drive);
        throw error;
      }
    });
  }

  /** Stops all effects at once. Resolves when none of them can reach the record any more. The journal stays open. */
  stop(): Promise<void> {
    const drive = this.#drive;
    this.#isReady = false;
    if (drive === undefined) return this.#changing.then(() => undefined);
    const ended = this.#end(drive);
    return this.#change(() => ended);
  }

  /**
   * Takes a command once.
   *
   * @returns false when this origin was accepted before; nothing happens then
   * @throws NotRunningError while it is stopped or the volume is too full to begin a run; otherwise when the journal takes no
   * more
   */
  accept(originId: string, source: string, command: Command): Promise<boolean> {
    const accepted = this.#accepting.then(() => this.#accept(originId, source, command));
    this.#accepting = accepted.catch(() => undefined);
    return accepted;
  }

  /**
   * Resolves when the run is closed; at once when this process closed it recently.
   *
   * @throws RunSetAsideError when the program failed in the run
   */
  closed(runId: string): Promise<RunState> {
    return this.#drive?.aside.has(runId) === true
      ? Promise.reject(new RunSetAsideError(runId))
      : this.#closed.wait(runId);
  }

  /** Runs that wait for a person or a new version, because the program failed in them. */
  asideRuns(): readonly ({ readonly runId: string } & AsideRun)[] {
    const aside = [...(this.#drive?.aside ?? [])].map(([runId, run]) => ({ runId, ...run }));
    return aside.filter(({ isGivenUp }) => !isGivenUp);
  }

  isOpen(runId: string): boolean {
    return this.openRuns().some((state) => state.spec.runId === runId);
  }

  /** All facts, by key. */
  facts(): readonly StoredFact[] {
    return this.#memory.facts.read('');
  }

  /** What the perceiver of a new run learns about earlier runs and the user. Source: artoo A.16. */
  session(): ReturnType<typeof assembleSession> {
    return assembleSession(this.#memory.known.newestRuns, this.#memory.aboutUser(this.#parts.clock.nowMs()));
  }

  openRuns(): readonly RunState[] {
    return this.#drive?.runs.states() ?? [];
  }

  knowsRun(runId: string): boolean {
    return this.#memory.known.runs.ids.has(runId);
  }

  openCycles(): readonly CycleState[] {
    return this.#drive?.cycles.states() ?? [];
  }

  /** How much of each budget is used; empty while the agent is stopped. */
  budgets(): readonly BudgetLevel[] {
    return this.#drive?.oversight.budgets(this.#parts.clock.nowMs()) ?? [];
  }

  get gateHealth(): GateHealth {
    return this.#drive?.oversight.health ?? { outputRejectionsInRow: 0, probesUnansweredInRow: 0 };
  }

  /** Commands that are accepted and not yet done. */
  get inboxLength(): number {
    return this.#memory.known.inbox.open.size;
  }

  /** Caches the states when nothing is under way. The cache only makes a start faster. */
  async saveCache(): Promise<void> {
    const { cache } = this.#parts;
    if (cache === undefined || !this.#isReady || this.openRuns().length > 0 || this.openCycles().length > 0) return;
    await this.#memory.saveTo(cache);
  }

  /** Serialises the changes of the life cycle. */
  #change(change: () => Promise<void>): Promise<void> {
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  #makeDrive(): Drive {
    const { onFault } = this.#parts;
    const report = (error: unknown): void => {
      if (!drive.isOver) onFault(error);
    };
    const failed = (runId: string, error: unknown): void =>
      drive.isOver ? undefined : void drive.keeper.setAside(runId, error).catch(report);
    const guard = (runId: string, work: Promise<unknown>): void =>
      void work.catch((error: unknown) => failed(runId, error));
    const oversight = new Oversight(
      this.#parts.oversight,
      this.#parts.costUsd,
      (finding) => void this.#noteFinding(drive, finding).catch(report),
      (notice) => this.#parts.onNotice?.(notice),
    );
    const cycles: CycleDriver = new CycleDriver({
      ...this.#parts,
      oversight,
      executor: this.#executor,
      onWaiting: ({ spec }: CycleState, isWaiting: boolean) =>
        guard(spec.runId, drive.runs.waiting(spec.runId, spec.cycleId, isWaiting)),
      onAsked: (state: CycleState) => guard(state.spec.runId, drive.runs.asked(state)),
      onEnded: (state: CycleState) => guard(state.spec.runId, drive.runs.cycleEnded(state)),
      onFault: failed,
    });
    const runs = new RunDriver({
      ...this.#parts,
      characterDigest: this.#parts.config.gate.characterDigest,
      known: this.#parts.config.catalog.known,
      publish: (message) => this.#parts.bus.publish(message),
      recall: (request) => this.#memory.recall(request),
      noteRecalled: (ids, runId, atMs) => this.#memory.noteRecalled(ids, runId, atMs),
      remember: (request, state) => this.#memory.remember(request, state),
      archive: (state) => this.#memory.narrate(state),
      startCycle: (spec) => cycles.start(spec),
      cancelCycle: (cycleId, by, reason) => cycles.cancel(cycleId, by, reason),
      onClosed: (state) => this.#onClosed(state),
      onFault: failed,
    });
    const driven: Driven = { cycles, runs, aside: new Map(), isOver: false };
    const keeper = new AsideKeeper(
      {
        ...this.#parts,
        append: (records) => this.#memory.append(records),
        onAside: (runId) => this.#closed.fail(runId, new RunSetAsideError(runId)),
      },
      driven,
    );
    const drive: Drive = Object.assign(driven, { oversight, keeper });
    return drive;
  }

  /** For people. The cycles that an intervention concerns record it in their own start. */
  async #noteFinding({ runs }: Drive, finding: Finding): Promise<void> {
    const { cycleId, intervention, detectors } = finding;
    const runId = runs.states().find((run) => run.roleCycles.has(cycleId))?.spec.runId;
    await this.#memory.noteFinding(finding, runId);
    if (intervention === 'Escalate')
      this.#parts.onNotice?.(`the gates need a person: ${detectors.join(', ')} after cycle ${cycleId}`);
  }

  async #takeUp(drive: Drive): Promise<void> {
    // Commands accepted before the last stop must be in the record before it is folded.
    await this.#accepting;
    const { cache, clock } = this.#parts;
    const { oversight, keeper, aside } = drive;
    const { projection, reports, choices } = oversight;
    const more = { oversight: projection, reports, choices, aside: asideProjection(aside) };
    const { runs, cycles, inbox } = await this.#memory.fold(more, clock.nowMs(), cache);
    await this.#memory.noteSeeds((await this.#parts.standingSeeds?.()) ?? []);
    for (const { where, runId, error } of this.#memory.unread) {
      this.#parts.onNotice?.(`${where} cannot be taken into memory: the agent goes on without it`);
      if (runId !== undefined && runs.open.has(runId)) await keeper.setAside(runId, error);
    }
    await keeper.resume([...runs.open], new Map(cycles));
    await keeper.reviewAll();
    for (const [originId, command] of [...inbox.open]) {
      if (!drive.isOver) await this.#carryOut(drive, originId, command);
    }
    if (!drive.isOver) drive.runs.arm();
  }

  async #end(drive: Drive): Promise<void> {
    drive.isOver = true;
    drive.keeper.stop();
    this.#isReady = false;
    await Promise.all([drive.cycles.stop(), drive.runs.stop()]);
    if (this.#drive === drive) this.#drive = undefined;
  }

  async #accept(originId: string, source: string, arrived: Command): Promise<boolean> {
    const drive = this.#drive;
    if (drive === undefined || !this.#isReady) {
      throw new NotRunningError(
        'the agent accepts no commands at the moment: its volume is full, or it is starting or stopping',
      );
    }
    if (this.#memory.known.inbox.origins.has(originId)) return false;
    const command = arrived.type === 'StartRun' ? this.#newRun(arrived) : arrived;
    const principal = 'by' in command ? humanPrincipal(command.by) : 'operator';
    const payload = { originId, source, command };
    await this.#memory.append([{ store: 'inbox', kind: 'CommandAccepted', principal, payload }]);
    await this.#carryOut(drive, originId, command);
    return true;
  }

  #newRun({ type, spec: asked }: Extract<Command, { type: 'StartRun' }>): Command {
    this.#checkNewRun(asked.runId);
    const spec = withoutSpent(asked, this.#memory.known.inbox);
    const { overrideSpent, task } = spec;
    if (overrideSpent !== undefined)
      this.#parts.onNotice?.(
        `${task.name}: its override of ${overrideSpent.rule} is spent, run ${overrideSpent.runId} had it; the Task is judged without it`,
      );
    return { type, spec };
  }

  #checkNewRun(runId: string): void {
    if (!this.#takesNewRuns) {
      throw new NotRunningError(
        'the volume is more than 90 % full: the agent starts no new Task until the volume has space',
      );
    }
    if (this.#memory.known.runs.ids.has(runId)) {
      throw new Error(`run ${runId} belongs to other work: give the Task another name`);
    }
  }

  async #carryOut(drive: Drive, originId: string, command: Command): Promise<void> {
    await carryOut(drive, this.#memory, command);
    // If the agent stopped in between, the command may not have reached its machine. The next start carries it out again.
    if (drive.isOver) return;
    await this.#memory.append([{ store: 'inbox', kind: 'CommandDone', principal: 'agent', payload: { originId } }]);
  }

  #onClosed(state: RunState): void {
    const { runId } = state.spec;
    forgetRun(this.#memory.known, runId);
    this.#closed.close(state);
    this.#closedSinceSave += 1;
    if (this.#closedSinceSave < RUNS_PER_CACHE) return;
    this.#closedSinceSave = 0;
    // A cache that cannot be written costs a slower start and nothing else.
    this.saveCache().catch(() => undefined);
  }
}
