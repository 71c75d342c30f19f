/**
 * The agent at work: it takes commands from the durable inbox and drives runs and cycles. After a crash it continues where the
 * record ends.
 *
 * I1  A command is durable before it is acknowledged. Each origin id is taken once.
 * I2  A command is done only when the machine that it addresses has recorded it.
 * I3  Each start has its own drivers. Work in flight from an earlier start writes nothing more and starts nothing.
 * I4  A cycle continues only as the pending cycle of an open run. Any other cycle is cancelled, in the record.
 */
import type { CycleState } from '@retainer/mind/cycle/state';
import type { BudgetLevel, OwnTimeWait } from '@retainer/mind/gate/budget/budget';
import { asideCommandsIn, isTaken, type Command, type NamedAside } from '@retainer/mind/run/inbox';
import { forgetRun } from '@retainer/mind/projections/open-work';
import type { Projections } from '@retainer/mind/projections/projections';
import type { AsideRun } from '@retainer/mind/parts/aside/set-aside';
import { attemptOf, noneTriedAgain } from '@retainer/mind/parts/aside/tried-again';
import type { DreamCause } from '@retainer/mind/archive/dream-event';
import type { Writer } from '@retainer/mind/part/store';
import type { RunState } from '@retainer/mind/run/state';
import { AgentMemory } from './agent-memory.ts';
import { afterRuns, type AfterRuns } from './after-runs.ts';
import type { ArchiveDriver } from './archive-driver.ts';
import { awareness } from './awareness.ts';
import { AsideKeeper, type Driven } from './aside-keeper.ts';
import { asideProjection, RunSetAsideError, triedAgainProjection } from './aside-runs.ts';
import { Bell } from './bell.ts';
import { CommandKeeper } from './command-keeper.ts';
import { ClosedRuns } from './closed-runs.ts';
import { CycleDriver } from './cycle-driver.ts';
import type { ToolExecutor } from './tool-executor.ts';
import type { GateHealth, Oversight } from './oversight.ts';
import { deniedBefore } from '@retainer/mind/projections/denials';
import type { Fact, PartsPort } from '../ports/tool.ts';
import { RunDriver } from './run-driver.ts';
import type { RuntimeParts } from './runtime-parts.ts';
import { archiveAndClear } from './scratch-keeper.ts';
import type { SelfKeeper } from './self-keeper.ts';
import { SelfRecords } from './self-records.ts';
import type { StandstillInput } from './standstill.ts';
import { checkNewRun, NotRunningError, withoutSpentOverride } from './new-run.ts';

/** Facts in the text of a Task: as many as a person would keep in mind for it. */
const FACTS_OF_TASK = 16;
/** Finished runs between two cached states. A start then folds a few megabytes at most. */
const RUNS_PER_CACHE = 50;

interface Drive extends Driven, AfterRuns {
  readonly oversight: Oversight;
  readonly self: SelfKeeper;
  readonly keeper: AsideKeeper;
  readonly commands: CommandKeeper;
}

export class AgentRuntime {
  readonly #parts: RuntimeParts;
  readonly #memory: AgentMemory;
  readonly #executor: ToolExecutor;
  readonly #closed = new ClosedRuns();
  #drive: Drive | undefined;
  /** Rung when there may be something to dream of. */
  readonly dreamBell = new Bell();
  #isReady = false;
  #takesNewRuns = true;
  #accepting: Promise<unknown> = Promise.resolve();
  #changing: Promise<unknown> = Promise.resolve();
  #closedSinceSave = 0;
  #saving: Promise<void> | undefined;
  /** When it was made, milliseconds since 1970: a pause does not make it younger. */
  readonly startedAtMs: number;

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
    this.startedAtMs = parts.clock.nowMs();
    this.#memory = new AgentMemory(parts);
    this.#executor = parts.makeExecutor({
      ...this.#memory.forTools,
      self: new SelfRecords({ ...parts, memory: this.#memory, runtime: this, keeper: () => this.#drive?.self }),
      approval: (id) => this.#drive?.cycles.approval(id),
      accepted: (permit) => this.#drive?.cycles.accepted(permit),
      deniedBefore: (call) => deniedBefore(this.#memory.known.denials, this, call),
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
   * @throws RunSetAsideError when the program failed in the run or it was given up
   */
  closed(runId: string): Promise<RunState> {
    const aside = this.#drive?.aside.get(runId);
    if (aside !== undefined) return Promise.reject(new RunSetAsideError(runId, aside));
    return this.#closed.wait(runId);
  }

  /** Runs that wait for a person or a new version, because the program failed in them. */
  asideRuns(): readonly ({ readonly runId: string } & AsideRun)[] {
    return [...(this.#drive?.aside ?? [])].flatMap(([runId, run]) => (run.isGivenUp ? [] : [{ runId, ...run }]));
  }

  /** A run that nobody drives, also one that was given up. */
  asideRun(runId: string): AsideRun | undefined {
    return this.#drive?.aside.get(runId);
  }

  /** Commands that wait for the same, and that belong to no run. */
  asideCommands(): readonly NamedAside[] {
    return asideCommandsIn(this.#memory.known.inbox);
  }

  isOpen(runId: string): boolean {
    return this.openRuns().some((state) => state.spec.runId === runId);
  }

  /** Which attempt at the same work the next one is, from 1. */
  attemptOf(runOf: (attempt: number) => string): number {
    return attemptOf(this.#drive?.triedAgain ?? noneTriedAgain(), runOf);
  }

  /** What is recalled for the text of a new Task, best first: only facts that may stand among instructions. */
  async factsFor(intent: string, principal?: string): Promise<readonly Fact[]> {
    return (await this.#memory.texts.trustedFacts(intent, FACTS_OF_TASK, principal)).facts;
  }

  /** What the perceiver of a new run learns about earlier runs and the user. Source: artoo A.16. */
  session(conversation: string, principal?: string): ReturnType<AgentMemory['session']> {
    return this.#memory.session(conversation, this.#parts.clock.nowMs(), principal);
  }

  /** Resolves when no closed run waits for the Archivist; at once while the agent is stopped. */
  async archived(): Promise<void> {
    await this.#drive?.archives.settled();
  }

  /** Resolves when the dream is over; at once while the agent is stopped. */
  async dream(cause: DreamCause): Promise<void> {
    await this.#drive?.dreams.dream(cause);
  }

  /** Why to dream now: a person wants it, or nothing else is to do. */
  dreamCause(): DreamCause | undefined {
    if (this.#memory.known.dreams.isWanted) return 'Person';
    return this.openRuns().length + this.openCycles().length === 0 ? 'Run' : undefined;
  }

  openRuns(): readonly RunState[] {
    return this.#drive?.runs.states() ?? [];
  }

  knowsRun(runId: string): boolean {
    return this.#memory.known.runs.ids.has(runId) || this.isOpen(runId) || this.#drive?.aside.has(runId) === true;
  }

  openCycles(): readonly CycleState[] {
    return this.#drive?.cycles.states() ?? [];
  }

  /** See {@link Oversight.ownTimeWait}. Undefined while the agent is stopped. */
  ownTimeWait(): OwnTimeWait | undefined {
    return this.#drive?.oversight.ownTimeWait(this.#parts.clock.nowMs());
  }

  /** How much of each budget is used; empty while the agent is stopped. */
  budgets(): readonly BudgetLevel[] {
    return this.#drive?.oversight.budgets(this.#parts.clock.nowMs()) ?? [];
  }

  get gateHealth(): GateHealth {
    return this.#drive?.oversight.health ?? { outputRejectionsInRow: 0, probesUnansweredInRow: 0 };
  }

  /** For supervised work and metrics of parts. */
  get parts(): PartsPort {
    return this.partsFor('Runtime');
  }

  /** See `AgentMemory.partsFor`. */
  partsFor(writer: Writer): PartsPort {
    return this.#memory.partsFor(writer);
  }

  /** What the agent knows, for what composes it. */
  get known(): Projections['states'] {
    return this.#memory.known;
  }

  /** Time passed that counts for no work, though the agent was not stopped. */
  stoodStill(input: StandstillInput): void {
    this.#drive?.cycles.stoodStill(input);
    this.#drive?.runs.stoodStill(input);
  }

  /** Caches the states when nothing is under way. The cache only makes a start faster. */
  saveCache(): Promise<void> {
    this.#saving ??= this.#save().finally(() => (this.#saving = undefined));
    return this.#saving;
  }

  async #save(): Promise<void> {
    const { cache } = this.#parts;
    if (cache === undefined || !this.#isReady || this.openRuns().length > 0 || this.openCycles().length > 0) return;
    const closed = this.#closedSinceSave;
    if (await this.#memory.saveTo(cache)) this.#closedSinceSave -= closed;
  }

  /** Serialises the changes of the life cycle. */
  #change(change: () => Promise<void>): Promise<void> {
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  #makeDrive(): Drive {
    const { onFault, config } = this.#parts;
    const { gate, catalog } = config;
    const report = (error: unknown): void => (drive.isOver ? undefined : onFault(error));
    const failed = (runId: string, error: unknown): void =>
      drive.isOver ? undefined : void drive.keeper.setAside(runId, error).catch(report);
    const guard = (runId: string, work: Promise<unknown>): void =>
      void work.catch((error: unknown) => failed(runId, error));
    const aware = { memory: this.#memory, runtime: this, onFault: report };
    const { oversight, self } = awareness(this.#parts, aware);
    const cycles: CycleDriver = new CycleDriver({
      ...this.#parts,
      oversight,
      executor: this.#executor,
      contributors: [oversight, self],
      onEvents: (of, events) => self.takeCycle(of, events),
      onWaiting: ({ spec }: CycleState, isWaiting: boolean) =>
        guard(spec.runId, drive.runs.waiting(spec.runId, spec.cycleId, isWaiting)),
      onParked: (state: CycleState) => guard(state.spec.runId, drive.runs.parked(state)),
      onAsked: (state: CycleState) => guard(state.spec.runId, drive.runs.asked(state)),
      onEnded: (state: CycleState) => guard(state.spec.runId, drive.runs.cycleEnded(state)),
      onFault: failed,
    });
    const after = { memory: this.#memory, oversight, onFault: report, onArchived: () => this.dreamBell.ring() };
    const { archives, dreams } = afterRuns(this.#parts, after);
    const runs = new RunDriver({
      ...this.#parts,
      characterDigest: gate.characterDigest,
      known: catalog.known,
      publish: (message) => this.#parts.bus.publish(message),
      recall: (request, state) => this.#memory.recall(request, state.spec.principal),
      noteRecalled: (ids, runId, atMs) => this.#memory.noteRecalled(ids, runId, atMs),
      remember: (request, state) => this.#memory.remember(request, state),
      archive: (state) => archiveAndClear(state, { memory: this.#memory, archives, cycles }, this.#parts),
      onEvents: (runId, events) => self.takeRun(runId, events),
      startCycle: (spec) => cycles.start(spec),
      cancelCycle: (cycleId, by, reason) => cycles.cancel(cycleId, by, reason),
      onClosed: (state) => this.#onClosed(archives, state),
      onFault: failed,
    });
    const driven: Driven = { cycles, runs, aside: new Map(), triedAgain: noneTriedAgain(), isOver: false };
    const keeper = new AsideKeeper(
      {
        ...this.#parts,
        characterDigest: gate.characterDigest,
        write: (command) => this.#memory.write('Runtime', [command]),
        onFault: report,
        isKnown: (runId) => this.#memory.known.runs.ids.has(runId),
        onAside: (runId) => this.#closed.fail(runId, new RunSetAsideError(runId, driven.aside.get(runId))),
      },
      driven,
    );
    const commands = new CommandKeeper({ ...this.#parts, memory: this.#memory }, Object.assign(driven, { keeper }));
    const drive: Drive = Object.assign(driven, { oversight, self, keeper, commands, archives, dreams });
    return drive;
  }

  async #takeUp(drive: Drive): Promise<void> {
    // Commands accepted before the last stop must be in the record before it is folded.
    await this.#accepting;
    const { cache, clock } = this.#parts;
    const { oversight, self, keeper, commands, archives, aside, triedAgain } = drive;
    const more = {
      ...oversight.projections,
      aside: asideProjection(aside),
      triedAgain: triedAgainProjection(triedAgain),
      ...self.projections,
    };
    const { runs, cycles, archives: open, dreams } = await this.#memory.fold(more, clock.nowMs(), cache);
    self.catchUp();
    if (oversight.lacksHoldNote) await this.#memory.noteGateChange('OutputsHeld');
    await this.#memory.noteSeeds((await this.#parts.presentSeeds?.()) ?? []);
    for (const { where, runId, error } of this.#memory.unread) {
      this.#parts.onNotice?.(`${where} cannot be taken into memory: the agent goes on without it`);
      if (runId !== undefined && runs.open.has(runId)) await keeper.setAside(runId, error);
    }
    await archives.resume([...open]);
    await keeper.resume([...runs.open], new Map(cycles));
    await keeper.reviewAll();
    await keeper.beginTriedAgain([...triedAgain.open], (runId) => this.isOpen(runId));
    await commands.takeUp();
    keeper.arm();
    for (const runId of [...open.keys()]) if (!runs.open.has(runId)) archives.begin(runId);
    if (dreams.open !== undefined || dreams.isWanted) this.dreamBell.ring();
  }

  async #end(drive: Drive): Promise<void> {
    drive.isOver = true;
    drive.keeper.stop();
    this.#isReady = false;
    await Promise.all([drive.cycles.stop(), drive.runs.stop(), drive.archives.stop(), drive.dreams.stop()]);
    if (this.#drive === drive) this.#drive = undefined;
  }

  async #accept(originId: string, source: string, arrived: Command): Promise<boolean> {
    const drive = this.#drive;
    if (drive === undefined || !this.#isReady) {
      throw new NotRunningError(
        'the agent accepts no commands at the moment: its volume is full, or it is starting or stopping',
      );
    }
    if (isTaken(this.#memory.known.inbox, originId)) return false;
    const command = arrived.type === 'StartRun' ? this.#newRun(arrived) : arrived;
    const of = command.type === 'StartRun' ? { runId: command.spec.runId } : { by: command.by };
    const payload = { originId, source, command };
    await this.#memory.write('Inbox', [{ store: 'inbox', kind: 'CommandAccepted', payload, ...of }]);
    await drive.commands.carryOut(originId, command);
    if (command.type === 'TendMemory') this.dreamBell.ring();
    return true;
  }

  #newRun(command: Extract<Command, { type: 'StartRun' }>): Command {
    checkNewRun(command.spec.runId, { isAllowed: this.#takesNewRuns, isKnown: (runId) => this.knowsRun(runId) });
    return withoutSpentOverride(command, this.#memory.known.inbox, this.#parts.onNotice);
  }

  #onClosed(archives: ArchiveDriver, state: RunState): void {
    const { runId } = state.spec;
    archives.begin(runId);
    forgetRun(this.#memory.known, runId);
    this.#closed.close(state);
    this.#closedSinceSave += 1;
    if (this.#closedSinceSave < RUNS_PER_CACHE || this.openRuns().length > 0) return;
    // Another run may have begun by then: the next one that closes tries again.
    // A cache that cannot be written costs a slower start and nothing else.
    const saved = archives.settled().then(() => this.saveCache());
    saved.catch(() => undefined);
  }
}
