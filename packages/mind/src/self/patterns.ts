/**
 * Patterns in the newest runs, each with the runs it rests on and how many were looked at. They are told and change nothing.
 *
 * Source: springdrift 7 (detect_patterns), 3 (hit rate), 15 (24). Differs: an outlier is compared with the mean of the others, which
 * it cannot raise itself; a miss is a run that was told no case, instead of one that cites no source; a failing tool is counted by runs;
 * our records count the calls of a run.
 */
import type { RememberedRun } from '../parts/narrative/narrative.ts';
import { isFailure } from '../assemble/curator/figures.ts';
import { domainOf, labelsOf } from './runs.ts';
import { grouped } from './grouped.ts';
import { telling, type Telling } from './telling.ts';

/** Runs that are looked at. Source: springdrift 7. */
export const PATTERN_WINDOW = { default: 20, max: 50 } as const;

/** Source of the thresholds: springdrift 7. */
const FAILURES_MIN = 3;
const TOOL_RUNS_MIN = 3;
const TOOL_FAILURE_RATIO = 0.2;
const SECOND_MODEL_RUNS_MIN = 5;
const COST_RUNS_MIN = 3;
const COST_FACTOR = 3;
const MISS_RATIO = 0.5;

export interface Pattern {
  readonly name: 'RepeatedFailures' | 'ToolFailures' | 'ModelEscalation' | 'CostOutlier' | 'CaseMisses';
  readonly severity: 'warning' | 'info';
  readonly about: string;
  readonly runIds: readonly string[];
  /** Runs that were looked at for it. */
  readonly of: number;
  /** Whose calls it is about. */
  readonly tool?: string;
}

/** What a pattern is seen in. */
export interface PatternRun {
  readonly runId: string;
  readonly outcome: string;
  readonly tokens: number;
  /** Empty: unknown. */
  readonly domain: string;
  readonly calls: readonly { readonly tool: string; readonly ran: number; readonly failed: number }[];
  /** Ids of the models that worked; absent: nobody asks for them. */
  readonly models?: readonly string[];
}

interface Seen {
  /** Oldest first. */
  readonly runs: readonly PatternRun[];
  /** Runs that memory told at least one case. */
  readonly told: ReadonlySet<string>;
}

/** In the order in which they are told. */
const detectors: readonly ((seen: Seen) => readonly Pattern[])[] = [
  repeatedFailures,
  toolFailures,
  modelEscalation,
  costOutliers,
  caseMisses,
];

export function detectPatterns(seen: Seen): readonly Pattern[] {
  return detectors.flatMap((detect) => detect(seen));
}

interface Remembered {
  readonly runs: readonly RememberedRun[];
  readonly told: Seen['told'];
}

export function tellPatterns({ runs, told }: Remembered): Telling {
  const found = detectPatterns({ runs: runs.map(patternRun), told }).map(
    ({ name, severity, about, runIds }) => `${severity} ${name}: ${about}; runs ${runIds.join(', ')}`,
  );
  const rows = [`${runs.length} runs looked at, ${found.length} patterns`, ...found];
  return telling(rows, runs.flatMap(labelsOf), '');
}

export function patternRun(run: RememberedRun): PatternRun {
  const { runId = '', outcome, tokens, telemetry } = run;
  const { calls = [], models = [] } = telemetry ?? {};
  return { runId, outcome, tokens, domain: domainOf(run), calls, models };
}

const idsOf = (runs: readonly PatternRun[]): readonly string[] => runs.map(({ runId }) => runId);

function repeatedFailures({ runs }: Seen): readonly Pattern[] {
  const failed = grouped(runs.filter(isFailure), ({ domain }) => domain);
  return [...failed].flatMap(([domain, of]): readonly Pattern[] => {
    if (domain === '' || of.length < FAILURES_MIN) return [];
    const about = `${of.length} runs failed in domain ${JSON.stringify(domain)}`;
    return [{ name: 'RepeatedFailures', severity: 'warning', about, runIds: idsOf(of), of: runs.length }];
  });
}

function toolFailures({ runs }: Seen): readonly Pattern[] {
  const uses = runs.flatMap((run) => run.calls.map((call) => ({ run, call })));
  const byTool = grouped(
    uses.filter(({ call }) => call.ran > 0),
    ({ call }) => call.tool,
  );
  return [...byTool].flatMap(([tool, of]): readonly Pattern[] => {
    const failing = of.filter(({ call }) => call.failed > 0);
    if (of.length < TOOL_RUNS_MIN || failing.length / of.length <= TOOL_FAILURE_RATIO) return [];
    const about = `${tool} failed in ${failing.length} of ${of.length} runs`;
    const runIds = idsOf(failing.map(({ run }) => run));
    return [{ name: 'ToolFailures', severity: 'warning', about, runIds, of: of.length, tool }];
  });
}

function modelEscalation({ runs }: Seen): readonly Pattern[] {
  const uses = runs.flatMap((run) => (run.models ?? []).map((model) => ({ run, model })));
  const byModel = [...grouped(uses, ({ model }) => model)];
  const [, second] = byModel.toSorted(([, a], [, b]) => b.length - a.length);
  if (second === undefined || second[1].length < SECOND_MODEL_RUNS_MIN) return [];
  const [model, of] = second;
  const about = `${model}, the second most used model, served ${of.length} of ${runs.length} runs`;
  const runIds = idsOf(of.map(({ run }) => run));
  return [{ name: 'ModelEscalation', severity: 'info', about, runIds, of: runs.length }];
}

function costOutliers({ runs }: Seen): readonly Pattern[] {
  if (runs.length < COST_RUNS_MIN) return [];
  const sum = runs.reduce((all, { tokens }) => all + tokens, 0);
  return runs.flatMap((run): readonly Pattern[] => {
    const others = (sum - run.tokens) / (runs.length - 1);
    if (run.tokens <= COST_FACTOR * others) return [];
    const about = `${run.tokens} tokens, where the others took ${Math.round(others)} on average`;
    return [{ name: 'CostOutlier', severity: 'info', about, runIds: idsOf([run]), of: runs.length }];
  });
}

function caseMisses({ runs, told }: Seen): readonly Pattern[] {
  const missed = runs.filter(({ runId }) => !told.has(runId));
  if (runs.length === 0 || missed.length / runs.length < MISS_RATIO) return [];
  const about = `memory told no case to ${missed.length} of ${runs.length} runs`;
  return [{ name: 'CaseMisses', severity: 'info', about, runIds: idsOf(missed), of: runs.length }];
}
