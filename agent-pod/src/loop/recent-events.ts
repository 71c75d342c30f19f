/** What happened to the agent in the last day, by the names of code alone: a fold of the stores in which parts note events. */
import { z } from 'zod';
import { defineProjection, type Projection } from '@retainer/mind/part/projection';
import { eventsOfParts } from '@retainer/mind/parts/derived';
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

/** At a start one store is read after the other, so an event finds its place by its time. */
function add(events: RecentEvents, event: RecentEvent): void {
  events.splice(events.findLastIndex(({ atMs }) => atMs <= event.atMs) + 1, 0, event);
  if (events.length > EVENTS_MAX) events.shift();
}

export const eventsSince = (events: RecentEvents, nowMs: number): readonly RecentEvent[] =>
  events.filter(({ atMs }) => nowMs - atMs <= EVENTS_MS);

/** What the agent itself notes without a part. */
const own = [
  {
    store: 'agent',
    kind: 'DeliveryDropped',
    happened: (payload: Readonly<Record<string, unknown>>) => ({
      name: 'delivery-dropped',
      title: agentKinds.DeliveryDropped.parse(payload).why,
    }),
  },
];

/** A projection for each store that has such events, by name. @param events  where they are kept */
export function recentEvents(events: RecentEvents): Readonly<Record<string, Projection<RecentEvents>>> {
  const noted = [...eventsOfParts, ...own];
  const stores = [...new Set(noted.map(({ store }) => store))];
  return Object.fromEntries(stores.map((store) => [`events of ${store}`, eventsIn(store, noted, events)]));
}

function eventsIn(
  store: string,
  noted: readonly (typeof eventsOfParts)[number][],
  events: RecentEvents,
): Projection<RecentEvents> {
  const rows = noted.filter((it) => it.store === store);
  return defineProjection({
    store,
    kinds: Object.fromEntries(rows.map(({ kind }) => [kind, z.unknown()])),
    start: () => events,
    folds: Object.fromEntries(
      rows.map(({ kind, happened }) => [
        kind,
        (_: RecentEvents, payload: unknown, { timeMs: atMs }: { readonly timeMs: number }) => {
          const event = happened(payload as Readonly<Record<string, unknown>>);
          if (event !== undefined) add(events, { ...event, atMs });
        },
      ]),
    ),
    others: { because: 'it says nothing about the last day' },
    window: { lastMs: EVENTS_MS },
    cached: { because: 'few records hold it, and each start reads them' },
  });
}
