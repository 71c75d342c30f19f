/**
 * Stops a run that has asked people too often: constant requests wear down the person who answers.
 *
 * Source: reliability-security 4 (after three refusals or twenty requests in all, the task is stopped).
 */
import type { GateRejection } from '../cycle/state.ts';
import type { RunState } from './state.ts';

/** Limits of a run that was admitted without its own. Source: reliability-security 4. */
const DEFAULTS = { requestsMax: 20, refusalsMax: 3 } as const;

/** @returns the refusal that stops the run; undefined when it may ask again */
export function approvalBreaker({ spec, asked }: Pick<RunState, 'spec' | 'asked'>): GateRejection | undefined {
  const { requestsMax, refusalsMax } = spec.approvals ?? DEFAULTS;
  const sum = (what: 'requests' | 'refusals'): number => [...asked.values()].reduce((all, it) => all + it[what], 0);
  const refusals = sum('refusals');
  if (refusals >= refusalsMax)
    return stop('refusals', `People refused ${times(refusals)} what it asked for, and ${refusalsMax} is the limit.`);
  return sum('requests') > requestsMax
    ? stop('requests', `It asked people ${times(requestsMax)}, and wanted to ask once more.`)
    : undefined;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function stop(limit: 'refusals' | 'requests', what: string): GateRejection {
  const reason = `${what} The Task is stopped: give the agent the authority in its character, or ask for less.`;
  return { gate: 'Tool', rule: `approval/too-many-${limit}`, reason };
}
