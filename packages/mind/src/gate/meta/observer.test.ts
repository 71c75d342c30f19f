import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import type { NormativeVerdict } from '../calculus/floors.ts';
import type { Detector, Intervention, Observation, ObserverSettings } from './observation.ts';
import { factorAt, interventionFor, Observer, OBSERVED_MS, type Finding } from './observer.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const settings: ObserverSettings = {
  enabled: true,
  window: 50,
  cyclesPerMinute: 30,
  tightenFactor: 0.85,
  factorMin: 0.2,
  halfLifeMs: 6 * HOUR_MS,
  cooldownMs: 5000,
};

type Seen = 'Accept' | 'Modify' | 'Reject' | number;

/** Runs one after the other, each with a verdict, or with a score that was accepted. */
class Watched {
  readonly observer: Observer;
  readonly wrong = new Map<string, number>();
  nowMs = Date.UTC(2030, 0, 1);
  #runs = 0;
  #cycles = 0;

  constructor(changed: Partial<ObserverSettings> = {}) {
    this.observer = new Observer({ ...settings, ...changed });
  }

  cycle(seen: Seen, laterMs = MINUTE_MS, judged: Observation['judged'] = []): Finding {
    this.#runs += 1;
    return this.more(seen, laterMs, judged);
  }

  /** One more cycle of the newest run. */
  more(seen: Seen, laterMs = 0, judged: Observation['judged'] = []): Finding {
    this.nowMs += laterMs;
    const decision = typeof seen === 'number' ? { verdict: 'Accept' as const, score: seen } : { verdict: seen };
    const runId = `r${this.#runs}`;
    const observation = {
      runId,
      cycleId: `${runId}-c${(this.#cycles += 1)}`,
      atMs: this.nowMs,
      decisions: [{ gate: 'Tool' as const, ...decision }],
      judged,
      tokens: 100,
      toolCalls: 1,
    };
    return this.observer.take(observation, this.wrong);
  }

  cycles(...seen: readonly Seen[]): Finding {
    const findings = seen.map((it) => this.cycle(it));
    const last = findings.at(-1);
    if (last === undefined) throw new Error('no cycle');
    return last;
  }

  get factor(): number {
    return this.observer.hold(this.nowMs).tightening ?? 1;
  }
}

describe('a detector', () => {
  const table: readonly (readonly [string, readonly Seen[], readonly Detector[]])[] = [
    ['four elevated of six', [0.2, 0.3, 0.1, 0.1, 0.4, 0.2], []],
    ['five elevated of six', [0.2, 0.3, 0.1, 0.2, 0.4, 0.2], ['CumulativeRisk']],
    ['five elevated, but the newest is calm', [0.2, 0.3, 0.2, 0.4, 0.2, 0.1], []],
    ['two rejections', ['Reject', 'Accept', 'Reject'], []],
    ['three rejections', ['Reject', 'Accept', 'Reject', 'Accept', 'Reject'], ['RepeatedRejections']],
    ['three rejections, the first too long ago', ['Reject', ...acceptances(9), 'Reject', 'Reject'], []],
    ['two modified cycles', ['Modify', 'Accept', 'Modify'], []],
    ['three modified cycles', ['Modify', 'Accept', 'Modify', 'Modify'], ['RepeatedModifications']],
    ['nothing', acceptances(50), []],
  ];

  for (const [name, seen, found] of table)
    verifies('meta:detectors', `${name}: ${found.join(', ') || 'nothing'}`, () => {
      expect(new Watched().cycles(...seen).detectors).toEqual(found);
    });

  verifies(
    'meta:runs-are-counted',
    'eight Tasks in a row at 0.30 are a cumulative risk, each with six calm cycles',
    () => {
      const watched = new Watched();
      const found = Array.from({ length: 8 }, () => {
        watched.cycle(0.3);
        return Array.from({ length: 6 }, () => watched.more(0)).at(-1)?.detectors;
      });
      expect(found).toEqual([[], [], [], [], ...Array.from({ length: 4 }, () => ['CumulativeRisk'])]);
      expect(watched.factor).toBeCloseTo(0.85 ** 4, 1);
    },
  );

  verifies('meta:runs-are-counted', 'six ordinary Tasks within a minute, seven cycles each, are not too many', () => {
    const watched = new Watched();
    for (let run = 0; run < 6; run += 1) {
      expect(watched.cycle('Accept', 10_000).detectors).toEqual([]);
      for (let cycle = 0; cycle < 6; cycle += 1) expect(watched.more('Accept').detectors).toEqual([]);
    }
  });

  verifies('meta:runs-are-counted', 'causes each intervention once in a run', () => {
    const watched = new Watched();
    watched.cycles('Modify', 'Modify');
    expect(watched.cycle('Modify').intervention).toBe('Tighten');
    expect(watched.more('Modify')).toMatchObject({ detectors: ['RepeatedModifications'], intervention: 'None' });
    expect(watched.factor).toBeCloseTo(0.85);
    watched.more('Reject');
    watched.more('Reject');
    expect(watched.more('Reject').intervention).toBe('Cooldown');
    expect(watched.more('Reject').intervention).toBe('None');
  });

  verifies('meta:detectors', 'leaves out rejections that a person called wrong, and finds that they are many', () => {
    const watched = new Watched();
    watched.cycles('Reject', 'Reject');
    watched.wrong.set('r1', 1).set('r2', 1);
    expect(watched.cycle('Reject').detectors).toEqual(['FalsePositives']);
    expect(watched.cycle('Reject').detectors).toEqual([]);
    const few = new Watched();
    few.wrong.set('r1', 1);
    expect(few.cycles('Reject', 'Reject').detectors).toEqual([]);
  });

  verifies('meta:virtue-drift', 'finds that the norms hold back more and more, where they held back the newest', () => {
    const watched = new Watched();
    const judge = (...verdicts: readonly NormativeVerdict[]): Finding =>
      watched.cycle(
        'Accept',
        MINUTE_MS,
        verdicts.map((verdict, at) => ({ verdict, axioms: [`axiom-${at}`] })),
      );
    expect(judge('Flourishing', 'Flourishing', 'Flourishing').detectors).toEqual([]);
    expect(judge('Constrained').detectors).toEqual([]);
    expect(judge('Prohibited')).toMatchObject({ detectors: ['HighProhibitionRate'], intervention: 'Escalate' });
    expect(judge('Flourishing')).toMatchObject({ detectors: [], intervention: 'None' });
    expect(judge().detectors).toEqual([]);
  });

  it('forgets runs that are older than 7 days', () => {
    const watched = new Watched();
    watched.cycles('Reject', 'Reject');
    expect(watched.cycle('Reject', OBSERVED_MS).detectors).toEqual([]);
  });

  verifies(
    'meta:rate-is-of-time',
    'counts runs that began within the last minute, and no more once they are slow',
    () => {
      const watched = new Watched();
      const fast = Array.from({ length: 31 }, () => watched.cycle('Accept', 1000).detectors);
      expect(fast.slice(0, 30).flat()).toEqual([]);
      expect(fast.at(-1)).toEqual(['Rate']);
      watched.nowMs += MINUTE_MS;
      const slow = Array.from({ length: 100 }, () => watched.cycle('Accept', 3000).detectors);
      expect(slow.flat()).toEqual([]);
    },
  );

  verifies('meta:rate-is-of-time', 'counts as many as it takes, although fewer runs are remembered', () => {
    const watched = new Watched({ window: 10, cyclesPerMinute: 40 });
    const last = Array.from({ length: 41 }, () => watched.cycle('Accept', 1000)).at(-1);
    expect(last?.detectors).toEqual(['Rate']);
  });
});

function acceptances(count: number): readonly Seen[] {
  return Array.from({ length: count }, () => 'Accept');
}

describe('what is done', () => {
  const table: readonly (readonly [readonly Detector[], Intervention])[] = [
    [['Rate', 'CumulativeRisk', 'RepeatedRejections', 'FalsePositives'], 'Escalate'],
    [['RepeatedRejections', 'OverRestriction'], 'Escalate'],
    [['Rate', 'RepeatedRejections', 'CumulativeRisk'], 'Escalate'],
    [['RepeatedRejections', 'CumulativeRisk'], 'Cooldown'],
    [['CumulativeRisk'], 'Tighten'],
    [['Rate', 'RepeatedModifications'], 'Tighten'],
    [['Rate'], 'Caution'],
    [[], 'None'],
  ];

  for (const [found, intervention] of table)
    verifies('meta:first-match', `${found.join(', ') || 'nothing'}: ${intervention}`, () => {
      expect(interventionFor(found)).toBe(intervention);
    });

  it('cautions for a minute', () => {
    const watched = new Watched({ cyclesPerMinute: 1 });
    watched.cycle('Accept', 1000);
    watched.cycle('Accept', 1000);
    expect(watched.observer.hold(watched.nowMs).caution).toMatch(/Many Tasks/);
    expect(watched.observer.hold(watched.nowMs + MINUTE_MS)).toEqual({});
  });

  verifies('meta:cooldown-is-a-state', 'holds the next cycle until a moment, also where the clock goes back', () => {
    const watched = new Watched();
    watched.cycles('Reject', 'Reject', 'Reject');
    expect(watched.observer.coolUntilMs(watched.nowMs)).toBe(watched.nowMs + 5000);
    expect(watched.observer.coolUntilMs(watched.nowMs + 5000)).toBeUndefined();
    expect(watched.observer.coolUntilMs(watched.nowMs - HOUR_MS)).toBeUndefined();
  });

  it('does nothing where it is turned off', () => {
    const watched = new Watched({ enabled: false });
    expect(watched.cycles('Reject', 'Reject', 'Reject', 'Modify', 'Modify', 'Modify')).toMatchObject({
      intervention: 'None',
    });
    expect(watched.observer.hold(watched.nowMs)).toEqual({});
  });
});

describe('tightening', () => {
  verifies(
    'meta:tightening-decays',
    'multiplies, comes back by half with each half-life, and is over in the end',
    () => {
      const watched = new Watched();
      watched.cycles('Modify', 'Modify', 'Modify');
      expect(watched.factor).toBeCloseTo(0.85);
      watched.nowMs += 6 * HOUR_MS;
      expect(watched.factor).toBeCloseTo(0.925);
      watched.nowMs += 48 * HOUR_MS;
      expect(watched.factor).toBe(1);
    },
  );

  verifies(
    'meta:tightening-decays',
    'a thousand firings end at the floor, and no restart is needed to come back',
    () => {
      const watched = new Watched();
      for (let cycle = 0; cycle < 1000; cycle += 1) watched.cycle('Modify', 1000);
      expect(watched.factor).toBeCloseTo(0.2);
      watched.nowMs += 60 * HOUR_MS;
      expect(watched.factor).toBe(1);
    },
  );

  verifies('meta:tightening-decays', 'never loosens, whatever happens', () => {
    const seen = fc.oneof(
      fc.constantFrom<Seen>('Accept', 'Modify', 'Reject'),
      fc.double({ min: 0, max: 1, noNaN: true }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(seen, fc.integer({ min: -HOUR_MS, max: HOUR_MS })), { maxLength: 100 }),
        (cycles) => {
          const watched = new Watched();
          for (const [it, laterMs] of cycles) {
            watched.cycle(it, laterMs);
            expect(watched.factor).toBeLessThanOrEqual(1);
            expect(watched.factor).toBeGreaterThan(0.199);
          }
        },
      ),
    );
  });

  it('is told as a function of the time that passed', () => {
    expect(factorAt(undefined, 0, HOUR_MS)).toBe(1);
    expect(factorAt({ factor: 0.5, atMs: 0 }, HOUR_MS, HOUR_MS)).toBeCloseTo(0.75);
    expect(factorAt({ factor: 0.5, atMs: HOUR_MS }, 0, HOUR_MS)).toBe(0.5);
  });
});
