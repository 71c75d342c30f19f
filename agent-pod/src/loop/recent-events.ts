/** What happened to the agent in the last day, by the names of code alone: a fold of the store `agent`. */
import { defineProjection, omitEach, type Projection } from '@retainer/mind/memory/projection';
import { agentKinds } from './stores.ts';

/** Older events no longer explain what the agent meets. */
const EVENTS_MS = 24 * 3600 * 1000;

/** As many as a sensorium shows. */
const EVENTS_MAX = 3;

export interface RecentEvent {
  readonly name: string;
  readonly title: string;
  readonly atMs: number;
}

/** Oldest first. */
export type RecentEvents = RecentEvent[];

function push(events: RecentEvents, event: RecentEvent): void {
  events.push(event);
  if (events.length > EVENTS_MAX) events.shift();
}

export const eventsSince = (events: RecentEvents, nowMs: number): readonly RecentEvent[] =>
  events.filter(({ atMs }) => nowMs - atMs <= EVENTS_MS);

/** @param events  where they are kept */
export const recentEvents = (events: RecentEvents): Projection<RecentEvents> =>
  defineProjection({
    store: 'agent',
    kinds: agentKinds,
    start: () => events,
    folds: {
      ...omitEach(agentKinds, 'it says nothing about the last day'),
      GatesIntervened: (_, { intervention, detectors }, { timeMs: atMs }) => {
        if (intervention !== 'None')
          push(events, { name: 'gates', title: `${intervention}: ${detectors.join(', ')}`, atMs });
      },
      FalsePositiveReported: (_, { gate, rule }, { timeMs: atMs }) =>
        push(events, { name: 'refusal-called-wrong', title: `${gate}: ${rule}`, atMs }),
      RunSetAside: (_, { task }, { timeMs: atMs }) => push(events, { name: 'run-set-aside', title: task.name, atMs }),
      RunGivenUp: (_, { runId }, { timeMs: atMs }) => push(events, { name: 'run-given-up', title: runId, atMs }),
      DeliveryDropped: (_, { why }, { timeMs: atMs }) => push(events, { name: 'delivery-dropped', title: why, atMs }),
    },
    window: { lastMs: EVENTS_MS },
    cached: { because: 'few records hold it, and each start reads them' },
  });
