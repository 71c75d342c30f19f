/** From where the agent knows itself: the same for a cycle that begins, for a cycle that asks, and for a person who reads the record. */
import type { SelfView } from '@retainer/mind/assemble/curator/view';
import type { CycleState } from '@retainer/mind/cycle/state';
import { FACT_HALF_LIFE_DAYS } from '@retainer/mind/parts/facts/fact-rules';
import type { Projections } from '@retainer/mind/projections/projections';
import type { RunState } from '@retainer/mind/run/state';
import type { Oversight } from './oversight.ts';
import type { Preamble } from './preamble.ts';
import { eventsSince, type RecentEvents } from './recent-events.ts';
import { selfView, type Told } from './self-view.ts';

export interface SelfSources {
  readonly known: Projections['states'];
  readonly oversight: Oversight;
  /** Under way. */
  readonly runs: readonly RunState[];
  readonly cycles: readonly CycleState[];
  readonly events: RecentEvents;
  /** Records that the last fold could not take. */
  readonly unreadRecords: number;
  /** When the process took up its work, milliseconds since 1970. */
  readonly startedAtMs: number;
  /** Absent: cycles are told nothing. */
  readonly preamble: Preamble | undefined;
}

/** @param told  the cycle that is told; absent: a person asks */
export function viewFrom(sources: SelfSources, told: Told | undefined, nowMs: number): SelfView {
  const { known, oversight, runs, cycles, events, unreadRecords, startedAtMs, preamble } = sources;
  const { outputRejectionsInRow, probesUnansweredInRow } = oversight.health;
  const around = {
    ...{ known, runs, cycles, startedAtMs, unreadRecords },
    events: eventsSince(events, nowMs),
    budgets: oversight.budgets(nowMs),
    tightening: oversight.tightening(nowMs),
    areOutputsHeld: oversight.areOutputsHeld,
    outputRejectionsInRow,
    probesUnanswered: oversight.areProbesDegraded ? probesUnansweredInRow : 0,
    verdictPatterns: oversight.patterns,
    place: preamble?.place,
    factHalfLifeDays: preamble?.factHalfLifeDays ?? FACT_HALF_LIFE_DAYS,
  };
  return selfView(told, around, nowMs);
}
