/**
 * The sensorium of a cycle, recounted from the records before its start by another path than the agent's: nothing here is folded by a
 * projection, and no code that computes or tells the agent's own figures is used.
 */
import type { JournalRecord } from '@retainer/journal/journal';
import type { Command } from '@retainer/mind/run/inbox';
import { heldFacts, memoryCounts, newestThread } from './recount-memory.ts';
import { fieldsOf, minute, textIn, type Moment, type Past, type Started } from './past.ts';
import { backup } from './recount-backup.ts';
import { budgetRows, type Level, gateFigures, patternRows, tighteningAt } from './recount-gates.ts';
import { endedRuns, progressOf, roundOf, statusOf, sum, tokensIn, usedBy, waitingOf, wordsOf } from './recount-runs.ts';
import { events } from './recount-events.ts';
import { schedule } from './recount-jobs.ts';
import { mail } from './recount-mail.ts';
import type { EndedRun } from './recount-runs.ts';
import { list, ROWS, tagged, type Tag } from './told-state.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** @param curated  of the start: what did not fit */
export function recountState(moment: Moment, { curated = [] }: Pick<Started, 'curated'>): Tag {
  const ended = endedRuns(moment.past);
  const cuts = curated.filter(({ cut }) => cut > 0).map(({ slot, cut }) => tagged('cut', { slot, items: cut }));
  return tagged('sensorium', {}, [
    clock(moment),
    situation(moment),
    ownRun(moment),
    vitals(moment, ended),
    ...budgets(moment),
    ...waitingForPeople(moment),
    ...gates(moment),
    ...list('patterns', { count: (rows) => rows.length }, patternRows(moment, ended)),
    tagged('place', moment.manifest.place, hostRows(moment.manifest.pages)),
    sandbox(moment),
    ...delegations(moment),
    ...schedule(moment),
    ...mail(moment),
    ...events(moment),
    ...tasks(moment),
    ...integrity(moment),
    ...backup(moment),
    ...recommendations(moment, ended),
    tagged('memory', { ...memoryCounts(moment), last_dream: lastDream(moment) }),
    ...cuts,
  ]);
}

/** In the two largest units. */
function elapsed(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / MINUTE_MS));
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60)];
  if (days > 0) return `${days} d ${hours - 24 * days} h`;
  return hours > 0 ? `${hours} h ${minutes - 60 * hours} min` : `${minutes} min`;
}

const ago = (ms: number): string => `${elapsed(ms)} ago`;
const orNone = (count: number): number | undefined => (count === 0 ? undefined : count);
const hundredths = (share: number): string => share.toFixed(2);

/** When the newest cycle ended of which its run has heard. */
function lastCycleMs({ past }: Moment): number | undefined {
  return past.of('run', 'CycleConcluded').at(-1)?.timeMs;
}

function clock(moment: Moment): Tag {
  const { past, nowMs, cycleId } = moment;
  const openedMs = past.of('agent', 'Configured').at(-1)?.timeMs;
  const lastMs = lastCycleMs(moment);
  return tagged('clock', {
    now: minute(nowMs),
    uptime: openedMs === undefined ? undefined : elapsed(nowMs - openedMs),
    cycle: cycleId.slice(-8),
    last_cycle: lastMs === undefined ? undefined : ago(nowMs - lastMs),
  });
}

function situation({ past, runId }: Moment): Tag {
  const wanted = past.of('inbox', 'CommandAccepted').map((it) => fieldsOf(it)['command'] as Command);
  const begun = new Set(past.ofRuns('RunAdmitted').map(({ spec }) => spec.runId));
  const [admitted] = past.ofRuns('RunAdmitted', runId);
  const cause = admitted?.spec.cause;
  return tagged('situation', {
    ...(cause?.kind === 'Job'
      ? { input: 'job', scheduled_for: minute(cause.momentMs) }
      : { input: cause?.kind === 'Mail' ? 'mail' : 'task' }),
    queue_depth: wanted.filter((it) => it.type === 'StartRun' && !begun.has(it.spec.runId)).length,
    conversation_depth: admitted?.spec.session?.turns.length ?? 0,
    thread: newestThread(past),
  });
}

function ownRun({ past, runId, nowMs }: Moment): Tag {
  const [admitted] = past.ofRuns('RunAdmitted', runId);
  if (admitted === undefined) return tagged('run', {});
  const { task, budget = {}, control, wallClockMs, deadlineMs = Infinity } = admitted.spec;
  const { waitedMs, isWaiting, sinceMs } = waitingOf(past.run(runId));
  const ofClockMs = admitted.atMs + waitedMs + wallClockMs - (isWaiting ? sinceMs : nowMs);
  const steered = past.ofRuns('RoundSteered', runId).at(-1)?.explanation;
  const used = usedBy(past, runId);
  const round = roundOf(past, runId);
  const limits = [
    ...(['tokens', 'costUsd', 'toolCalls'] as const).map((field) =>
      levelTag('limit', field, used[field], budget[field]),
    ),
    levelTag('limit', 'replans', Math.max(0, round - 1), control.maxReplans),
  ];
  return tagged(
    'run',
    {
      task: task.name,
      round,
      directive: steered?.directive,
      distance: steered === undefined ? undefined : steered.loss.d.toFixed(2),
      resources: steered === undefined ? undefined : steered.loss.omega.toFixed(2),
      time_left: elapsed(Math.min(ofClockMs, deadlineMs - nowMs)),
      clock: isWaiting ? 'stands while it waits' : undefined,
    },
    limits.flatMap((it) => it ?? []),
  );
}

function levelTag(name: string, field: string, used: number, max: number | undefined): Tag | undefined {
  if (max === undefined) return undefined;
  const amount = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(2));
  const spent = max === 0 ? 100 : Math.floor((100 * used) / max);
  return tagged(name, { field, used: amount(used), max: amount(max), spent: `${spent}%` });
}

function budgets(moment: Moment): readonly Tag[] {
  const levels = budgetRows(moment);
  const share = ({ used, max }: Level): number => used / max;
  const isMoreSpent = (other: Level, at: number, than: Level): boolean =>
    share(other) > share(than) || (share(other) === share(than) && at < levels.indexOf(than));
  // Four rows are told.
  const mostSpent = levels.filter((it) => levels.filter((other, at) => isMoreSpent(other, at, it)).length < 4);
  const rows = mostSpent.flatMap(({ field, used, max }) => levelTag('budget', field, used, max) ?? []);
  return rows.length === 0 ? [] : [tagged('budgets', {}, rows)];
}

function vitals(moment: Moment, ended: readonly EndedRun[]): Tag {
  const { past, nowMs, runId } = moment;
  const today = minute(nowMs).slice(0, 10);
  const decided = ended.filter(({ outcome }) => outcome !== 'Cancelled');
  const recalls = past.ofRuns('MemoryRecalled').slice(-20).map(knewSomething);
  const told = new Set(past.of('case', 'CaseUsed').map((it) => it.runId));
  const toldTo = ended.filter((it) => told.has(it.runId)).length;
  const failed = ended.filter(({ isFailure }) => isFailure).slice(-ROWS);
  return tagged(
    'vitals',
    {
      cycles_today: past.ofCycles('CycleStarted').filter(({ atMs }) => minute(atMs).startsWith(today)).length,
      agents_active: working(moment).length,
      ...rate('success', decided.filter(({ isReached }) => isReached).length, decided.length),
      cost_trend: trendOf(ended.map(({ tokens }) => tokens)),
      ...rate('recall', recalls.filter(Boolean).length, recalls.length),
      ...rate('cases_told', toldTo, ended.length),
      novelty: newness(moment, ended),
      novelty_n: past.ofRuns('RunAdmitted', runId).length === 0 ? undefined : Math.min(5, ended.length),
    },
    failed.map(({ task, outcome, endedAtMs }) => tagged('failure', { task, outcome, at: minute(endedAtMs) })),
  );
}

function rate(name: string, hits: number, n: number): Readonly<Record<string, string | number | undefined>> {
  return { [`${name}_rate`]: n === 0 ? undefined : hundredths(hits / n), [`${name}_n`]: n };
}

function knewSomething({ answers, cases = [] }: ReturnType<typeof recalledOf>[number]): boolean {
  const isSaid = answers.some((it) => it.rules.length + it.recent.length > 0 || it.potentials.action !== 'Ignore');
  return cases.length > 0 || isSaid;
}

const recalledOf = (past: Past) => past.ofRuns('MemoryRecalled');

/** By how much the newer half of the runs costs more than the older one. */
function trendOf(tokens: readonly number[]): string | undefined {
  const half = Math.floor(tokens.length / 2);
  if (tokens.length < 4) return undefined;
  const [older, newer] = [sum(tokens.slice(0, half)), sum(tokens.slice(tokens.length - half))];
  if (newer > 1.3 * older) return 'increasing';
  return newer < 0.7 * older ? 'decreasing' : 'stable';
}

/** The share of words that no one of the last five runs shares, in whole hundredths. */
function newness({ past, runId }: Moment, ended: readonly EndedRun[]): number {
  const [admitted] = past.ofRuns('RunAdmitted', runId);
  const own = wordsOf(admitted?.spec.intent ?? '');
  const shares = ended.slice(-5).map(({ words }) => {
    const all = new Set([...own, ...words]).size;
    return all === 0 ? 0 : (own.size + words.size - all) / all;
  });
  return Math.floor((1 - Math.max(0, ...shares)) * 100) / 100;
}

/** Requests to people that nobody answered in time, of cycles that go on. */
function pending({ past }: Moment): readonly JournalRecord[] {
  const over = new Set(
    [...past.ofCycles('ApprovalDecided'), ...past.ofCycles('TimeExpired')].map(({ requestId }) => requestId),
  );
  const open = new Set(past.openCycles().map(({ spec }) => spec.cycleId));
  return past.of('cycle', 'ApprovalRequested').filter((record) => {
    const { requestId, answeredWith } = fieldsOf(record);
    return answeredWith === undefined && open.has(record.cycleId ?? '') && !over.has(requestId as string);
  });
}

const taskOf = (past: Past, runId: string): string => past.ofRuns('RunAdmitted', runId)[0]?.spec.task.name ?? runId;

function waitingForPeople(moment: Moment): readonly Tag[] {
  const { past, nowMs } = moment;
  const requests = pending(moment).map((record) => {
    const isQuestion = textIn(fieldsOf(record), 'tool') === 'ask_person';
    return { isQuestion, tool: textIn(fieldsOf(record), 'tool'), runId: record.runId ?? '', atMs: record.timeMs };
  });
  const asked = past.openRuns().flatMap(({ spec: { runId } }) => {
    const waiting = waitingOf(past.run(runId));
    const { askedAtMs } = waiting;
    return askedAtMs === undefined || statusOf(past, runId, waiting) === 'ending'
      ? []
      : [{ isQuestion: true, tool: '', runId, atMs: askedAtMs }];
  });
  const row = (name: string, isQuestion: boolean): readonly Tag[] =>
    [...asked, ...requests]
      .filter((it) => it.isQuestion === isQuestion)
      .toSorted((a, b) => a.atMs - b.atMs)
      .map(({ tool, runId, atMs }) =>
        tagged(name, {
          ...(isQuestion ? {} : { tool }),
          ...{ task: taskOf(past, runId), waiting: elapsed(nowMs - atMs) },
        }),
      );
  const figures = { pending: (rows: readonly Tag[]) => rows.length };
  return [...list('approvals', figures, row('approval', false)), ...list('questions', figures, row('question', true))];
}

function gates(moment: Moment): readonly Tag[] {
  const figures = gateFigures(moment);
  return Object.values(figures).every((it) => it === undefined) ? [] : [tagged('gates', figures)];
}

function sandbox({ past, manifest }: Moment): Tag {
  const ended = past.ofRuns('CycleConcluded').flatMap(({ calls }) => calls);
  const newest = ended.findLastIndex(({ exitCode }) => exitCode !== undefined);
  const failed = ended.slice(newest + 1).filter(({ sandboxFailed }) => sandboxFailed === true).length;
  const state = failed >= 2 ? { state: 'failing' } : {};
  return tagged('sandbox', { ...manifest.sandbox, ...state, failed_in_row: orNone(failed) }, hostRows(manifest.hosts));
}

const hostRows = (hosts: readonly string[]): readonly Tag[] =>
  hosts.slice(0, ROWS).map((name) => tagged('host', { name }));

/** Other cycles that work for somebody. */
function working({ past, cycleId }: Moment): readonly Started[] {
  return past.openCycles().filter(({ spec }) => spec.role === 'Executor' && spec.cycleId !== cycleId);
}

function delegations(moment: Moment): readonly Tag[] {
  const { past, nowMs } = moment;
  const rows = working(moment).map(({ spec: { cycleId, runId, limits, worker = 'executor' }, atMs }) => {
    const calls = new Map(past.ofCycles('ToolRequested', cycleId).map(({ callId, tool }) => [callId, tool]));
    const newest = past.ofCycles('ToolFinished', cycleId).map(({ callId }) => calls.get(callId));
    return tagged('agent', {
      name: worker,
      task: taskOf(past, runId),
      turn: `${past.ofCycles('ModelRequested', cycleId).length}/${limits.turns}`,
      tokens: sum(past.ofCycles('ModelAnswered', cycleId).map(({ answer }) => tokensIn(answer.usage))),
      elapsed: elapsed(nowMs - atMs),
      last_tool: newest.at(-1),
    });
  });
  return list('delegations', { count: (all) => all.length }, rows);
}

function tasks({ past }: Moment): readonly Tag[] {
  const open = past.openRuns().map(({ spec: { runId, task } }) => {
    const waiting = waitingOf(past.run(runId));
    const status = statusOf(past, runId, waiting);
    return { updatedAtMs: waiting.updatedAtMs, name: task.name, status, progress: progressOf(past, runId) };
  });
  const rows = open
    .toSorted((a, b) => b.updatedAtMs - a.updatedAtMs)
    .map(({ updatedAtMs, ...row }) => tagged('task', { ...row, updated: minute(updatedAtMs) }));
  return list('tasks', { active: (all) => all.length }, rows);
}

/** Facts of the last week. */
function integrity(moment: Moment): readonly Tag[] {
  const recent = heldFacts(moment).filter(({ timeMs }) => moment.nowMs - timeMs <= 7 * DAY_MS);
  const suspect = recent.filter(({ isTrusted }) => !isTrusted);
  return recent.length === 0
    ? []
    : [tagged('integrity', { suspect_facts_7d: suspect.length, facts_examined_7d: recent.length })];
}

function recommendations(moment: Moment, ended: readonly EndedRun[]): readonly Tag[] {
  const decided = ended.filter(({ outcome }) => outcome !== 'Cancelled');
  const reached = decided.filter(({ isReached }) => isReached);
  const isLow = 2 * reached.length < decided.length;
  const isNew = ended.length > 0 && newness(moment, ended) > 0.7;
  const isTight = tighteningAt(moment) !== undefined;
  const figures = {
    low_success: isLow ? 'look at what failed before you plan' : undefined,
    high_novelty: isNew ? 'take a small first step and check it' : undefined,
    tightened_gates: isTight ? 'do what is asked and no more' : undefined,
  };
  return isLow || isNew || isTight ? [tagged('meta_recommendations', figures)] : [];
}

function lastDream({ past, nowMs }: Moment): string | undefined {
  const ended = past.of('dream', 'DreamEnded').at(-1)?.timeMs;
  return ended === undefined ? undefined : ago(nowMs - ended);
}
