/**
 * What happened to the agent in the last day, by the names of code alone: a fold of every store in which something of note is written.
 *
 * I1  A record is noted once, whether a fold read it or the journal's observer saw it.
 */
import { z } from 'zod';
import { defineProjection, type Projection, type Recorded } from '@retainer/mind/part/projection';
import { eventsOfParts } from '@retainer/mind/parts/derived';
import type { Command } from '@retainer/mind/run/inbox';
import type { RunCause } from '@retainer/mind/run/run-cause';
import { systemStore } from '@retainer/journal/stores';
import { agentKinds, agentStores } from './stores.ts';

/** Older events no longer explain what the agent meets. */
const EVENTS_MS = 24 * 3600 * 1000;

/** Of one name: what happens every minute must not push out what happened once. */
const EVENTS_PER_NAME_MAX = 20;

const Event = z.object({
  name: z.string(),
  title: z.string(),
  atMs: z.number(),
  /** Of its record. */
  store: z.string(),
  seq: z.number(),
});
export type RecentEvent = Readonly<z.infer<typeof Event>>;

/** Oldest first. */
export type RecentEvents = RecentEvent[];

interface Noted {
  readonly store: string;
  readonly kind: string;
  readonly happened: (
    payload: Readonly<Record<string, unknown>>,
    record: Pick<Recorded, 'seq' | 'store'>,
  ) => { readonly name: string; readonly title: string } | undefined;
}

/** The first start names the individual before it is configured; an older program's first start did not. */
const FIRST_START_SEQ_MAX = 2;

const DROPPED = {
  TaskGone: 'its Task is gone',
  TaskFinished: 'its Task was finished by somebody else',
} as const satisfies Readonly<Record<z.infer<typeof agentKinds.DeliveryDropped>['why'], string>>;

/** What the agent itself and the journal note without a part. */
const own: readonly Noted[] = [
  {
    store: 'agent',
    kind: 'DeliveryDropped',
    happened: (payload) => ({
      name: 'delivery-dropped',
      title: DROPPED[agentKinds.DeliveryDropped.parse(payload).why],
    }),
  },
  {
    store: 'agent',
    kind: 'Configured',
    happened: (_, { seq }) =>
      seq <= FIRST_START_SEQ_MAX ? undefined : { name: 'restart', title: 'the program started again' },
  },
  {
    store: systemStore.name,
    kind: 'DiskFull',
    happened: () => ({ name: 'disk-full', title: 'no space was left: all work stopped' }),
  },
  {
    store: systemStore.name,
    kind: 'SpaceReturned',
    happened: () => ({ name: 'disk-space', title: 'there is space again' }),
  },
  {
    store: systemStore.name,
    kind: 'ClockJump',
    happened: () => ({ name: 'clock-jump', title: 'the clock was set' }),
  },
  {
    store: 'inbox',
    kind: 'CommandAccepted',
    happened: ({ command }) => arrived(command as Command),
  },
  ...[...agentStores.map(({ name }) => name), systemStore.name].flatMap((store): readonly Noted[] => [
    { store, kind: 'Gap', happened: () => ({ name: 'record-gap', title: `records of the store ${store} are lost` }) },
  ]),
];

/** What came in: a Task of a schedule, or what people answered; their words stay out. */
function arrived(command: Command): ReturnType<Noted['happened']> {
  switch (command.type) {
    case 'StartRun':
      return begunAt(command.spec.cause);
    case 'AnswerQuestion':
      return { name: 'person-answered', title: 'a question' };
    case 'DecideApproval':
      return { name: 'person-answered', title: command.decision === 'Approve' ? 'a call: yes' : 'a call: no' };
    default:
      return undefined;
  }
}

/** A job's name may be the agent's own words, so none is told. */
function begunAt(cause: RunCause): ReturnType<Noted['happened']> {
  if (cause.kind === 'Job') return { name: 'calendar-fired', title: 'a job of the calendar' };
  if (cause.kind === 'Mail') return { name: 'letter', title: 'a letter that is to be answered' };
  const { scheduled } = cause;
  return scheduled === undefined ? undefined : { name: 'job-fired', title: `run ${scheduled.run} of its schedule` };
}

const noted: readonly Noted[] = [...eventsOfParts, ...own];
const byKind = new Map(noted.map((row) => [`${row.store} ${row.kind}`, row]));

/** At a start one store is read after the other: an event finds its place by its moment, and by its record where moments are equal. */
function add(events: RecentEvents, event: RecentEvent): void {
  if (events.some(({ store, seq }) => store === event.store && seq === event.seq)) return;
  events.splice(events.findLastIndex((it) => isBefore(it, event)) + 1, 0, event);
  const same = events.filter(({ name }) => name === event.name);
  const [oldest] = same;
  if (same.length > EVENTS_PER_NAME_MAX && oldest !== undefined) events.splice(events.indexOf(oldest), 1);
}

function isBefore(a: RecentEvent, b: RecentEvent): boolean {
  if (a.atMs !== b.atMs) return a.atMs < b.atMs;
  return a.store === b.store ? a.seq < b.seq : a.store < b.store;
}

/** Takes a durable record of any store. */
export function noteEvent(events: RecentEvents, record: Recorded): void {
  const { store, kind, seq, timeMs: atMs, payload } = record;
  const event = byKind.get(`${store} ${kind}`)?.happened(payload as Readonly<Record<string, unknown>>, record);
  if (event !== undefined) add(events, { ...event, atMs, store, seq });
}

export const eventsSince = (events: RecentEvents, nowMs: number): readonly RecentEvent[] =>
  events.filter(({ atMs }) => nowMs - atMs <= EVENTS_MS);

/** A projection for each store that has such events, by name. @param events  where they are kept */
export function recentEvents(events: RecentEvents): Readonly<Record<string, Projection<RecentEvents>>> {
  const stores = [...new Set(noted.map(({ store }) => store))];
  return Object.fromEntries(stores.map((store) => [`events of ${store}`, eventsIn(store, events)]));
}

function eventsIn(store: string, events: RecentEvents): Projection<RecentEvents> {
  const kinds = noted.filter((it) => it.store === store).map(({ kind }) => kind);
  return defineProjection({
    store,
    kinds: Object.fromEntries(kinds.map((kind) => [kind, z.unknown()])),
    start: () => events,
    folds: Object.fromEntries(
      kinds.map((kind) => [kind, (_: RecentEvents, _payload: unknown, record: Recorded) => noteEvent(events, record)]),
    ),
    others: { because: 'it says nothing of note about the last day' },
    window: { lastMs: EVENTS_MS },
    cached: {
      version: 1,
      schema: z.array(Event),
      keep: () => events.filter((it) => it.store === store),
      restore: (_, kept) => {
        for (const event of kept) add(events, event);
      },
    },
  });
}
