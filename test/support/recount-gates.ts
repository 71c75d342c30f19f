/** What gates and budgets came to, recounted from the verdicts and the answers of models. */
import type { JournalRecord } from '@retainer/journal/journal';
import { fieldsOf, textIn, type Moment, type Past } from './past.ts';
import { sum, tokensIn, type EndedRun } from './recount-runs.ts';
import { tagged, type Tag } from './told-state.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

/** Whole minutes of the budget of an hour. */
const HOUR_MINUTES = 61;

export interface Level {
  readonly field: string;
  readonly used: number;
  readonly max: number;
}

/** Where no model works at the moment, what is used is what was answered. */
export function budgetRows({ past, nowMs, manifest: { budgets } }: Moment): readonly Level[] {
  const answers = past.ofCycles('ModelAnswered').map(({ atMs, answer, costUsd = 0 }) => {
    return { atMs, tokens: tokensIn(answer.usage), costUsd };
  });
  const minuteOf = (ms: number): number => Math.floor(ms / MINUTE_MS);
  const isToday = ({ atMs }: { readonly atMs: number }): boolean =>
    Math.floor(atMs / DAY_MS) === Math.floor(nowMs / DAY_MS);
  const inHour = answers.filter(({ atMs }) => minuteOf(atMs) > minuteOf(nowMs) - HOUR_MINUTES);
  const used: Readonly<Record<string, number>> = {
    tokensPerHour: sum(inHour.map(({ tokens }) => tokens)),
    tokensPerDay: sum(answers.filter(isToday).map(({ tokens }) => tokens)),
    costUsdPerDay: sum(answers.filter(isToday).map(({ costUsd }) => costUsd)),
    toolCallsPerDay: past.ofCycles('ToolFinished').filter(isToday).length,
  };
  const rows = Object.entries({ ...used, ...ownTime(past, nowMs) });
  return rows.flatMap(([field, used]) => {
    const max = budgets[field] ?? 0;
    return max === 0 ? [] : [{ field, used, max }];
  });
}

/** Some cycles are refused before they ask anything. */
const ASKS = [
  'ModelRequested',
  'ToolRequested',
  'GateScoreRequested',
  'GateProbeRequested',
  'ReadingRequested',
] as const;

/** Cycles of jobs' runs whose first call was in the hour, and the tokens of their answers; empty: there were none. */
function ownTime(past: Past, nowMs: number): Readonly<Record<string, number>> {
  const minuteOf = (ms: number): number => Math.floor(ms / MINUTE_MS);
  const isRecent = ({ atMs }: { readonly atMs: number }): boolean => minuteOf(atMs) > minuteOf(nowMs) - HOUR_MINUTES;
  const own = past.ofCycles('CycleStarted').filter(({ spec }) => spec.ownTime === true);
  const answers = own.map(({ spec }) => past.ofCycles('ModelAnswered', spec.cycleId));
  const tokens = sum(
    answers
      .flat()
      .filter(isRecent)
      .map(({ answer }) => tokensIn(answer.usage)),
  );
  const asks = ASKS.flatMap((kind) => past.of('cycle', kind));
  const begun = own.flatMap(({ spec }) => {
    const times = asks.filter(({ cycleId }) => cycleId === spec.cycleId).map(({ timeMs }) => timeMs);
    return times.length === 0 ? [] : [{ atMs: Math.min(...times) }];
  });
  const cycles = begun.filter(isRecent).length;
  return {
    ...(cycles === 0 ? {} : { schedulerCyclesPerHour: cycles }),
    ...(tokens === 0 ? {} : { schedulerTokensPerHour: tokens }),
  };
}

/** A start without a cache reads no older cycle: what came before is not known to its process. */
function isSeen(past: Past): (record: JournalRecord) => boolean {
  const openedMs = past.of('agent', 'Configured').at(-1)?.timeMs ?? 0;
  return ({ timeMs }) => timeMs >= openedMs - WEEK_MS;
}

/** Outgoing texts that were rejected since the last one that passed. */
function rejectionsInRow(past: Past): number {
  const seen = past.of('cycle', 'GateDecided').filter(isSeen(past)).map(fieldsOf);
  const verdicts = seen.filter(({ gate }) => gate === 'Output');
  const since = verdicts.slice(verdicts.findLastIndex(({ verdict }) => verdict === 'Accept') + 1);
  return since.filter(({ verdict }) => verdict === 'Reject').length;
}

/** The factor on thresholds by the interventions of the observer; undefined: none is noticeable. */
export function tighteningAt({ past, nowMs, manifest }: Moment): number | undefined {
  const { tightenFactor, halfLifeMs } = manifest;
  let [factor, sinceMs] = [1, 0];
  const at = (ms: number): number => {
    const missing = (1 - factor) * 0.5 ** ((ms - sinceMs) / halfLifeMs);
    return missing < 0.005 ? 1 : 1 - missing;
  };
  for (const record of past.of('agent', 'GatesIntervened'))
    if (textIn(fieldsOf(record), 'intervention') === 'Tighten')
      [factor, sinceMs] = [Math.max(0.2, at(record.timeMs) * tightenFactor), record.timeMs];
  return at(nowMs) === 1 ? undefined : at(nowMs);
}

/** By the agent's own note, which outlasts what a process reads of its cycles. */
function isHeldByNote(past: Past): boolean {
  const changes = past.of('agent', 'GatesChanged').filter((it) => textIn(fieldsOf(it), 'change').startsWith('Outputs'));
  const newest = changes.at(-1);
  const accepted = past
    .of('cycle', 'GateDecided')
    .filter(isSeen(past))
    .findLast((it) => {
      const { gate, verdict } = fieldsOf(it);
      return gate === 'Output' && verdict === 'Accept';
    });
  const isHold = newest !== undefined && textIn(fieldsOf(newest), 'change') === 'OutputsHeld';
  return isHold && newest.timeMs > (accepted?.timeMs ?? 0);
}

export function gateFigures(moment: Moment): Readonly<Record<string, string | number | undefined>> {
  const rejected = rejectionsInRow(moment.past);
  const factor = tighteningAt(moment);
  return {
    tightening: factor?.toFixed(2),
    outputs_held: rejected >= 3 || isHeldByNote(moment.past) ? 'for a person' : undefined,
    outputs_rejected_in_row: rejected === 0 ? undefined : rejected,
  };
}

/** Stalls of the gate of outgoing texts, and what the newest twenty runs have in common. */
export function patternRows({ past }: Moment, ended: readonly EndedRun[]): readonly Tag[] {
  const runs = ended.slice(-20);
  return [...stalls(past), ...repeatedFailures(runs), ...toolFailures(runs), ...outliers(runs)];
}

const pattern = (name: string, about: string | undefined, count: number, of: number): Tag =>
  tagged('pattern', { name, about, count, of });

/** By run, in the order of the ends of their newest cycles. */
function stalls(past: Past): readonly Tag[] {
  const ends = past.of('cycle', 'CycleEnded').filter(isSeen(past));
  const newestMs = ends.at(-1)?.timeMs ?? 0;
  const newest = new Map<string, JournalRecord>();
  for (const end of ends) {
    newest.delete(end.runId ?? '');
    newest.set(end.runId ?? '', end);
  }
  const observed = [...newest].filter(([, end]) => end.timeMs > newestMs - WEEK_MS);
  const scores = observed.flatMap(([runId]) =>
    ends
      .filter((it) => it.runId === runId)
      .flatMap(({ cycleId = '' }) => past.ofCycles('GateDecided', cycleId))
      .flatMap(({ gate, record }) => (gate === 'Output' && record?.score !== undefined ? [record.score] : [])),
  );
  const last = scores.slice(-5);
  if (last.length < 5 || sum(last) / 5 < 0.25) return [];
  return [pattern('Stall', 'Output', last.filter((score) => score >= 0.25).length, 5)];
}

function repeatedFailures(runs: readonly EndedRun[]): readonly Tag[] {
  const failed = runs.filter(({ isFailure, domain }) => isFailure && domain !== '');
  const repeated = failed.filter((run) => failed.filter(({ domain }) => domain === run.domain).length >= 3);
  return repeated.length === 0 ? [] : [pattern('RepeatedFailures', undefined, repeated.length, runs.length)];
}

function toolFailures(runs: readonly EndedRun[]): readonly Tag[] {
  const names = new Set(runs.flatMap(({ tools }) => [...tools.keys()]));
  return [...names].flatMap((tool) => {
    const uses = runs.flatMap(({ tools }) => tools.get(tool) ?? []);
    const count = uses.filter(Boolean).length;
    return uses.length < 3 || count <= 0.2 * uses.length ? [] : [pattern('ToolFailures', tool, count, uses.length)];
  });
}

function outliers(runs: readonly EndedRun[]): readonly Tag[] {
  if (runs.length < 3) return [];
  const far = runs.filter((run) => {
    const others = sum(runs.filter((it) => it !== run).map(({ tokens }) => tokens));
    return run.tokens * (runs.length - 1) > 3 * others;
  });
  return far.length === 0 ? [] : [pattern('CostOutlier', undefined, far.length, runs.length)];
}
