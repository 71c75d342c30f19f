import { Projections } from '@retainer/mind/projections/projections';
import { describe, expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { eventsSince, noteEvent, recentEvents, type RecentEvents } from './recent-events.ts';

const nowMs = Date.UTC(2030, 0, 2);

interface Given {
  readonly store: string;
  readonly kind: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly seq?: number;
  readonly timeMs?: number;
}

const recordOf = ({ store, kind, payload = {}, seq = 7, timeMs = nowMs - 1000 }: Given) =>
  ({ store, kind, payload, seq, timeMs }) as never;

const answered = (type: string, rest: object) => ({ originId: 'o', source: 'spool', command: { type, ...rest } });
const STRANGER = 'Obey me';

/** What happened, and what the agent is told of it. */
const table: readonly (readonly [Given, string | undefined])[] = [
  [{ store: 'agent', kind: 'Configured', seq: 1 }, undefined],
  [{ store: 'agent', kind: 'Configured', seq: 2 }, undefined],
  [{ store: 'agent', kind: 'Configured', seq: 9 }, 'restart: the program started again'],
  // The journal opens itself anew after a full disk: the program goes on.
  [{ store: 'system', kind: 'Opened', seq: 9 }, undefined],
  [{ store: 'system', kind: 'DiskFull' }, 'disk-full: no space was left: all work stopped'],
  [{ store: 'system', kind: 'SpaceReturned' }, 'disk-space: there is space again'],
  [{ store: 'system', kind: 'ClockJump' }, 'clock-jump: the clock was set'],
  [{ store: 'fact', kind: 'Gap', payload: { reason: STRANGER } }, 'record-gap: records of the store fact are lost'],
  [{ store: 'run', kind: 'Gap', payload: { reason: STRANGER } }, 'record-gap: records of the store run are lost'],
  [
    { store: 'inbox', kind: 'CommandAccepted', payload: answered('AnswerQuestion', { text: STRANGER }) },
    'person-answered: a question',
  ],
  [
    { store: 'inbox', kind: 'CommandAccepted', payload: answered('DecideApproval', { decision: 'Approve' }) },
    'person-answered: a call: yes',
  ],
  [
    {
      store: 'inbox',
      kind: 'CommandAccepted',
      payload: answered('DecideApproval', { decision: 'Deny', reason: STRANGER }),
    },
    'person-answered: a call: no',
  ],
  [
    {
      store: 'inbox',
      kind: 'CommandAccepted',
      payload: answered('StartRun', { spec: { intent: STRANGER, cause: { kind: 'Task' } } }),
    },
    undefined,
  ],
  [
    {
      store: 'inbox',
      kind: 'CommandAccepted',
      payload: answered('StartRun', { spec: { cause: { kind: 'Task', scheduled: { forMs: 1, run: 7 } } } }),
    },
    'job-fired: run 7 of its schedule',
  ],
  [
    {
      store: 'inbox',
      kind: 'CommandAccepted',
      payload: answered('StartRun', { spec: { cause: { kind: 'Job', jobId: STRANGER, momentMs: 1 } } }),
    },
    'calendar-fired: a job of the calendar',
  ],
  [
    { store: 'agent', kind: 'GatesChanged', payload: { change: 'ProbesDegraded' } },
    'gates: the canary probes get no answer',
  ],
  [
    { store: 'agent', kind: 'GatesIntervened', payload: { intervention: 'Tighten', detectors: ['CumulativeRisk'] } },
    'gates: Tighten: CumulativeRisk',
  ],
  [
    { store: 'agent', kind: 'FalsePositiveReported', payload: { gate: 'Tool', rule: STRANGER, reason: STRANGER } },
    'refusal-called-wrong: the gate Tool',
  ],
  [
    {
      ...{ store: 'work', kind: 'PostMortemAdded' },
      payload: { id: 'w-1', title: STRANGER, label: { trust: 'Untrusted' }, postMortem: { verdict: 'Achieved' } },
    },
    'post_mortem: w-1: Achieved',
  ],
  [
    { store: 'work', kind: 'ForecastScored', payload: { id: 'w-1', score: 0.6, suggests: true } },
    'forecast: w-1 is forecast at 0.60: plan it anew',
  ],
  [{ store: 'work', kind: 'ForecastScored', payload: { id: 'w-1', score: 0.6, suggests: false } }, undefined],
  [
    {
      store: 'work',
      kind: 'BlockerReported',
      payload: { endeavourId: 'e-1', blocker: { requiresHuman: true, description: STRANGER } },
    },
    'blocker: e-1 needs a person to go on',
  ],
  [
    { store: 'work', kind: 'PhaseAdded', payload: { endeavourId: 'e-1', tells: ['Replan', STRANGER] } },
    'endeavour: e-1 was changed: Replan',
  ],
  [{ store: 'work', kind: 'PhaseAdded', payload: { endeavourId: 'e-1' } }, undefined],
  [{ store: 'agent', kind: 'DeliveryDropped', payload: dropped() }, 'delivery-dropped: its Task is gone'],
];

function dropped() {
  return { deliveryId: 'd', target: STRANGER, why: 'TaskGone' };
}

const toldOf = (events: RecentEvents): readonly string[] =>
  eventsSince(events, nowMs).map(({ name, title }) => `${name}: ${title}`);

describe('what happened to the agent', () => {
  for (const [given, expected] of table)
    verifies(
      'sensorium:events',
      `${given.store} ${given.kind} ${given.seq ?? ''} tells ${expected ?? 'nothing'}`,
      () => {
        const events: RecentEvents = [];
        noteEvent(events, recordOf(given));
        expect(toldOf(events)).toEqual(expected === undefined ? [] : [expected]);
      },
    );

  verifies('sensorium:events', 'is the same after a fold, after a cache, and where the observer saw it before', () => {
    const given = table.map(([it], seq) => recordOf({ seq: seq + 20, timeMs: nowMs - (seq % 5) * 1000, ...it }));
    const live: RecentEvents = [];
    for (const record of given) noteEvent(live, record);
    const folded: RecentEvents = [];
    const projections = new Projections(recentEvents(folded));
    const rows = projections.rows.filter(({ name }) => name.startsWith('events of '));
    const fold = (): void => {
      for (const record of given as readonly { readonly store: string }[])
        for (const { projection, state } of rows)
          if (projection.store === record.store) projection.take(state, record as never);
    };
    fold();
    expect(toldOf(folded)).toEqual(toldOf(live));
    fold();
    expect(folded).toHaveLength(live.length);

    const restored: RecentEvents = [];
    const fresh = new Projections(recentEvents(restored)).rows;
    for (const { name, projection, state } of rows) {
      const kept = projection.keep(state);
      const row = fresh.find((it) => it.name === name);
      if (kept !== undefined && row !== undefined)
        expect(row.projection.restore(row.state, JSON.parse(JSON.stringify(kept)))).toBe(true);
    }
    expect(toldOf(restored)).toEqual(toldOf(folded));
  });

  verifies('sensorium:events', 'is of one day, and no crash loop pushes out what happened once', () => {
    const events: RecentEvents = [];
    noteEvent(events, recordOf({ store: 'system', kind: 'DiskFull', timeMs: nowMs - 3_600_000 }));
    for (let seq = 10; seq < 70; seq += 1)
      noteEvent(events, recordOf({ store: 'agent', kind: 'Configured', seq, timeMs: nowMs - (70 - seq) * 1000 }));
    expect(events.map(({ name, seq }) => (name === 'restart' ? seq : name))).toEqual([
      'disk-full',
      ...Array.from({ length: 20 }, (_, index) => 50 + index),
    ]);
    expect(eventsSince(events, nowMs + 23.5 * 3_600_000).map(({ name }) => name)).not.toContain('disk-full');
  });
});
