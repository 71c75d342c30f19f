/**
 * What the agent is told of itself and its situation when a cycle begins: computed by code from its record and from what is under
 * way. No model and no tool is asked for it.
 *
 * I1  Every value is a number, a moment, a sentence of ours, or a name that code or a manifest gave: no word of a model, a page or a
 *     person. A thread is named only if the run that began it had read no stranger's text.
 * I2  It is bounded, whatever it is about: its lists, and each value in them.
 *
 * Source: springdrift 3 (sections, attributes); artoo C (sensorium: run, budgets). Differs: what a section would quote, such as the
 * instruction of a delegation or a failure's own words, is left out, since a model or a page may have written it.
 */
import { utcMinute } from '@retainer/contract/std/utc-date';
import { costTrend, novelty, recentFailures, successRate, type Rate, type RunFigures } from './figures.ts';
import { element } from './xml.ts';

/** Rows of a list; more are counted. */
const ROWS_MAX = 3;

const MINUTE_MS = 60_000;

export interface SelfView {
  readonly nowMs: number;
  /** Of the cycle that is told; absent: nobody works. */
  readonly cycleId?: string;
  /** When this process took up its work. */
  readonly startedAtMs: number;
  /** When the last cycle ended; absent before the first. */
  readonly lastCycleMs?: number;
  readonly cyclesToday: number;
  /** Of the inbox: accepted and not yet done. */
  readonly queueDepth: number;
  /** Earlier runs that the perceiver of this run is shown. */
  readonly turns: number;
  /** The thread that a run joined last, by its name or id; absent before the first. */
  readonly thread?: string;
  /** Words of the run's intent that carry its subject. */
  readonly words: readonly string[];
  /** The run that the cycle works for; absent: nobody works. */
  readonly run?: {
    readonly task: string;
    readonly round: number;
    /** Of the last steered round; absent in the first. */
    readonly steered?: { readonly directive: string; readonly d: number; readonly omega: number };
  };
  /** Oldest first. */
  readonly runs: readonly RunFigures[];
  /** Whether memory knew something, at each of the newest questions. */
  readonly recalls: Rate;
  readonly budgets: readonly { readonly field: string; readonly used: number; readonly max: number }[];
  /** Requests to people that nobody has answered yet, oldest first. */
  readonly approvals: readonly { readonly tool: string; readonly task: string; readonly askedAtMs: number }[];
  /** The observer's factor on the thresholds; absent: none. */
  readonly tightening?: number;
  readonly areOutputsHeld: boolean;
  readonly outputRejectionsInRow: number;
  /** Other work cycles under way. */
  readonly delegations: readonly {
    readonly name: string;
    readonly task: string;
    readonly turn: number;
    readonly turnsMax: number;
    readonly tokens: number;
    readonly startedAtMs: number;
    readonly lastTool?: string;
  }[];
  /** Open runs. */
  readonly tasks: readonly {
    readonly name: string;
    readonly status: string;
    readonly done: number;
    readonly total: number;
    readonly updatedAtMs: number;
  }[];
  /** Languages of the code that it may run; empty: none. */
  readonly languages: readonly string[];
  /** Of the last day, oldest first. */
  readonly events: readonly { readonly name: string; readonly title: string; readonly atMs: number }[];
  readonly integrity: { readonly suspectFacts: number; readonly facts: number; readonly unreadRecords: number };
  readonly memory: Readonly<Record<'threads' | 'cases' | 'facts' | 'artifacts' | 'megrams' | 'files', number>>;
}

/** What did not fit behind the sensorium. */
export interface Cut {
  readonly slot: string;
  /** Left out. */
  readonly items: number;
}

type Section = (view: SelfView) => string | undefined;

/** In the order in which they are told; one that has nothing to say is left out. */
const sections: readonly Section[] = [
  clock,
  situation,
  run,
  vitals,
  budgets,
  approvals,
  gates,
  sandbox,
  delegations,
  events,
  tasks,
  integrity,
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

function situation({ queueDepth, turns, thread }: SelfView): string {
  return element('situation', { input: 'task', queue_depth: queueDepth, conversation_depth: turns, thread });
}

function run({ run: own }: SelfView): string | undefined {
  if (own === undefined) return undefined;
  const { task, round, steered } = own;
  return element('run', {
    task,
    round,
    directive: steered?.directive,
    distance: steered === undefined ? undefined : decimals(steered.d),
    resources: steered === undefined ? undefined : decimals(steered.omega),
  });
}

function vitals({ runs, recalls, words, cyclesToday, delegations: working }: SelfView): string {
  const success = successRate(runs);
  const failures = recentFailures(runs);
  const figures = {
    cycles_today: cyclesToday,
    agents_active: working.length,
    success_rate: decimals(success.rate),
    success_n: success.n,
    cost_trend: costTrend(runs),
    recall_rate: decimals(recalls.rate),
    recall_n: recalls.n,
    novelty: novelty(words, runs),
  };
  return element(
    'vitals',
    figures,
    failures.map(({ task, outcome }) => element('failure', { task, outcome })),
  );
}

/** Those with a limit. */
function budgets({ budgets: levels }: SelfView): string | undefined {
  const limited = levels.filter(({ max }) => max > 0);
  return list(
    'budgets',
    {},
    limited.map(({ field, used, max }) => element('budget', { field, used: Math.round(used), max })),
  );
}

function approvals({ approvals: asked, nowMs }: SelfView): string | undefined {
  const rows = asked.map(({ tool, task, askedAtMs }) =>
    element('approval', { tool, task, waiting: elapsed(nowMs - askedAtMs) }),
  );
  return list('approvals', { pending: asked.length }, rows);
}

function gates({ tightening, areOutputsHeld, outputRejectionsInRow }: SelfView): string | undefined {
  const held = areOutputsHeld ? 'for a person' : undefined;
  const rejected = outputRejectionsInRow === 0 ? undefined : outputRejectionsInRow;
  const factor = tightening === undefined ? undefined : decimals(tightening);
  if (held === undefined && rejected === undefined && factor === undefined) return undefined;
  return element('gates', { tightening: factor, outputs_held: held, outputs_rejected_in_row: rejected });
}

function sandbox({ languages }: SelfView): string {
  const told = languages.length === 0 ? undefined : languages.join(' ');
  return element('sandbox', { enabled: languages.length > 0 ? 'yes' : 'no', languages: told });
}

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

function events({ events: happened }: SelfView): string | undefined {
  const rows = happened.map(({ name, title, atMs }) => element('event', { name, title, at: utcMinute(atMs) }));
  return list('events', { count: happened.length }, rows);
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
    suspect_facts: suspectFacts,
    facts_examined: facts,
    unread_records: unreadRecords === 0 ? undefined : unreadRecords,
  });
}

/** Below it, most of the newest runs did not reach their goal. Source: springdrift 3. */
const SUCCESS_LOW = 0.5;
/** Above it, the last runs tell little about this one. Source: springdrift 3. */
const NOVELTY_HIGH = 0.7;

/** What the figures and the gates' observer suggest. */
function metaRecommendations({ runs, words, tightening }: SelfView): string | undefined {
  const success = successRate(runs);
  const isLow = success.n > 0 && success.rate < SUCCESS_LOW;
  // Without a history everything is new.
  const isNew = runs.length > 0 && novelty(words, runs) > NOVELTY_HIGH;
  if (!isLow && !isNew && tightening === undefined) return undefined;
  return element('meta_recommendations', {
    low_success: isLow ? 'look at what failed before you plan' : undefined,
    high_novelty: isNew ? 'take a small first step and check it' : undefined,
    tightened_gates: tightening === undefined ? undefined : 'do what is asked and no more',
  });
}

function memory({ memory: counts, runs }: SelfView): string {
  return element('memory', { runs: runs.length, ...counts });
}

/** The newest rows; empty lists are left out. */
function list(name: string, figures: Readonly<Record<string, number>>, rows: readonly string[]): string | undefined {
  return rows.length === 0 ? undefined : element(name, figures, rows.slice(-ROWS_MAX));
}

function decimals(value: number): string {
  return value.toFixed(2);
}

/** `3 min`, `2 h 5 min`, `4 d 1 h`. */
function elapsed(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / MINUTE_MS));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
