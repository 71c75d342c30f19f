/**
 * What the agent is told of itself and its situation when a cycle begins: computed by code from its record and from what is under
 * way. No model and no tool is asked for it.
 *
 * I1  Every value is a number, a moment, a word of ours, or a name: of code, of a manifest, or of a thread whose label is trusted. No word
 *     that a stranger may have written is among them.
 * I2  It is bounded, whatever it is about: its lists, and each value in them.
 *
 * Source: springdrift 3 (sections, attributes, computed signals), 7 (patterns); artoo C (sensorium: run, budgets). Differs: what a
 * section would quote, such as the instruction of a delegation or a failure's own words, is left out, since a model or a page may have
 * written it. A rate of which nothing is known is left out.
 */
import { shownCommit } from '@retainer/contract/std/shown-commit';
import { utcMinute } from '@retainer/contract/std/utc-date';
import { compared, costTrend, novelty, recentFailures, successRate, type Rate } from './figures.ts';
import type { Cut, Level, SelfView } from './view.ts';
import { element } from './xml.ts';

/** Rows of a list; its count is of all. */
const ROWS_MAX = 3;
/** Rows of a list that is as long as its kinds: budgets, and limits of a run. */
const KINDS_MAX = 4;

const MINUTE_MS = 60_000;

type Section = (view: SelfView) => string | undefined;

/** In the order in which they are told; one that has nothing to say is left out. */
const sections: readonly Section[] = [
  clock,
  situation,
  run,
  vitals,
  budgets,
  approvals,
  questions,
  gates,
  patterns,
  place,
  sandbox,
  delegations,
  schedule,
  mail,
  events,
  tasks,
  integrity,
  backup,
  metaRecommendations,
  memory,
];

export function sensorium(view: SelfView, cuts: readonly Cut[]): string {
  const told = sections.flatMap((section) => section(view) ?? []);
  const cutRows = cuts.map(({ slot, items }) => element('cut', { slot, items }));
  return element('sensorium', {}, [...told, ...cutRows]);
}

function clock({ nowMs, startedAtMs, cycleId, lastCycleMs }: SelfView): string {
  return element('clock', {
    now: utcMinute(nowMs),
    uptime: elapsed(nowMs - startedAtMs),
    cycle: cycleId?.slice(-8),
    last_cycle: lastCycleMs === undefined ? undefined : `${elapsed(nowMs - lastCycleMs)} ago`,
  });
}

function situation({ queueDepth, turns, thread, run: own }: SelfView): string {
  const forMs = own?.forMs;
  return element('situation', {
    input: own?.input ?? 'nothing',
    scheduled_for: forMs === undefined ? undefined : utcMinute(forMs),
    scheduled_run: own?.scheduledRun,
    ...{ queue_depth: queueDepth, conversation_depth: turns, thread },
  });
}

function run({ run: own }: SelfView): string | undefined {
  if (own === undefined) return undefined;
  const { task, round, steered, levels, leftMs, isClockStanding } = own;
  const figures = {
    task,
    round,
    directive: steered?.directive,
    distance: steered === undefined ? undefined : decimals(steered.d),
    resources: steered === undefined ? undefined : decimals(steered.omega),
    time_left: elapsed(leftMs),
    clock: isClockStanding ? 'stands while it waits' : undefined,
  };
  return element('run', figures, levels.slice(0, KINDS_MAX).map(levelRow('limit')));
}

function vitals(view: SelfView): string {
  const { runs, recalls, casesTold, words, cyclesToday, delegations: working } = view;
  const failures = recentFailures(runs);
  const isCompared = view.run !== undefined;
  const figures = {
    cycles_today: cyclesToday,
    agents_active: working.length,
    ...rateFigures('success', successRate(runs)),
    cost_trend: costTrend(runs),
    ...rateFigures('recall', recalls),
    ...rateFigures('cases_told', casesTold),
    novelty: isCompared ? novelty(words, runs) : undefined,
    novelty_n: isCompared ? compared(runs) : undefined,
  };
  return element(
    'vitals',
    figures,
    failures.map(({ task, outcome, endedAtMs }) => element('failure', { task, outcome, at: utcMinute(endedAtMs) })),
  );
}

/** With the number that it is of. */
function rateFigures(name: string, { rate, n }: Rate): Readonly<Record<string, string | number | undefined>> {
  return { [`${name}_rate`]: n === 0 ? undefined : decimals(rate), [`${name}_n`]: n };
}

/** Those with a limit; of an agent with jobs, which has two more, the most spent. */
function budgets({ budgets: levels }: SelfView): string | undefined {
  const limited = levels.filter(({ max }) => max > 0);
  const mostSpent = limited.toSorted((a, b) => b.used / b.max - a.used / a.max).slice(0, KINDS_MAX);
  const told = limited.filter((level) => mostSpent.includes(level)).map(levelRow('budget'));
  return told.length === 0 ? undefined : element('budgets', {}, told);
}

function levelRow(name: string) {
  return ({ field, used, max }: Level): string => {
    const spent = max === 0 ? 100 : Math.floor((used / max) * 100);
    return element(name, { field, used: short(used), max: short(max), spent: `${spent}%` });
  };
}

/** The ones that wait longest. */
function approvals({ approvals: asked, nowMs }: SelfView): string | undefined {
  const rows = asked.map(({ tool, task, askedAtMs }) =>
    element('approval', { tool, task, waiting: elapsed(nowMs - askedAtMs) }),
  );
  return list('approvals', { pending: asked.length }, rows);
}

/** The ones that wait longest. */
function questions({ questions: asked, nowMs }: SelfView): string | undefined {
  const rows = asked.map(({ task, askedAtMs }) => element('question', { task, waiting: elapsed(nowMs - askedAtMs) }));
  return list('questions', { pending: asked.length }, rows);
}

function gates({ tightening, areOutputsHeld, outputRejectionsInRow, probesUnanswered }: SelfView): string | undefined {
  const figures = {
    tightening: tightening === undefined ? undefined : decimals(tightening),
    outputs_held: areOutputsHeld ? 'for a person' : undefined,
    outputs_rejected_in_row: positive(outputRejectionsInRow),
    probes_unanswered_in_row: positive(probesUnanswered),
  };
  return Object.values(figures).every((it) => it === undefined) ? undefined : element('gates', figures);
}

function patterns({ patterns: found }: SelfView): string | undefined {
  const rows = found.map(({ name, about, count, of }) => element('pattern', { name, about, count, of }));
  return list('patterns', { count: found.length }, rows);
}

function place({ place: here }: SelfView): string | undefined {
  if (here === undefined) return undefined;
  const { runsOn, pages } = here;
  const isAny = pages.includes('*');
  const reached = pages.length === 0 ? 'none' : isAny ? 'every public host' : 'listed hosts';
  return element(
    'place',
    { time_zone: 'UTC', runs_on: runsOn, pages: reached, hosts: isAny ? undefined : positive(pages.length) },
    isAny ? [] : hostRows(pages),
  );
}

function hostRows(hosts: readonly string[]): readonly string[] {
  return hosts.slice(0, ROWS_MAX).map((name) => element('host', { name }));
}

function sandbox({ place: here, codeFailedInRow }: SelfView): string | undefined {
  if (here === undefined) return undefined;
  const { sandbox: state, languages, hosts, isRoot, timeoutMs, processes, memory: bytes, scratch } = here;
  if (state === 'off') return element('sandbox', { state });
  const figures = {
    state: state === 'ready' && codeFailedInRow >= CODE_FAILURES_MIN ? 'failing' : state,
    languages: languages.length === 0 ? undefined : languages.join(' '),
    network: hosts.length === 0 ? 'none' : 'listed hosts',
    root: isRoot ? 'yes' : 'no',
    seconds: Math.floor(timeoutMs / 1000),
    processes,
    memory: bytes,
    written: scratch,
    failed_in_row: positive(codeFailedInRow),
    hosts: positive(hosts.length),
  };
  return element('sandbox', figures, hostRows(hosts));
}

/** One may be a passing fault; two in a row are the sandbox. */
const CODE_FAILURES_MIN = 2;

function delegations({ delegations: working, nowMs }: SelfView): string | undefined {
  const rows = working.map(({ name, task, turn, turnsMax, tokens, startedAtMs, lastTool }) =>
    element('agent', {
      name,
      task,
      turn: `${turn}/${turnsMax}`,
      tokens,
      elapsed: elapsed(nowMs - startedAtMs),
      last_tool: lastTool,
    }),
  );
  return list('delegations', { count: working.length }, rows);
}

/** The next moments and what is overdue; and how many moments came and went since the agent was last told. */
function schedule({ calendar }: SelfView): string | undefined {
  const { active, own, paused, next, overdue, fired, skipped } = calendar;
  if (active + paused + fired + skipped === 0) return undefined;
  const figures = {
    ...{ jobs: active, own: positive(own), paused: positive(paused), overdue: positive(overdue.length) },
    fired_while_away: positive(fired),
    skipped_while_away: positive(skipped),
  };
  const rows = [...overdue.map(calendarRow('overdue')), ...next.map(calendarRow('next'))];
  return element('schedule', figures, rows.slice(0, ROWS_MAX));
}

function calendarRow(name: string) {
  return ({ jobId, kind, for: whom, atMs }: SelfView['calendar']['next'][number]): string =>
    element(name, { job: jobId, kind: kind.toLowerCase(), for: whom.toLowerCase(), at: utcMinute(atMs) });
}

/** Figures alone: who wrote and what is nobody's to read here. */
function mail({ mail: counts }: SelfView): string | undefined {
  if (counts === undefined) return undefined;
  const { unread, held, unanswered } = counts;
  return element('mail', { unread, held, unanswered });
}

/** Told in the calendar: there are many of them, and they would crowd out the rest. */
const OF_CALENDAR: ReadonlySet<string> = new Set(['calendar-fired', 'reminder', 'job-skipped', 'job-waits']);

/** The newest ones; what happened several times is one row, at its newest moment. */
function events({ events: all, toldAtMs = 0 }: SelfView): string | undefined {
  const happened = all.filter(({ name }) => !OF_CALENDAR.has(name));
  const isNew = ({ atMs }: SelfView['events'][number]): boolean => atMs >= toldAtMs;
  const rows = happened.flatMap((it, at) => {
    const { name, title, atMs } = it;
    const isSame = (other: typeof it): boolean => other.name === name && other.title === title;
    if (happened.slice(at + 1).some(isSame)) return [];
    const times = happened.filter(isSame).length;
    const figures = { name, title, times: times === 1 ? undefined : times, at: utcMinute(atMs) };
    return [element('event', { ...figures, since_last_cycle: isNew(it) ? 'yes' : undefined })];
  });
  const counts = { count: happened.length, since_last_cycle: happened.filter(isNew).length };
  return list('events', counts, rows.slice(-ROWS_MAX));
}

function tasks({ tasks: open }: SelfView): string | undefined {
  const rows = open.map(({ name, status, done, total, updatedAtMs }) =>
    element('task', { name, status, progress: `${done}/${total}`, updated: utcMinute(updatedAtMs) }),
  );
  return list('tasks', { active: open.length }, rows);
}

function integrity({ integrity: { suspectFacts, facts, unreadRecords } }: SelfView): string | undefined {
  if (facts === 0 && unreadRecords === 0) return undefined;
  return element('integrity', {
    suspect_facts_7d: suspectFacts,
    facts_examined_7d: facts,
    unread_records: positive(unreadRecords),
  });
}

/** Nothing is said of copies that are current. */
function backup({ secondCopy: { late, restoring } }: SelfView): string | undefined {
  const { Commit: commit, Push: push } = late;
  if (commit === undefined && push === undefined && restoring === undefined) return undefined;
  return element('backup', {
    commit: commit === undefined ? undefined : 'late',
    unsaved_since: commit === undefined ? undefined : utcMinute(commit.sinceMs),
    remote: push === undefined ? undefined : push.why === 'Late' ? 'late' : 'another history',
    unpushed_since: push === undefined ? undefined : utcMinute(push.sinceMs),
    restored: restoring === undefined ? undefined : utcMinute(restoring.restoredMs),
    from_commit: restoring === undefined ? undefined : shownCommit(restoring.from),
    as_of: restoring === undefined ? undefined : utcMinute(restoring.asOfMs),
  });
}

/** Below it, most of the newest runs did not reach their goal. Source: springdrift 3. */
const SUCCESS_LOW = 0.5;
/** Above it, the last runs tell little about this one. Source: springdrift 3. */
const NOVELTY_HIGH = 0.7;

/** What the figures and the gates' observer suggest. */
function metaRecommendations({ runs, words, tightening, run: own }: SelfView): string | undefined {
  const success = successRate(runs);
  const isLow = success.n > 0 && success.rate < SUCCESS_LOW;
  // Without a history everything is new, and without work nothing is.
  const isNew = own !== undefined && runs.length > 0 && novelty(words, runs) > NOVELTY_HIGH;
  if (!isLow && !isNew && tightening === undefined) return undefined;
  return element('meta_recommendations', {
    low_success: isLow ? 'look at what failed before you plan' : undefined,
    high_novelty: isNew ? 'take a small first step and check it' : undefined,
    tightened_gates: tightening === undefined ? undefined : 'do what is asked and no more',
  });
}

function memory({ memory: { dreamtAtMs, dormantThreads, fadedFacts, ...counts }, nowMs }: SelfView): string {
  const { runs, threads, cases, facts, ...more } = counts;
  return element('memory', {
    ...{ runs, threads, dormant_threads: positive(dormantThreads), cases, facts, faded_facts: positive(fadedFacts) },
    ...more,
    last_dream: dreamtAtMs === undefined ? undefined : `${elapsed(nowMs - dreamtAtMs)} ago`,
  });
}

/** The first rows; empty lists are left out. */
function list(name: string, figures: Readonly<Record<string, number>>, rows: readonly string[]): string | undefined {
  return rows.length === 0 ? undefined : element(name, figures, rows.slice(0, ROWS_MAX));
}

function positive(count: number): number | undefined {
  return count === 0 ? undefined : count;
}

function decimals(value: number): string {
  return value.toFixed(2);
}

/** Whole where it is, else with two digits: money. */
function short(value: number): string | number {
  return Number.isInteger(value) ? value : decimals(value);
}

/** `3 min`, `2 h 5 min`, `4 d 1 h`. */
function elapsed(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / MINUTE_MS));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
