/** A generated life, played through the runtime by a clock that its steps move. */
import type { AgentRuntime } from '@retainer/agent-pod/loop/agent-runtime';
import type { Preamble } from '@retainer/agent-pod/loop/preamble';
import type { OversightSettings } from '@retainer/agent-pod/loop/oversight';
import { noteEvent, type RecentEvents } from '@retainer/agent-pod/loop/recent-events';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import type { JournalRecord, NewRecord } from '@retainer/journal/journal';
import type { Command } from '@retainer/mind/run/inbox';
import type { PartRecord } from '@retainer/mind/part/store';
import type { RunOrigin } from '@retainer/mind/run/run-cause';
import type { RunSpec } from '@retainer/mind/run/event';
import { agentDefinition } from './agents.ts';
import { ANSWER, makeRuntime, unobserved, wordFor, type Played } from './crash-world.ts';
import { cycleSpec } from './cycles.ts';
import { draftsRun } from './drafts-life.ts';
import { costUsd, LifeWorld, scoringGate } from './life-model.ts';
import { lookAtJobs, makeJob, wordOn } from './life-jobs.ts';
import { lookAtLetters, releaseOn, takeLetter } from './life-mail.ts';
import type { Life, Step, TaskKind } from './life-steps.ts';
import { manualClock, type ManualClock } from './manual-clock.ts';
import { MemoryJournal } from './memory-journal.ts';
import { criterion } from './run-scenarios.ts';
import { runSpec } from './runs.ts';
import { somewhere } from './selves.ts';
import { toldIn } from './told-state.ts';

/** Stamps by the clock of the life, and tells of each record as the journal on a disk does. */
export class LifeJournal extends MemoryJournal {
  readonly #clock: Pick<ManualClock, 'nowMs'>;
  readonly events: RecentEvents = [];

  constructor(clock: Pick<ManualClock, 'nowMs'>, records: readonly JournalRecord[] = []) {
    super(records);
    this.#clock = clock;
  }

  override async append(records: readonly NewRecord[]): Promise<readonly JournalRecord[]> {
    const timeMs = this.#clock.nowMs();
    const appended = await super.append(records.map((record) => ({ ...record, timeMs })));
    for (const record of appended) noteEvent(this.events, record);
    return appended;
  }

  /** As a start is recorded before the runtime begins. */
  async noteStart(): Promise<void> {
    const head = { store: 'agent', principal: 'operator', payload: {} };
    const first = ['StoreOpened', 'IndividualNamed'].map((kind) => ({ ...head, kind }));
    await this.append([...(this.stores.includes('agent') ? [] : first), { ...head, kind: 'Configured' }]);
  }
}

const { spec } = agentDefinition().agent;

export const lifePlace = somewhere({ hosts: ['a.example', 'b.example'], pages: ['docs.example'] });

export const preambleOf = ({ charactersMax }: Pick<Life, 'charactersMax'>): Preamble => ({
  agent: 'default/agent, retainer 1.0.0',
  spec,
  place: lifePlace,
  charactersMax,
  factHalfLifeDays: 30,
});

export function oversightOf({ tokensPerHour, tokensPerDay }: Life): OversightSettings {
  return {
    budgets: {
      ...{ tokensPerHour, tokensPerDay, costUsdPerDay: 1000, toolCallsPerDay: 1000 },
      ...{ schedulerCyclesPerHour: 1000, schedulerTokensPerHour: 1_000_000 },
    },
    observer: { ...unobserved.observer, enabled: true, cooldownMs: 0 },
  };
}

function jobOrigin(momentMs: number): RunOrigin {
  return {
    cause: { kind: 'Job', jobId: 'daily', momentMs, maker: 'Person' },
    replyTo: { channel: 'Notice', target: 'ann' },
    conversation: 'job/daily',
  };
}

/** Ticks without a new record after which nothing is taken to be under way. */
const IDLE_TICKS = 6;

/** Pauses up to this long are skipped, milliseconds. */
const SKIPPED_MS_MAX = 1000;

/** Long enough that requests wait beside each other, and short enough that some are never answered. */
const APPROVAL_WAIT_MS = 3 * 3_600_000;

const TOOLS = ['look', 'change', 'send', 'request_approval', 'ask_person', 'run_code'];

const INTENTS = [
  'Sum the rain of March.',
  'Find the price of wheat.',
  'Tell who owns the mill.',
  'Sum the rain of April.',
];

/** A step of the life as it was taken, which another process can take again: what is accepted twice changes nothing. */
export interface Taken {
  readonly step: Step;
  /** Records before it. */
  readonly length: number;
  /** The clock before and after it, milliseconds since 1970. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly accepted?: { readonly originId: string; readonly command: Command };
  /** Of the job that it makes. */
  readonly jobId?: string;
  /** Of the letter that comes. */
  readonly letter?: string;
}

export class Lived {
  readonly life: Life;
  readonly clock: ManualClock;
  readonly taken: Taken[] = [];
  readonly #model: ModelPort;
  readonly #world: LifeWorld;
  readonly #notesStarts: boolean;
  journal: LifeJournal;
  #runtime: AgentRuntime | undefined;
  fault: unknown;

  constructor(life: Life, model: ModelPort, from: Partial<LivedParts> = {}) {
    const { records = [], nowMs = life.startMs, world = new LifeWorld(), notesStarts = true } = from;
    this.life = life;
    this.clock = manualClock(nowMs);
    this.journal = new LifeJournal(this.clock, records);
    this.#model = model;
    this.#world = world;
    this.#notesStarts = notesStarts;
  }

  get records(): readonly JournalRecord[] {
    return this.journal.records;
  }

  get world(): LifeWorld {
    return this.#world;
  }

  async begin(): Promise<void> {
    const { journal, clock } = this;
    if (this.#notesStarts) await journal.noteStart();
    const world = this.#world;
    const parts: Played = {
      ...{ journal, world, clock, costUsd, model: this.#model, events: journal.events, gate: scoringGate },
      ...{ preamble: preambleOf(this.life), oversight: oversightOf(this.life) },
      makeExecutor: (memory) => world.executorWith(memory),
      onFault: (error) => {
        this.fault ??= error;
      },
    };
    this.#runtime = makeRuntime(parts);
    await this.#runtime.start();
    await this.settle();
  }

  async live(): Promise<this> {
    await this.begin();
    for (const step of this.life.steps) await this.take(step);
    await this.end();
    return this;
  }

  async end(): Promise<void> {
    await this.#runtime?.stop();
    if (this.fault !== undefined) throw new Error('the runtime cannot go on', { cause: this.fault });
  }

  async take(step: Step): Promise<void> {
    const before = { step, length: this.records.length, fromMs: this.clock.nowMs() };
    const accepted = this.#commandOf(step);
    await this.again({
      ...before,
      toMs: this.clock.nowMs() + passedBy(step),
      ...(step.does === 'Job' ? { jobId: `${step.kind}-${this.taken.length}` } : {}),
      ...(step.does === 'Letter' ? { letter: `${this.taken.length}` } : {}),
      ...(accepted === undefined ? {} : { accepted }),
    });
  }

  /** Takes a step that this life, or another that began like it, has planned. */
  async again(planned: Taken): Promise<void> {
    const { step, toMs, accepted } = planned;
    if (step.does === 'Restart') await this.#restart(toMs, step.isRestored);
    else this.#passTo(toMs);
    if (step.does === 'Copy') await this.#runtime?.parts.write([copyRecord(step, toMs)]);
    if (step.does === 'Dream') await this.#runtime?.dream('Interval');
    if (accepted !== undefined) await this.#runtime?.accept(accepted.originId, 'test', accepted.command);
    await this.settle();
    await this.#serveJobs(planned);
    await this.#serveLetters(planned);
    this.taken.push({ ...planned, toMs: this.clock.nowMs() });
  }

  /** Makes the job of a step, and serves what is due of all. */
  async #serveJobs({ step, jobId = '' }: Taken): Promise<void> {
    const runtime = this.#runtime;
    if (runtime === undefined) return;
    if (step.does === 'Job') await makeJob(runtime, { jobId, kind: step.kind, nowMs: this.clock.nowMs() });
    const specOf = (runId: string, origin: RunOrigin): RunSpec => this.#jobSpec(runId, origin);
    while (await lookAtJobs(runtime, this.clock.nowMs(), specOf)) await this.settle();
  }

  /** Takes the letter of a step, and begins and answers what letters are to begin. */
  async #serveLetters({ step, letter = '' }: Taken): Promise<void> {
    const runtime = this.#runtime;
    if (runtime === undefined) return;
    const nowMs = this.clock.nowMs();
    if (step.does === 'Letter') await takeLetter(runtime, { name: letter, kind: step.kind, nowMs });
    const specOf = (runId: string, origin: RunOrigin): RunSpec => this.#jobSpec(runId, origin);
    while (await lookAtLetters(runtime, this.clock.nowMs(), specOf)) await this.settle();
  }

  #jobSpec(runId: string, origin: RunOrigin): RunSpec {
    const intent = 'Look at the logs.';
    const session = this.#runtime?.session(origin.conversation);
    const more = { ...origin, ...(session === undefined ? {} : { session }) };
    return runSpec({ runId, task: { namespace: 'default', name: runId }, intent, input: intent, ...more }, TOOLS);
  }

  async #restart(toMs: number, isRestored = false): Promise<void> {
    await this.#runtime?.stop();
    this.journal = new LifeJournal(this.clock, this.records);
    this.#passTo(toMs);
    if (isRestored) await this.journal.append([restoredRecord(toMs)]);
    await this.begin();
  }

  #passTo(toMs: number): void {
    const forMs = toMs - this.clock.nowMs();
    if (forMs > 0) this.clock.advance(forMs);
  }

  #commandOf(step: Step): Taken['accepted'] {
    const number = this.taken.length;
    const by = { by: 'ann', reason: 'as we said' };
    switch (step.does) {
      case 'Task':
        return { originId: `task:${number}`, command: { type: 'StartRun', spec: this.#specOf(step, number) } };
      case 'Answer':
        return this.#answer(step, number);
      case 'Cancel': {
        const runId = this.#runtime?.openRuns()[0]?.spec.runId;
        return runId === undefined
          ? undefined
          : { originId: `c:${number}`, command: { type: 'CancelRun', runId, ...by } };
      }
      case 'Word': {
        const command = this.#runtime === undefined ? undefined : wordOn(this.#runtime, step.word);
        return command === undefined ? undefined : { originId: `w:${number}`, command };
      }
      case 'Release': {
        const command = this.#runtime === undefined ? undefined : releaseOn(this.#runtime);
        return command === undefined ? undefined : { originId: `l:${number}`, command };
      }
      case 'Remember':
        return {
          originId: `f:${number}`,
          command: { type: 'Remember', key: step.key, value: `it is ${number}`, ...by },
        };
      case 'ForgetFact':
        return { originId: `f:${number}`, command: { type: 'ForgetFact', key: step.key, ...by } };
      case 'ForgetRun': {
        const runId = this.records.find(({ kind }) => kind === 'RunRemembered')?.runId;
        return runId === undefined
          ? undefined
          : { originId: `r:${number}`, command: { type: 'ForgetRun', runId, ...by } };
      }
      default:
        return undefined;
    }
  }

  #specOf({ kind, isLimited }: Extract<Step, { does: 'Task' }>, number: number): RunSpec {
    const runId = `${kind}-${number}`;
    // Each third run is one of a job.
    const origin = number % 3 === 2 ? jobOrigin(this.clock.nowMs()) : undefined;
    const session = this.#runtime?.session(origin?.conversation ?? 'tasks');
    const intent = INTENTS[number % INTENTS.length] ?? '';
    const budget = isLimited ? { budget: { tokens: 20_000, costUsd: 5.5, toolCalls: 12 }, wallClockMs: 300_000 } : {};
    const more = { ...budget, ...(session === undefined ? {} : { session }), ...origin };
    if (kind === 'plans') return { ...draftsRun(runId, `${intent.slice(0, -1)}, see sheet rain.`), ...more };
    const input = isFirstRefused(kind, number) ? 'FORBIDDEN' : intent;
    const criteria = kind === 'fails' ? [criterion('The sum is given')] : [];
    const task = { namespace: 'default', name: runId };
    const limits = { ...cycleSpec().limits, approvalWaitMs: APPROVAL_WAIT_MS };
    return runSpec({ runId, task, intent, input, criteria, ...more }, TOOLS, { limits });
  }

  #answer({ isYes }: Extract<Step, { does: 'Answer' }>, number: number): Taken['accepted'] {
    const open = new Set(this.#runtime?.openRuns().map(({ spec: { runId } }) => runId));
    const answered = new Set(this.taken.flatMap(({ accepted }) => questionOf(accepted?.command) ?? []));
    for (const record of this.records) {
      const word = record.kind === 'QuestionAsked' ? answerTo(record) : wordFor(record);
      if (word === undefined || !open.has(record.runId ?? '') || answered.has(questionOf(word) ?? '')) continue;
      const command = word.type === 'DecideApproval' && !isYes ? { ...word, decision: 'Deny' as const } : word;
      return { originId: `answer:${number}`, command };
    }
    return undefined;
  }

  /** Until nothing goes on but waiting. */
  async settle(): Promise<void> {
    for (;;) {
      const { length } = this.records;
      await this.#untilIdle();
      const pauseMs = this.clock.nextInMs() ?? Infinity;
      if (pauseMs > SKIPPED_MS_MAX || this.fault !== undefined) return;
      this.clock.advance(pauseMs);
      if (pauseMs === 0 && this.records.length === length) return;
    }
  }

  async #untilIdle(): Promise<void> {
    for (let ticks = 0, length = -1; ticks < IDLE_TICKS && this.fault === undefined; ticks += 1) {
      if (this.records.length !== length || this.#isBusy()) ticks = 0;
      ({ length } = this.records);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await this.#runtime?.archived();
  }

  /** A run waits for nobody. */
  #isBusy(): boolean {
    const { records } = this;
    const cycles = this.#runtime?.openCycles() ?? [];
    const isAsked = (runId: string): boolean =>
      cycles.some((it) => it.spec.runId === runId && it.pendingApprovals.length > 0 && it.pendingTools.length === 0);
    const open = this.#runtime?.openRuns() ?? [];
    return (
      records.length > 0 && open.some(({ question, spec: { runId } }) => question === undefined && !isAsked(runId))
    );
  }
}

/** A process that takes up the life where its record ends, and what it starts next; undefined: nothing more begins. */
export async function resumedAt(whole: Lived, length: number, model: ModelPort): Promise<JournalRecord | undefined> {
  const { life, taken, world: end } = whole;
  const records = whole.records.slice(0, length);
  // It is killed as soon as the record is written: before time passes, where no record came after it.
  const same = taken.findIndex((it) => it.length === length);
  const before = taken.findLastIndex((it) => it.length <= length);
  const from = Math.max(0, same >= 0 ? same : before);
  const begunAtMs = taken[from]?.fromMs ?? life.startMs;
  const nowMs = (taken[from]?.length ?? 0) === length ? begunAtMs : (records.at(-1)?.timeMs ?? begunAtMs);
  const world = end.asAfter(records);
  const lived = new Lived(life, model, { records, nowMs, world, notesStarts: false });
  const next = (): JournalRecord | undefined => lived.records.slice(length).find((it) => toldIn(it) !== undefined);
  await lived.begin();
  for (const step of taken.slice(from)) {
    if (next() !== undefined) break;
    await lived.again(step);
  }
  await lived.end();
  return next();
}

export interface LivedParts {
  readonly records: readonly JournalRecord[];
  readonly nowMs: number;
  readonly world: LifeWorld;
  readonly notesStarts: boolean;
}

const passedBy = (step: Step): number =>
  step.does === 'Pass' ? step.forMs : step.does === 'Restart' ? step.downMs : 0;

/** As old as a copy is when it counts as late. */
const LATE_MS = 15 * 60_000;

function copyRecord({ copy, why }: Extract<Step, { does: 'Copy' }>, nowMs: number): PartRecord {
  const payload = why === undefined ? { copy, lateMs: LATE_MS } : { copy, why, sinceMs: nowMs - LATE_MS };
  return { store: 'agent', kind: why === undefined ? 'BackupCaughtUp' : 'BackupLate', payload };
}

/** Of a commit that was made an hour before. */
function restoredRecord(nowMs: number): NewRecord {
  const payload = { from: '0123456789abcdef'.repeat(3).slice(0, 40), at: nowMs - 3_600_000, lastOrder: 1, heads: [] };
  return { store: 'agent', kind: 'Restored', principal: 'human:ann', payload: { ...payload, by: 'ann' } };
}

/** Some Tasks are refused before any work. */
const isFirstRefused = (kind: TaskKind, number: number): boolean => kind === 'forbids' && number % 2 === 0;

function answerTo({ runId = '', payload }: JournalRecord): Extract<Command, { type: 'AnswerQuestion' }> {
  const { questionId = '' } = payload as Readonly<Record<string, string>>;
  return { type: 'AnswerQuestion', runId, questionId, text: ANSWER, by: 'ann' };
}

function questionOf(command: Command | undefined): string | undefined {
  if (command?.type === 'AnswerQuestion') return command.questionId;
  return command?.type === 'DecideApproval' ? command.requestId : undefined;
}
