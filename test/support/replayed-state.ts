/** What a cycle was told, told again by the code of the program from nothing but the records before it. */
import { foldRecord } from '@retainer/agent-pod/loop/fold-record';
import { Oversight } from '@retainer/agent-pod/loop/oversight';
import { DEFAULT_RECALL, Recall } from '@retainer/agent-pod/loop/recall';
import { recentEvents, type RecentEvents } from '@retainer/agent-pod/loop/recent-events';
import { viewFrom } from '@retainer/agent-pod/loop/self-sources';
import type { JournalRecord } from '@retainer/journal/journal';
import { curate, isGivenRecall } from '@retainer/mind/assemble/curator/curate';
import { slotItems } from '@retainer/mind/assemble/curator/slot-items';
import { evolveCycle } from '@retainer/mind/cycle/evolve';
import type { CycleState } from '@retainer/mind/cycle/state';
import { contributionsOfParts } from '@retainer/mind/parts/derived';
import { affectAt } from '@retainer/mind/parts/affect/affect';
import { factsProjection } from '@retainer/mind/parts/facts/facts';
import { forgetClosedRuns } from '@retainer/mind/projections/open-work';
import { Projections } from '@retainer/mind/projections/projections';
import { evolveRun } from '@retainer/mind/run/evolve';
import type { RunState } from '@retainer/mind/run/state';
import { costUsd } from './life-model.ts';
import type { Life } from './life-steps.ts';
import { testTools } from './known-tools.ts';
import { oversightOf, preambleOf } from './lives.ts';
import { MemoryJournal } from './memory-journal.ts';
import type { Started } from './past.ts';

const NOTHING = { facts: [], threads: [], cases: [] };

/** @returns undefined for a role that is told nothing */
export async function replayedState(
  before: readonly JournalRecord[],
  { spec, atMs }: Started,
  life: Life,
): Promise<string | undefined> {
  const journal = new MemoryJournal(before);
  const preamble = preambleOf(life);
  const { factHalfLifeDays } = preamble;
  const oversight = new Oversight(oversightOf(life), costUsd, () => undefined);
  const events: RecentEvents = [];
  const facts = factsProjection(factHalfLifeDays);
  const projections = new Projections({ ...oversight.projections, ...recentEvents(events), facts });
  // Its process folded what there was when it started, and saw everything since.
  const startedAtMs = before.findLast(({ kind }) => kind === 'Configured')?.timeMs ?? 0;
  const unread = await foldRecord(journal, projections, startedAtMs);
  const known = projections.states;
  forgetClosedRuns(known);
  const runs = [...known.runs.open.values()].map((it) => folded(evolveRun, it));
  const evolve = (state: CycleState | undefined, event: Parameters<typeof evolveCycle>[1]): CycleState =>
    evolveCycle(state, event, testTools);
  const cycles = [...known.cycles.values()]
    .map((it) => folded(evolve, it.events))
    .filter(({ ended }) => ended === undefined);
  const sources = { known, oversight, runs, cycles, events, unreadRecords: unread.length, startedAtMs, preamble };
  const own = runs.find((run) => run.spec.runId === spec.runId);
  const recall = new Recall({
    ...{ journal, known: () => known, settings: DEFAULT_RECALL, factHalfLifeDays, nowMs: () => atMs },
  });
  const forWork = own === undefined || !isGivenRecall(spec.role) ? NOTHING : await recall.forWork(own.spec);
  const newest = affectAt(known.newestAffect.newest, atMs);
  const self = {
    agent: preamble.agent,
    view: viewFrom(sources, spec, atMs),
    items: {
      ...slotItems(known, forWork),
      also: contributionsOfParts(known, { ...spec, atMs, agent: preamble.spec }),
    },
    ...(newest === undefined ? {} : { affect: newest.affect }),
  };
  return curate(spec.role, self, preamble.charactersMax)?.text;
}

function folded<State extends RunState | CycleState, Event>(
  evolve: (state: State | undefined, event: Event) => State,
  events: readonly Event[],
): State {
  let state: State | undefined;
  for (const event of events) state = evolve(state, event);
  if (state === undefined) throw new Error('what is open has begun');
  return state;
}
