/** Rounds as the steering sees them, with everything unsaid at its plainest. */
import { AgentControl } from '@retainer/contract/api/agent-control';
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type {
  BusCriterion,
  CriteriaVerdict,
  GapTrajectoryPoint,
  SubTaskOutcome,
  ToolCallRecord,
} from '@retainer/contract/wire/bus/payloads';
import { nothingSoFar } from '@retainer/mind/run/steer/last-words';
import type { SteerContext } from '@retainer/mind/run/steer/steer-state';

export type ReplanRequest = BusPayload<'ReplanRequest'>;

export function criterion(text: string, change: Partial<BusCriterion> = {}): BusCriterion {
  return { text, mode: 'Verifiable', required: true, ...change };
}

export function met(index: number): CriteriaVerdict {
  return { index, verdict: 'Met', evidence: ['c1'], reason: 'seen' };
}

export function unmet(index: number, failureClass?: CriteriaVerdict['failureClass']): CriteriaVerdict {
  const base = { index, verdict: 'Unmet', evidence: [], reason: `not seen ${index}` } as const;
  return failureClass === undefined ? { ...base, evidence: [] } : { ...base, evidence: [], failureClass };
}

export function unverified(index: number): CriteriaVerdict {
  return { index, verdict: 'Unverified', failureClass: 'Unverified', evidence: [], reason: 'nobody could judge it' };
}

/** Attempts by the indexes that they left unmet. */
export function attempts(...unmetByAttempt: readonly (readonly number[])[]): GapTrajectoryPoint[] {
  return unmetByAttempt.map((it, position) => ({
    attempt: position + 1,
    score: 0,
    unmet: [...it],
    failureClass: 'None',
  }));
}

export function call(tool: string, target?: string, change: Partial<ToolCallRecord> = {}): ToolCallRecord {
  const base: ToolCallRecord = {
    callId: `${tool}-${target ?? ''}`,
    tool,
    input: '{}',
    status: 'Error',
    output: '',
    durationMs: 1,
    files: [],
    ...change,
  };
  return target === undefined ? base : { ...base, target };
}

/** Matched, with as many criteria as verdicts; Failed as soon as one is not met. */
export function outcome(
  position: number,
  verdicts: readonly CriteriaVerdict[],
  change: Partial<SubTaskOutcome> = {},
): SubTaskOutcome {
  return {
    subtaskId: `s${position}`,
    intent: `step ${position}`,
    sequence: 1,
    position,
    criteria: verdicts.map((it) => criterion(`step ${position}, point ${it.index}`)),
    status: verdicts.every((it) => it.verdict === 'Met') ? 'Matched' : 'Failed',
    output: `output ${position}`,
    started: true,
    trajectory: [],
    verdicts: [...verdicts],
    calls: [],
    ...change,
  };
}

export function replanRequest(outcomes: readonly SubTaskOutcome[], change: Partial<ReplanRequest> = {}): ReplanRequest {
  return {
    gapSummary: 'something is missing',
    failedSubtasks: outcomes.filter((it) => it.status === 'Failed').map((it) => it.subtaskId),
    corrections: 0,
    elapsedMs: 0,
    outcomes: [...outcomes],
    taskVerdicts: [],
    recommendation: 'Replan',
    ...change,
  };
}

/**
 * Outcomes with exactly this distance and implausibility, both in tenths or halves that `parts` divides.
 *
 * @param p  of the failing criteria; undefined: none is classed
 */
export function outcomesOf(d: number, p: number | undefined, parts = 20): readonly SubTaskOutcome[] {
  const failing = Math.round(d * parts);
  const logical = Math.round((p ?? 0) * failing);
  return Array.from({ length: parts }, (_, position) => {
    if (position >= failing) return outcome(position, [met(1)]);
    if (p === undefined) return outcome(position, [unmet(1)]);
    return outcome(position, [unmet(1, position < logical ? 'Logical' : 'Environmental')]);
  });
}

export function steerContext(
  control: Record<string, unknown> = {},
  change: Partial<Omit<SteerContext, 'control'>> = {},
): SteerContext {
  return {
    control: AgentControl.parse(control),
    nowMs: 1_000_000,
    intent: 'sum the sales',
    criteria: [],
    given: '',
    candidateTools: [],
    taskPair: { space: 'intent:sum_sales', entity: 'env:local' },
    soFar: nothingSoFar,
    ...change,
  };
}
