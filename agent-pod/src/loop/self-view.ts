/** What the agent can tell of itself and its work right now, from its record and from what is under way. Pure. */
import type { SelfView } from '@retainer/mind/assemble/curator/sensorium';
import { rateOf } from '@retainer/mind/assemble/curator/figures';
import { agentName } from '@retainer/mind/cycle/event';
import { approvalQuestions, totalTokens, type CycleState } from '@retainer/mind/cycle/state';
import type { BudgetLevel } from '@retainer/mind/gate/budget/budget';
import type { LabelledThread } from '@retainer/mind/parts/threads/threads';
import { cyclesOn } from '@retainer/mind/projections/cycle-figures';
import type { Projections } from '@retainer/mind/projections/projections';
import { keywordsOf } from '@retainer/mind/projections/run-figures';
import { isEnding, received, roundOf, sent, type RunState } from '@retainer/mind/run/state';
import type { RecentEvent } from './recent-events.ts';

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
  /** When this process took up its work. */
  readonly startedAtMs: number;
  /** Of the code that it may run. */
  readonly languages: readonly string[];
  /** Records that the last fold could not take. */
  readonly unreadRecords: number;
}

/** The cycle that is told. */
export interface Told {
  readonly runId: string;
  readonly cycleId: string;
}

/** @param told  absent: a person asks */
export function selfView(told: Told | undefined, around: Surroundings, nowMs: number): SelfView {
  const { known, runs, budgets, tightening, areOutputsHeld, outputRejectionsInRow, languages } = around;
  const own = runs.find((run) => run.spec.runId === told?.runId);
  const cycles = around.cycles.filter(({ spec }) => spec.cycleId !== told?.cycleId);
  const { lastEndMs } = known.cycleFigures;
  const newest = newestThread(known.threads.byId.values());
  return {
    nowMs,
    ...(told === undefined ? {} : { cycleId: told.cycleId, run: runView(told, own) }),
    startedAtMs: around.startedAtMs,
    ...(lastEndMs === undefined ? {} : { lastCycleMs: lastEndMs }),
    cyclesToday: cyclesOn(known.cycleFigures, nowMs),
    queueDepth: known.inbox.open.size,
    turns: own?.spec.session?.turns.length ?? 0,
    ...(newest === undefined ? {} : { thread: newest.nameLabel.trust === 'Trusted' ? newest.name : newest.threadId }),
    words: own === undefined ? [] : keywordsOf(own.spec.intent),
    runs: known.runFigures,
    recalls: rateOf(known.recentWork.recalls),
    budgets,
    approvals: cycles.flatMap((cycle) => approvalsOf(cycle, runs)),
    ...(tightening === undefined ? {} : { tightening }),
    areOutputsHeld,
    outputRejectionsInRow,
    delegations: cycles.filter((it) => it.spec.role === 'Executor').map((cycle) => delegationOf(cycle, runs)),
    tasks: runs.map(taskOf),
    languages,
    events: around.events,
    integrity: integrityOf(around),
    memory: {
      threads: known.threads.byId.size,
      cases: known.cases.byId.size,
      facts: known.facts.held.size,
      artifacts: known.artifacts.size,
      megrams: known.megrams.size,
      files: known.files.size,
    },
  };
}

function newestThread(threads: Iterable<LabelledThread>): LabelledThread | undefined {
  let newest: LabelledThread | undefined;
  for (const thread of threads) if (newest === undefined || thread.lastAtMs >= newest.lastAtMs) newest = thread;
  return newest;
}

function runView({ runId }: Told, own: RunState | undefined): NonNullable<SelfView['run']> {
  const steered = own?.steered.at(-1)?.explanation;
  return {
    task: own?.spec.task.name ?? runId,
    round: own === undefined ? 0 : roundOf(own),
    ...(steered === undefined
      ? {}
      : { steered: { directive: steered.directive, d: steered.loss.d, omega: steered.loss.omega } }),
  };
}

const taskNameOf = (runId: string, runs: readonly RunState[]): string =>
  runs.find((run) => run.spec.runId === runId)?.spec.task.name ?? runId;

function approvalsOf(cycle: CycleState, runs: readonly RunState[]): SelfView['approvals'] {
  const task = taskNameOf(cycle.spec.runId, runs);
  return approvalQuestions(cycle).map(({ tool, requestedAtMs }) => ({ tool, task, askedAtMs: requestedAtMs }));
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
    status: isEnding(run) ? 'ending' : run.waits.size > 0 ? 'waits for a person' : 'working',
    done: received(run, 'SubTaskOutcome', round).filter(({ payload }) => payload.status === 'Matched').length,
    total: sent(run, 'SubTask', round).length,
    updatedAtMs: run.nowMs,
  };
}

function integrityOf({ known, unreadRecords }: Surroundings): SelfView['integrity'] {
  const { held } = known.facts;
  let suspectFacts = 0;
  for (const { label } of held.values()) if (label.trust !== 'Trusted') suspectFacts += 1;
  return { suspectFacts, facts: held.size, unreadRecords };
}
