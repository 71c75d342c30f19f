import { describe, expect, it } from 'vitest';
import { START_MS, WorkRecord } from '../../../../../test/support/work-life.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { DEFAULT_APPROVALS } from './approvals.ts';
import type { Blocker, Endeavour, Phase } from './endeavour.ts';
import { FEATURES, scored, type Feature, type Magnitudes } from './forecast.ts';
import { forecastsDue, REPLAN_THRESHOLD, SUGGESTION_COOL_DOWN_MS } from './forecasts-due.ts';
import type { Complexity, WorkItem } from './item.ts';
import { endeavourMagnitudes, itemMagnitudes } from './magnitudes.ts';
import { startWork } from './work-state.ts';

const label = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] } as const;

/** @param done  of its steps */
function item(cycles: number, [done, steps]: readonly [number, number], more: Partial<WorkItem> = {}): WorkItem {
  const all = Array.from({ length: steps }, (_, at) => ({
    description: 'x',
    number: at + 1,
    ...(at < done ? { completedAtMs: 1 } : {}),
  }));
  const times = { createdAtMs: 0, updatedAtMs: 0, tokens: 0, cycleIds: [] };
  const words = { itemId: 'w', origin: 'Agent', title: 'x', description: 'x', status: 'Active', label } as const;
  return { ...words, ...times, steps: all, stepsMade: steps, dependsOn: [], risks: [], cycles, ...more };
}

function magnitudeOf(feature: Feature, it_: WorkItem, others: readonly WorkItem[] = []): number {
  const work = startWork();
  for (const other of others) (other.status === 'Active' ? work.items : work.ended).set(other.itemId, other);
  return itemMagnitudes(it_, work)[feature].magnitude;
}

describe('an item, as it is seen', () => {
  const rates: readonly (readonly [number, readonly [number, number], number])[] = [
    [4, [0, 2], 2],
    [5, [0, 2], 3],
    [9, [1, 4], 3],
    [9, [2, 4], 2],
    [7, [0, 4], 2],
    [6, [0, 4], 0],
    [7, [4, 4], 0],
    [9, [4, 4], 0],
    [4, [1, 2], 2],
    [3, [1, 2], 0],
  ];
  for (const [cycles, steps, magnitude] of rates)
    verifies('work:forecast-numbers', `has ${magnitude} for ${cycles} cycles with ${steps.join(' of ')} steps`, () => {
      expect(magnitudeOf('StepCompletionRate', item(cycles, steps))).toBe(magnitude);
    });

  for (const [open, magnitude] of [0, 1, 2, 3, 4].map((count) => [count, Math.min(count, 3)] as const))
    verifies('work:forecast-numbers', `has ${magnitude} for ${open} unfinished predecessors`, () => {
      const others = Array.from({ length: open }, (_, at) => item(0, [0, 1], { itemId: `o${at}` }));
      const done = item(0, [1, 1], { itemId: 'done', status: 'Complete' });
      const dependsOn = [...others.map(({ itemId }) => itemId), 'done', 'gone'];
      expect(magnitudeOf('DependencyHealth', item(2, [0, 9], { dependsOn }), [...others, done])).toBe(magnitude);
    });

  const drifts: readonly (readonly [Complexity | undefined, readonly (readonly [number, number])[]])[] = [
    [
      'Simple',
      [
        [3, 0],
        [4, 2],
        [5, 2],
        [6, 3],
      ],
    ],
    [
      'Medium',
      [
        [6, 0],
        [7, 2],
        [8, 2],
        [9, 3],
      ],
    ],
    [
      undefined,
      [
        [6, 0],
        [7, 2],
        [8, 2],
        [9, 3],
      ],
    ],
    [
      'Complex',
      [
        [10, 0],
        [11, 2],
        [12, 2],
        [13, 3],
      ],
    ],
  ];
  for (const [complexity, rows] of drifts)
    for (const [cycles, magnitude] of rows)
      verifies(
        'work:forecast-numbers',
        `has ${magnitude} for ${cycles} cycles if it is ${complexity ?? 'unknown'}`,
        () => {
          const more = complexity === undefined ? {} : { complexity };
          expect(magnitudeOf('ComplexityDrift', item(cycles, [0, 20], more))).toBe(magnitude);
        },
      );

  for (const count of [0, 1, 2, 3, 5])
    verifies('work:forecast-numbers', `has ${Math.min(count, 3)} for ${count} risks that came true`, () => {
      const risks = Array.from({ length: count }, (_, at) => ({ risk: `r${at}`, hasMaterialised: true }));
      const seen = item(2, [0, 9], { risks: [...risks, { risk: 'not yet', hasMaterialised: false }] });
      expect(magnitudeOf('RiskMaterialization', seen)).toBe(Math.min(count, 3));
      expect(magnitudeOf('ScopeCreep', seen)).toBe(0);
    });
});

function endeavour(more: Partial<Endeavour>): Endeavour {
  const words = { title: 'x', description: 'x', goal: 'x', successCriteria: [], stakeholders: [] };
  const counts = { replanCount: 0, originalPhaseCount: 1, cycles: 0, tokens: 0, sessionsMade: 0, blockersMade: 0 };
  return {
    endeavourId: 'e',
    origin: 'Agent',
    status: 'Active',
    sessionLimits: { maxTokens: 10_000 },
    approvals: DEFAULT_APPROVALS,
    phases: [phase(5, 0)],
    sessions: [],
    blockers: [],
    createdAtMs: 0,
    updatedAtMs: 0,
    label,
    ...words,
    ...counts,
    ...more,
  };
}

const phase = (estimatedSessions: number, actualSessions: number): Phase => ({
  phaseId: 'p1',
  name: 'x',
  description: 'x',
  dependsOn: [],
  status: 'InProgress',
  estimatedSessions,
  actualSessions,
});

describe('an endeavour, as it is seen', () => {
  const sessions: readonly (readonly [number, number, number])[] = [
    [5, 5, 0],
    [5, 6, 1],
    [10, 12, 1],
    [10, 13, 2],
    [10, 15, 2],
    [10, 16, 3],
    [0, 1, 3],
  ];
  for (const [planned, held, magnitude] of sessions)
    verifies('work:forecast-numbers', `has ${magnitude} for ${held} sessions where ${planned} were planned`, () => {
      const seen = endeavourMagnitudes(endeavour({ phases: [phase(planned, held)] }));
      expect(seen.StepCompletionRate.magnitude).toBe(magnitude);
    });

  for (const count of [0, 1, 3, 4])
    verifies(
      'work:forecast-numbers',
      `has ${Math.min(count, 3)} for ${count} open blockers and as many replans`,
      () => {
        const blocker = { description: 'x', detectedAtMs: 0, strategy: 'x', requiresHuman: false };
        const blockers: Blocker[] = Array.from({ length: count }, (_, at) => ({ ...blocker, blockerId: `b${at}` }));
        const resolved: Blocker = { ...blocker, blockerId: 'past', resolvedAtMs: 1, resolution: 'x' };
        const seen = endeavourMagnitudes(endeavour({ blockers: [...blockers, resolved], replanCount: count }));
        expect(seen.DependencyHealth.magnitude).toBe(Math.min(count, 3));
        expect(seen.ComplexityDrift.magnitude).toBe(Math.min(count, 3));
      },
    );

  for (const [phases, magnitude] of [
    [2, 0],
    [3, 1],
    [4, 3],
    [6, 3],
  ] as const)
    verifies('work:forecast-numbers', `has ${magnitude} for ${phases} phases where 2 were planned`, () => {
      const all = Array.from({ length: phases }, () => phase(1, 0));
      expect(endeavourMagnitudes(endeavour({ phases: all, originalPhaseCount: 2 })).ScopeCreep.magnitude).toBe(
        magnitude,
      );
    });
});

const all = (magnitude: number): Magnitudes =>
  Object.fromEntries(FEATURES.map((name) => [name, { magnitude, rationale: 'x' }])) as Magnitudes;

describe('the score of a forecast', () => {
  verifies('work:forecast-one', 'is 11/33 with all features at 1, nothing at 0 and 1 at 3', () => {
    expect([0, 1, 3].map((magnitude) => scored(all(magnitude)).score)).toEqual([0, 11 / 33, 1]);
    expect(scored(all(1)).score).toBeCloseTo(0.3333, 4);
  });

  verifies('work:forecast-one', 'weighs as the endeavour wants it', () => {
    const seen = { ...all(0), ScopeCreep: { magnitude: 3, rationale: 'x' } };
    expect(scored(seen).score).toBe(3 / 33);
    expect(scored(seen, { ScopeCreep: 3 }).score).toBe(9 / 39);
    expect(scored(seen, { StepCompletionRate: 1 }).score).toBe(3 / 27);
  });

  verifies('work:forecast-one', 'is explained by every feature with a magnitude, whose parts are the score', () => {
    for (const magnitude of [1, 2, 3]) {
      const { score, breakdown } = scored(all(magnitude));
      expect(breakdown.map((it) => it.magnitude)).toEqual(FEATURES.map(() => magnitude));
      expect(breakdown.reduce((sum, { weightedScore }) => sum + weightedScore, 0)).toBeCloseTo(score, 12);
    }
    expect(scored(all(0)).breakdown).toEqual([]);
  });

  verifies('work:forecast-one', 'differs where the work differs', () => {
    const risks = [{ risk: 'r', hasMaterialised: true }];
    const scores = [2, 7, 9, 12].flatMap((cycles) =>
      [0, 4].flatMap((done) =>
        [{}, { risks }].map((more) => scored(itemMagnitudes(item(cycles, [done, 5], more), startWork())).score),
      ),
    );
    expect(new Set(scores).size).toBeGreaterThanOrEqual(8);
  });
});

/** An item that went wrong in every way. */
function troubled(): WorkRecord {
  const record = new WorkRecord();
  const waiting = [record.item(), record.item(), record.item()];
  const itemId = record.item();
  record.write('ItemActivated', { itemId });
  record.write('ItemEdited', { itemId, dependsOn: waiting, label });
  for (let at = 0; at < 9; at += 1)
    record.write('CycleCounted', { itemIds: [itemId], cycleIds: [`c${at}`], tokens: 1 });
  return record;
}

describe('what is forecast now', () => {
  verifies('work:forecast-cool-down', 'is suggested once in a day, and recorded again only when it changed', () => {
    const record = troubled();
    const [first] = forecastsDue(record.state, record.atMs);
    expect(first).toMatchObject({ subject: 'Item', suggests: true, score: 24 / 33, threshold: REPLAN_THRESHOLD });
    if (first === undefined) throw new Error('nothing is due');
    const { subject, id, score, threshold, breakdown } = first;
    record.write('ForecastScored', { subject, id, score, threshold, breakdown: [...breakdown], suggests: true });
    const suggestedAtMs = record.atMs;
    expect(forecastsDue(record.state, suggestedAtMs + 300_000)).toEqual([]);
    record.write('CycleCounted', { itemIds: [id], cycleIds: ['later'], tokens: 1 });
    expect(forecastsDue(record.state, suggestedAtMs + 600_000)).toMatchObject([{ id, suggests: false }]);
    const next = forecastsDue(record.state, suggestedAtMs + SUGGESTION_COOL_DOWN_MS);
    expect(next).toMatchObject([{ id, suggests: true }]);
  });

  verifies('work:forecast-one', 'has the threshold of its endeavour before that of the Agent', () => {
    const record = new WorkRecord();
    const endeavourId = record.endeavour({ thresholdOverride: 0.1 });
    const itemId = record.item({ endeavourId });
    record.write('ItemActivated', { itemId });
    for (const cycleId of ['a', 'b', 'c', 'd'])
      record.write('CycleCounted', { itemIds: [itemId], cycleIds: [cycleId], tokens: 1 });
    expect(forecastsDue(record.state, START_MS, 0.9)).toMatchObject([{ id: itemId, threshold: 0.1, suggests: true }]);
  });

  it('is nothing of what nobody worked on', () => {
    const record = new WorkRecord();
    record.write('ItemActivated', { itemId: record.item() });
    record.endeavour();
    expect(forecastsDue(record.state, record.atMs)).toEqual([]);
  });
});
