/** From where the agent knows itself: the same for a cycle that begins, for a cycle that asks, and for a person who reads the record. */
import { correspondentView } from '@retainer/mind/assemble/curator/correspondent-view';
import type { Self } from '@retainer/mind/assemble/curator/curate';
import { slotItems, type ForWork } from '@retainer/mind/assemble/curator/slot-items';
import type { SelfView } from '@retainer/mind/assemble/curator/view';
import type { CycleState } from '@retainer/mind/cycle/state';
import { OWNER } from '@retainer/mind/gate/provenance/label';
import type { Beginning } from '@retainer/mind/part/part';
import type { AffectMeasured } from '@retainer/mind/parts/affect/affect';
import { contributionsOfParts } from '@retainer/mind/parts/derived';
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

/** Who is told, and what memory had for its work. */
export interface Asking {
  /** Absent: a person asks. */
  readonly told?: Told & Pick<Beginning, 'role'>;
  /** Absent: memory was not asked. */
  readonly forWork?: ForWork | undefined;
}

/** A perceiver of no run. */
export const NOBODY = { runId: '', cycleId: '', role: 'Perceiver' } as const;

/** What is curated of the agent. @param newest  absent: nothing was measured, or long ago */
export function selfFrom(
  sources: SelfSources & { readonly preamble: Preamble },
  { told, forWork = { facts: [], threads: [], cases: [] } }: Asking,
  newest: AffectMeasured | undefined,
  nowMs: number,
): Self {
  const { known, preamble } = sources;
  return {
    agent: preamble.agent,
    view: viewFrom(sources, told, nowMs),
    items: {
      ...slotItems(isForOwner(told) ? known : { ...known, runFigures: [] }, forWork),
      also: contributionsOfParts(known, { ...(told ?? NOBODY), atMs: nowMs, agent: preamble.spec }),
    },
    ...(newest === undefined ? {} : { affect: newest.affect }),
  };
}

function isForOwner(told: Pick<Told, 'principal'> | undefined): boolean {
  return (told?.principal ?? OWNER) === OWNER;
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
  const view = selfView(told, around, nowMs);
  return isForOwner(told) ? view : correspondentView(view);
}
