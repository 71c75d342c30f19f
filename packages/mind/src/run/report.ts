/**
 * The planner's report on an abandoned run: when it is requested, how long the run waits, and which parts are shown.
 *
 * Code has already decided and stated the outcome before the request: a report adds words, never a result.
 *
 * Source: artoo A.9, A.15 (law 0).
 */
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { eachOnce, says } from '@retainer/contract/std/said-once';
import { textTokens } from '../assemble/trim-history.ts';
import type { CycleLimits } from '../cycle/event.ts';
import { waitMs, type WaitBounds } from '../cycle/pace.ts';
import { oneLine } from '../request/lines.ts';
import { AbandonReport } from '../request/answers/abandon-report.ts';
import { isBudgetUsedUp } from './remaining-limits.ts';
import { withinReach } from './fall-back.ts';
import { callsOf, hasResult, isEnding, pacesOf, sent, stoodMs, type RoleCycle, type RunState } from './state.ts';
import { isShownText } from './verdict/unsupported.ts';

type FinalResult = BusPayload<'FinalResult'>;
export type Report = NonNullable<FinalResult['report']>;

/**
 * From the request to the end of the run, milliseconds: as long as the planner's model takes for a report at the speed that this run
 * has measured. The end is certain, and people wait for it: no longer than four minutes.
 *
 * Source: artoo A.9. Differs: 20 s there, which a slow model never keeps.
 */
const REPORT_WAIT: WaitBounds = { firstMs: 20_000, mostMs: 240_000 };

/** Of a usual report: three short lists of sentences. */
const REPORT_TOKENS = 400;

/** Most characters of a report in a summary, which has 4,000: the result comes first. */
const REPORT_CHARACTERS_MAX = 1500;

/**
 * Whether a report can add anything. A refusal already has the words of its rule, and a stop those of the person. After
 * the deadline there is no time for a report; after a failure of the machinery or the planner, nobody can write one.
 */
const isReported: Readonly<Record<NonNullable<FinalResult['cause']>, boolean>> = {
  Budget: true,
  Worsening: true,
  Replans: true,
  Distance: true,
  Policy: false,
  Infrastructure: false,
  Aborted: false,
  Deadline: false,
  Planning: false,
};

export function asksForReport(state: RunState, { directive, cause }: FinalResult): boolean {
  if (directive !== 'Abandon' || state.spec.reportDuties === undefined) return false;
  const wasTried = sent(state, 'SubTaskOutcome').length > 0;
  return isReported[cause ?? 'Distance'] && wasTried && !isEnding(state) && !isBudgetUsedUp(state);
}

/** The result that waits for its report; undefined when none does. */
export function awaitedResult(state: RunState): FinalResult | undefined {
  return hasResult(state) ? undefined : sent(state, 'ReportRequest')[0]?.payload.result;
}

/** The moment at which the run ends without the report, milliseconds since 1970; undefined when it waits for none. */
export function reportDueMs(state: RunState): number | undefined {
  const [request] = sent(state, 'ReportRequest');
  return request === undefined || isEnding(state)
    ? undefined
    : request.atMs +
        stoodMs(state, request.atMs) +
        (reportCycle(state)?.spec.limits.wallClockMs ?? REPORT_WAIT.firstMs);
}

function reportCycle({ roleCycles }: RunState): RoleCycle | undefined {
  return [...roleCycles.values()].find(({ spec }) => spec.structured === 'AbandonReport');
}

/** One model call, within the time that the run waits for it. @param texts  of the request */
export function reportLimits(state: RunState, texts: readonly string[]): Partial<CycleLimits> {
  const { model, limits } = withinReach(state, state.spec.roles.Planner);
  const mostMs = Math.min(REPORT_WAIT.mostMs, limits.modelTimeoutMs);
  const promptTokens = texts.reduce((sum, it) => sum + textTokens(it), 0);
  const limitMs = waitMs(
    pacesOf(state),
    { model, promptTokens, answerTokens: REPORT_TOKENS },
    { ...REPORT_WAIT, mostMs },
  );
  return { turns: 1, wallClockMs: limitMs, modelTimeoutMs: limitMs };
}

export const NO_REPORT: Report = { done: [], missing: [], nextMoves: [] };

/** What may be shown of the answer: points whose claims are supported; nothing without a point on what is missing. */
export function honestReport(state: RunState, result: FinalResult, answer: unknown): Report {
  // A report is passed on whole, so its bounds count here, too.
  const told = AbandonReport.safeParse(answer);
  if (!told.success) return NO_REPORT;
  const given = [state.spec.input, result.summary, result.output, ...result.unmet];
  const calls = callsOf(state);
  const shown = (points: readonly string[]): string[] => points.filter((point) => isShownText(point, calls, given));
  const { done, missing, nextMoves } = told.data;
  const report = {
    // When nothing matched, nothing was done, whatever the report says.
    done: result.output === '' ? [] : shown(done),
    missing: shown(missing),
    nextMoves: shown(nextMoves),
  };
  return report.missing.length === 0 ? NO_REPORT : report;
}

/**
 * For a summary, marked as the planner's words. A point under two headings is the more modest one of them: missing rather than done.
 *
 * @param before  what people read beside it: the last words of the run
 * @returns empty when there is no report, or when it says nothing more
 */
export function reportText(report: Report | undefined, before: string): string {
  if (report === undefined) return '';
  const { done, missing, nextMoves } = report;
  const said = eachOnce([...missing, ...done, ...nextMoves]).filter((it) => !says(before, it));
  const left = new Set(said);
  const once = (points: readonly string[]): readonly string[] => points.filter((it) => left.delete(it));
  const shown = { missing: once(missing), done: once(done), nextMoves: once(nextMoves) };
  const parts = [listed('Done', shown.done), listed('Missing', shown.missing), listed('Next', shown.nextMoves)];
  const text = parts.filter((it) => it !== '').join(' ');
  return text === '' ? '' : headAndTail(`In the planner's words. ${text}`, REPORT_CHARACTERS_MAX);
}

function listed(heading: string, points: readonly string[]): string {
  return points.length === 0 ? '' : `${heading}: ${points.map((it) => oneLine(it).replace(/\.$/, '')).join('; ')}.`;
}
