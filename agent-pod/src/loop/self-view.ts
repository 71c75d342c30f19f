/** What the agent can tell of itself and its work right now, from its record and from what is under way. Pure. */
import { rateOf, type RunFigures } from '@retainer/mind/assemble/curator/figures';
import type { Level, OwnRun, Place, SelfView } from '@retainer/mind/assemble/curator/view';
import { agentName } from '@retainer/mind/cycle/event';
import { approvalQuestions, totalTokens, workQuestions, type CycleState } from '@retainer/mind/cycle/state';
import type { BudgetLevel } from '@retainer/mind/gate/budget/budget';
import type { VerdictPattern } from '@retainer/mind/gate/meta/verdict-patterns';
import { recentRestoring } from '@retainer/mind/parts/backup/second-copy';
import { runsTold } from '@retainer/mind/parts/cases/cases';
import type { StoredFact } from '@retainer/mind/parts/facts/facts';
import { calendarOf } from '@retainer/mind/parts/jobs/calendar';
import { mailCounts } from '@retainer/mind/parts/mail/mail-counts';
import type { LabelledThread } from '@retainer/mind/parts/threads/threads';
import { cyclesOn } from '@retainer/mind/projections/cycle-figures';
import type { Projections } from '@retainer/mind/projections/projections';
import { keywordsOf } from '@retainer/mind/projections/run-figures';
import { callsThatRan } from '@retainer/mind/run/remaining-limits';
import type { RunCause } from '@retainer/mind/run/run-cause';
import { isEnding, received, roundOf, sent, type RunState } from '@retainer/mind/run/state';
import { grouped } from '@retainer/mind/self/grouped';
import { detectPatterns, PATTERN_WINDOW } from '@retainer/mind/self/patterns';
import type { RecentEvent } from './recent-events.ts';

const DAY_MS = 24 * 3600 * 1000;

/** Facts of that time are examined. Source: springdrift 3 (integrity). */
const EXAMINED_MS = 7 * DAY_MS;

/** Of its confidence: a fact below it should be looked at again. Source: springdrift 10 (review below 0.3). */
const FADED_BELOW = 0.3;

/** Patterns that are told without being asked for. */
const TOLD_PATTERNS: ReadonlySet<string> = new Set(['RepeatedFailures', 'ToolFailures', 'CostOutlier']);

export interface Surroundings {
  readonly known: Projections['states'];
  readonly runs: readonly RunState[];
  readonly cycles: readonly CycleState[];
  readonly events: readonly RecentEvent[];
  readonly budgets: readonly BudgetLevel[];
  /** The observer's factor on the thresholds. */
  readonly tightening: number | undefined;
  readonly areOutputsHeld: boolean;
  readonly outputRejectionsInRow: number;
  /** Texts in a row that no probe answered, once they are too many; else 0. */
  readonly probesUnanswered: number;
  readonly verdictPatterns: readonly VerdictPattern[];
  /** When this process took up its work. */
  readonly startedAtMs: number;
  readonly place: Place | undefined;
  readonly factHalfLifeDays: number;
  /** Records that the last fold could not take. */
  readonly unreadRecords: number;
}

/** The cycle that is told. */
export interface Told {
  readonly runId: string;
  readonly cycleId: string;
  /** Whom the run is for. Absent: the owner. */
  readonly principal?: string;
}

/** @param told  absent: a person asks */
export function selfView(told: Told | undefined, around: Surroundings, nowMs: number): SelfView {
  const { known, runs, budgets, tightening, place } = around;
  const { areOutputsHeld, outputRejectionsInRow, probesUnanswered } = around;
  const own = runs.find((run) => run.spec.runId === told?.runId);
  const cycles = around.cycles.filter(({ spec }) => spec.cycleId !== told?.cycleId);
  const { cycleEndedAtMs, codeFailedInRow } = known.recentWork;
  const { toldAtMs } = known.cycleFigures;
  const newest = newestThread(known.threads.byId.values());
  const examined = examinedFacts(known.facts.held.values(), around.factHalfLifeDays, nowMs);
  return {
    nowMs,
    ...(told === undefined ? {} : { cycleId: told.cycleId, run: runView(told, own, nowMs) }),
    startedAtMs: around.startedAtMs,
    ...(cycleEndedAtMs === undefined ? {} : { lastCycleMs: cycleEndedAtMs }),
    ...(toldAtMs === undefined ? {} : { toldAtMs }),
    cyclesToday: cyclesOn(known.cycleFigures, nowMs),
    queueDepth: tasksWaiting(known),
    turns: own?.spec.session?.turns.length ?? 0,
    ...(newest === undefined ? {} : { thread: newest.nameLabel.trust === 'Trusted' ? newest.name : newest.threadId }),
    words: own === undefined ? [] : keywordsOf(own.spec.intent),
    runs: known.runFigures,
    recalls: rateOf(known.recentWork.recalls),
    casesTold: casesToldRate(known),
    budgets: budgets.filter(isToldBudget),
    approvals: oldestFirst(around.cycles.flatMap((cycle) => approvalsOf(cycle, runs))),
    questions: oldestFirst([...runs.flatMap(questionOf), ...around.cycles.flatMap((it) => workQuestionsOf(it, runs))]),
    ...(tightening === undefined ? {} : { tightening }),
    ...{ areOutputsHeld, outputRejectionsInRow, probesUnanswered },
    patterns: patternsOf(known.runFigures, around.verdictPatterns),
    delegations: cycles.filter((it) => it.spec.role === 'Executor').map((cycle) => delegationOf(cycle, runs)),
    tasks: runs.map(taskOf).toSorted((a, b) => b.updatedAtMs - a.updatedAtMs),
    ...(place === undefined ? {} : { place }),
    codeFailedInRow,
    events: around.events,
    integrity: { suspectFacts: examined.suspect, facts: examined.recent, unreadRecords: around.unreadRecords },
    calendar: calendarFor(known, nowMs),
    ...mailFor(known),
    secondCopy: secondCopyOf(known, nowMs),
    memory: memoryOf(known, examined.faded),
  };
}

/** The command of a run that has begun may not be done yet: whether it is depends on how quick the disk was. */
function tasksWaiting({ inbox, runs }: Surroundings['known']): number {
  const commands = [...inbox.open.values()];
  return commands.filter((it) => it.type === 'StartRun' && !runs.ids.has(it.spec.runId)).length;
}

function mailFor({ mail, runs }: Surroundings['known']): Pick<SelfView, 'mail'> {
  const counts = mailCounts(mail, runs.ids);
  return counts === undefined ? {} : { mail: counts };
}

/** With what fired and was skipped since a cycle was told, of the last day at most. */
function calendarFor(
  { jobs, cycleFigures: { toldAtMs = 0 } }: Surroundings['known'],
  nowMs: number,
): SelfView['calendar'] {
  return calendarOf(jobs, nowMs, Math.max(toldAtMs, nowMs - DAY_MS));
}

function secondCopyOf({ secondCopy }: Surroundings['known'], nowMs: number): SelfView['secondCopy'] {
  const restoring = recentRestoring(secondCopy, nowMs);
  return { late: Object.fromEntries(secondCopy.late), ...(restoring === undefined ? {} : { restoring }) };
}

function memoryOf(known: Surroundings['known'], fadedFacts: number): SelfView['memory'] {
  const { dreams, narratedRuns, threads, cases, facts, artifacts, megrams, files } = known;
  let dormantThreads = 0;
  for (const { isDormant } of threads.byId.values()) if (isDormant === true) dormantThreads += 1;
  return {
    ...{ runs: narratedRuns.size, threads: threads.byId.size, dormantThreads },
    ...{ cases: cases.byId.size, facts: facts.held.size, fadedFacts },
    ...{ artifacts: artifacts.size, megrams: megrams.size, files: files.size },
    ...(dreams.endedAtMs === undefined ? {} : { dreamtAtMs: dreams.endedAtMs }),
  };
}

/** The agent's own time is told where there was any: most agents have no jobs. */
function isToldBudget({ field, used }: BudgetLevel): boolean {
  return used > 0 || (field !== 'schedulerCyclesPerHour' && field !== 'schedulerTokensPerHour');
}

/** One walk, since there may be thousands. */
function examinedFacts(facts: Iterable<StoredFact>, halfLifeDays: number, nowMs: number) {
  const counts = { recent: 0, suspect: 0, faded: 0 };
  // Facts have few confidences, and a logarithm costs more than the rest of the walk.
  const lasting = { confidence: NaN, ms: 0 };
  for (const { label, writtenAtMs, confidence } of facts) {
    if (confidence !== lasting.confidence)
      Object.assign(lasting, { confidence, ms: Math.log2(confidence / FADED_BELOW) * halfLifeDays * DAY_MS });
    const ageMs = nowMs - writtenAtMs;
    if (ageMs > lasting.ms) counts.faded += 1;
    if (ageMs > EXAMINED_MS) continue;
    counts.recent += 1;
    if (label.trust !== 'Trusted') counts.suspect += 1;
  }
  return counts;
}

function casesToldRate({ cases, runFigures }: Surroundings['known']): SelfView['casesTold'] {
  const wereTold = runsTold(cases);
  return rateOf(runFigures.map(({ runId }) => wereTold.has(runId)));
}

/** Of several of one name and about the same, how many runs show any of them. */
function patternsOf(figures: readonly RunFigures[], ofVerdicts: Surroundings['verdictPatterns']): SelfView['patterns'] {
  const seen = { runs: figures.slice(-PATTERN_WINDOW.default), told: new Set<string>() };
  const found = detectPatterns(seen).filter(({ name }) => TOLD_PATTERNS.has(name));
  const ofRuns = [...grouped(found, ({ name, tool = '' }) => `${name} ${tool}`).values()].flatMap(
    ([first, ...more]) => {
      if (first === undefined) return [];
      const { name, tool, of } = first;
      const count = new Set([first, ...more].flatMap(({ runIds }) => runIds)).size;
      return [{ name, ...(tool === undefined ? {} : { about: tool }), count, of }];
    },
  );
  return [...ofVerdicts, ...ofRuns];
}

function newestThread(threads: Iterable<LabelledThread>): LabelledThread | undefined {
  let newest: LabelledThread | undefined;
  for (const thread of threads) if (newest === undefined || thread.lastAtMs >= newest.lastAtMs) newest = thread;
  return newest;
}

function runView({ runId }: Told, own: RunState | undefined, nowMs: number): OwnRun {
  if (own === undefined) return { task: runId, input: 'task', round: 0, levels: [], leftMs: 0, isClockStanding: false };
  const steered = own.steered.at(-1)?.explanation;
  return {
    task: own.spec.task.name,
    ...inputOf(own.spec.cause),
    round: roundOf(own),
    ...(steered === undefined
      ? {}
      : { steered: { directive: steered.directive, d: steered.loss.d, omega: steered.loss.omega } }),
    levels: levelsOf(own),
    ...{ leftMs: leftMsOf(own, nowMs), isClockStanding: own.waitingSinceMs !== undefined },
  };
}

function inputOf(cause: RunCause): Pick<OwnRun, 'input' | 'forMs' | 'scheduledRun'> {
  if (cause.kind === 'Job') return { input: 'job', forMs: cause.momentMs };
  if (cause.kind === 'Mail') return { input: 'mail' };
  const { scheduled } = cause;
  return scheduled === undefined
    ? { input: 'task' }
    : { input: 'schedule', forMs: scheduled.forMs, scheduledRun: scheduled.run };
}

function leftMsOf({ spec, startedAtMs, waitedMs, waitingSinceMs = Infinity }: RunState, nowMs: number): number {
  const ofClock = startedAtMs + waitedMs + spec.wallClockMs - Math.min(nowMs, waitingSinceMs);
  return Math.max(0, Math.min(ofClock, (spec.deadlineMs ?? Infinity) - nowMs));
}

/** The limits that the Task has for itself. */
function levelsOf(run: RunState): readonly Level[] {
  const { tokens, costUsd, toolCalls } = run.spec.budget ?? {};
  const levels = [
    { field: 'tokens', used: totalTokens(run.usage), max: tokens },
    { field: 'costUsd', used: run.costUsd, max: costUsd },
    { field: 'toolCalls', used: callsThatRan(run), max: toolCalls },
    { field: 'replans', used: Math.max(0, roundOf(run) - 1), max: run.spec.control.maxReplans },
  ];
  return levels.flatMap(({ field, used, max }) => (max === undefined ? [] : [{ field, used, max }]));
}

const taskNameOf = (runId: string, runs: readonly RunState[]): string =>
  runs.find((run) => run.spec.runId === runId)?.spec.task.name ?? runId;

function approvalsOf(cycle: CycleState, runs: readonly RunState[]): SelfView['approvals'] {
  const task = taskNameOf(cycle.spec.runId, runs);
  return approvalQuestions(cycle).map(({ tool, requestedAtMs }) => ({ tool, task, askedAtMs: requestedAtMs }));
}

function questionOf(run: RunState): SelfView['questions'] {
  const { question, spec } = run;
  return question === undefined || isEnding(run) ? [] : [{ task: spec.task.name, askedAtMs: question.askedAtMs }];
}

function workQuestionsOf(cycle: CycleState, runs: readonly RunState[]): SelfView['questions'] {
  const task = taskNameOf(cycle.spec.runId, runs);
  return workQuestions(cycle).map(({ askedAtMs }) => ({ task, askedAtMs }));
}

function oldestFirst<Item extends { readonly askedAtMs: number }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((a, b) => a.askedAtMs - b.askedAtMs);
}

/** Only calls that ran: any other name may be a model's invention. */
function delegationOf(cycle: CycleState, runs: readonly RunState[]): SelfView['delegations'][number] {
  const { spec, turns, usage, startedAtMs, calls } = cycle;
  const lastTool = calls.findLast(({ end }) => end.kind === 'Ran')?.tool;
  return {
    name: agentName(spec),
    task: taskNameOf(spec.runId, runs),
    turn: turns,
    turnsMax: spec.limits.turns,
    tokens: totalTokens(usage),
    startedAtMs,
    ...(lastTool === undefined ? {} : { lastTool }),
  };
}

function taskOf(run: RunState): SelfView['tasks'][number] {
  const round = roundOf(run);
  return {
    name: run.spec.task.name,
    status: statusOf(run),
    done: received(run, 'SubTaskOutcome', round).filter(({ payload }) => payload.status === 'Matched').length,
    total: sent(run, 'SubTask', round).length,
    updatedAtMs: run.nowMs,
  };
}

/** The first that holds. */
const statuses: readonly (readonly [status: string, holds: (run: RunState) => boolean])[] = [
  ['ending', isEnding],
  ['waits for a person', ({ waits }) => waits.size > 0],
  ['waits for its model', ({ parked }) => parked.size > 0],
];

function statusOf(run: RunState): string {
  return statuses.find(([, holds]) => holds(run))?.[0] ?? 'working';
}
