/**
 * What an agent sees of itself at a moment, from its record alone: what a perceiver is told that works for no run. It is read beside
 * the agent or on a copy of its directory, and changes nothing.
 *
 * I1  All of it is folded and told by the code that folds and tells it for the agent's cycles.
 * I2  Facts, threads and cases are left out: they are what memory answers to the words of a run.
 */
import { join } from 'node:path';
import { Agent } from '@retainer/contract/api/agent';
import type { ModelPrice } from '@retainer/contract/api/agent-models';
import type { Clock } from '@retainer/contract/std/clock';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { JournalReader, JournalRecord, ReadRange } from '@retainer/journal/journal';
import { curate, type Items } from '@retainer/mind/assemble/curator/curate';
import type { SelfView } from '@retainer/mind/assemble/curator/view';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { evolveCycle } from '@retainer/mind/cycle/evolve';
import type { CycleState } from '@retainer/mind/cycle/state';
import { affectAt } from '@retainer/mind/parts/affect/affect';
import type { Affect } from '@retainer/mind/parts/affect/measure';
import type { AsideRuns } from '@retainer/mind/parts/aside/set-aside';
import { factsProjection } from '@retainer/mind/parts/facts/facts';
import { forgetClosedRuns } from '@retainer/mind/projections/open-work';
import { Projections } from '@retainer/mind/projections/projections';
import type { Usage } from '@retainer/mind/request/model-request';
import { RunSpec, type RunEvent } from '@retainer/mind/run/event';
import { evolveRun } from '@retainer/mind/run/evolve';
import type { RunState } from '@retainer/mind/run/state';
import { settingsOf } from '../loop/agent-settings.ts';
import { asideProjection } from '../loop/aside-runs.ts';
import { foldRecord } from '../loop/fold-record.ts';
import { Oversight } from '../loop/oversight.ts';
import { preambleOf, type Preamble } from '../loop/preamble.ts';
import { ProjectionCache } from '../loop/projection-cache.ts';
import { recentEvents, type RecentEvents } from '../loop/recent-events.ts';
import { NOBODY, selfFrom, type SelfSources } from '../loop/self-sources.ts';
import { knownTools } from '../parts/catalog.ts';
import type { ConfiguredPayload } from './recorded-config.ts';
import { openRecords } from './run-records.ts';

export interface RecordedState {
  /** Its name and the version of the program. */
  readonly agent: string;
  readonly view: SelfView;
  /** Absent before the first measurement. */
  readonly affect?: Affect;
  /** Of the slots that are filled with lines. */
  readonly items: Items;
  /** As the model reads it, within the Agent's characters. */
  readonly told: string;
  /** Records that could not be folded: store, sequence and projection. */
  readonly unread: readonly string[];
}

/** What the program adds to the record. */
export interface StateParts {
  /** Of the program. */
  readonly version: string;
  /** US dollars of one call; undefined for a model without a price. @param prices  the Agent's own */
  readonly costOf: (usage: Usage, model: string, prices: readonly ModelPrice[]) => number | undefined;
}

/** The record as far as it was folded. */
export interface FoldedSelf {
  /** @param nowMs  milliseconds since 1970, at or after the fold */
  at(nowMs: number): RecordedState;
}

/**
 * Looks at the record of a data directory each time that it is called, and folds it only if it has grown since.
 *
 * @returns see `foldSelf`
 */
export function stateLooks(
  dataDirectory: string,
  parts: StateParts,
  clock: Clock = systemClock,
): () => Promise<Result<RecordedState, string>> {
  const cache = new ProjectionCache(join(dataDirectory, 'cache'));
  let kept: { readonly heads: string; readonly self: FoldedSelf } | undefined;
  return async () => {
    const reader = await openRecords(dataDirectory, clock);
    const heads = JSON.stringify(reader.heads());
    if (kept?.heads !== heads) {
      // The old fold and the new one together are twice the memory.
      kept = undefined;
      const self = await foldSelf(reader, clock.nowMs(), { ...parts, cache });
      if (!self.ok) return self;
      kept = { heads, self: self.value };
    }
    return ok(kept.self.at(clock.nowMs()));
  };
}

/**
 * Folds what the record held when the reader was opened.
 *
 * @param nowMs  the end of each window of time, milliseconds since 1970
 * @param parts  with a cache, which is only read; absent: the whole record is folded
 * @returns why nothing can be told
 * @throws JournalCorruptError where the record is damaged
 */
export async function foldSelf(
  reader: Pick<JournalReader, 'read' | 'heads'>,
  nowMs: number,
  { version, costOf, cache }: StateParts & { readonly cache?: ProjectionCache },
): Promise<Result<FoldedSelf, string>> {
  const record = asOpened(reader);
  const start = await newestStart(record);
  if (!start.ok) return start;
  const { agent, place, startedAtMs } = start.value;
  const settings = settingsOf(agent);
  const preamble = preambleOf(agent, place, version);
  const oversight = new Oversight(
    settings,
    (model, usage) => costOf(usage, model, settings.prices),
    () => undefined,
  );
  const events: RecentEvents = [];
  const aside: AsideRuns = new Map();
  const projections = new Projections({
    ...oversight.projections,
    aside: asideProjection(aside),
    ...recentEvents(events),
    facts: factsProjection(agent.spec.memory.halfLifeDays.facts),
  });
  const unread = await foldRecord(record, projections, nowMs, cache);
  const known = projections.states;
  forgetClosedRuns(known);
  const left = new Set([...aside.keys(), ...unread.flatMap(({ runId }) => runId ?? [])]);
  const sources = {
    ...{ known, oversight, events, startedAtMs, preamble, unreadRecords: unread.length },
    ...underWay(known, left),
  };
  const places = unread.map(({ where }) => where);
  return ok({ at: (atMs) => ({ ...stateFrom(sources, atMs), unread: places }) });
}

/** The agent may write meanwhile, and the stores are read one after the other: without an end, they would be of different moments. */
function asOpened(reader: Pick<JournalReader, 'read' | 'heads'>): Pick<JournalReader, 'read' | 'heads'> {
  const heads = reader.heads();
  const ends = new Map(heads.map(({ store, seq }) => [store, seq]));
  return {
    heads: () => heads,
    read: async function* (store: string, range?: ReadRange): AsyncGenerator<JournalRecord> {
      const end = ends.get(store) ?? -1;
      for await (const record of reader.read(store, range)) {
        if (record.seq > end) return;
        yield record;
      }
    },
  };
}

interface Start extends Pick<ConfiguredPayload, 'agent'> {
  readonly place: ConfiguredPayload['place'] | undefined;
  readonly startedAtMs: number;
}

async function newestStart(record: Pick<JournalReader, 'read'>): Promise<Result<Start, string>> {
  let newest: JournalRecord | undefined;
  for await (const it of record.read('agent')) if (it.kind === 'Configured') newest = it;
  if (newest === undefined)
    return err(
      'the record has no start of an agent yet: it tells what the agent sees of itself once the agent has run',
    );
  const { agent, place } = newest.payload as unknown as ConfiguredPayload;
  // An older program recorded an Agent without the fields that are newer than it.
  const today = Agent.safeParse(agent);
  if (today.success) return ok({ agent: today.data, place, startedAtMs: newest.timeMs });
  const why = today.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  return err(`the Agent of record agent/${newest.seq} is of another version (${why}): use the version that wrote it`);
}

/** @param left  runs that nobody drives */
function underWay(
  { runs, cycles }: Projections['states'],
  left: ReadonlySet<string>,
): { readonly runs: readonly RunState[]; readonly cycles: readonly CycleState[] } {
  const driven = [...runs.open].filter(([runId, [first]]) => !left.has(runId) && isReadable(first));
  const ids = new Set(driven.map(([runId]) => runId));
  return {
    runs: driven.flatMap(([, events]) => folded(evolveRun, events) ?? []),
    cycles: [...cycles.values()]
      .filter(({ runId }) => ids.has(runId))
      .flatMap(({ events }) => folded(evolveKnownCycle, events) ?? [])
      .filter(({ ended }) => ended === undefined),
  };
}

/** The agent leaves a run alone that another version recorded. */
function isReadable(first: RunEvent | undefined): boolean {
  return first?.kind === 'RunAdmitted' && RunSpec.safeParse(first.spec).success;
}

const evolveKnownCycle = (state: CycleState | undefined, event: CycleEvent): CycleState =>
  evolveCycle(state, event, knownTools);

function folded<State, Event>(
  evolve: (state: State | undefined, event: Event) => State,
  events: readonly Event[],
): State | undefined {
  let state: State | undefined;
  for (const event of events) state = evolve(state, event);
  return state;
}

function stateFrom(
  sources: SelfSources & { readonly preamble: Preamble },
  atMs: number,
): Omit<RecordedState, 'unread'> {
  const newest = affectAt(sources.known.newestAffect.newest, atMs);
  const self = selfFrom(sources, {}, newest, atMs);
  return { ...self, told: curate(NOBODY.role, self, sources.preamble.charactersMax)?.text ?? '' };
}
