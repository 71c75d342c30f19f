import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unlimited, unobserved } from '../../../test/support/crash-world.ts';
import { cycleSpec, drawn } from '../../../test/support/cycles.ts';
import { MemoryJournal } from '../../../test/support/memory-journal.ts';
import { verifies } from '../../../test/verifies.ts';
import { THINKING_ROLES } from '@retainer/contract/api/roles';
import type { CycleEvent, CycleSpec } from '@retainer/mind/cycle/event';
import type { PolicyRecord } from '@retainer/mind/gate/chain/gate-record';
import type { Finding } from '@retainer/mind/gate/meta/observer';
import type { KeptForm } from '@retainer/mind/part/projection';
import { Projections } from '@retainer/mind/projections/projections';
import { startWith } from './cycle-start.ts';
import { foldRecord } from './fold-record.ts';
import { Oversight } from './oversight.ts';

const atMs = Date.UTC(2030, 0, 1);
const characterDigest = 'c'.repeat(64);

interface Step {
  readonly afterMs: number;
  readonly verdicts: readonly ('Accept' | 'Modify' | 'Reject')[];
  readonly isOverruled: boolean;
}

/** The spec of a cycle that begins at this moment. */
const startedNow = (oversight: Oversight, nowMs: number, changed: Partial<CycleSpec> = {}): CycleSpec =>
  startWith(cycleSpec(changed), [oversight.atStart(cycleSpec(changed), nowMs)]).spec;

class Watched {
  readonly findings: Finding[] = [];
  readonly oversight: Oversight;
  nowMs: number;
  #cycles: number;

  /** @param earlier  the process before it */
  constructor(observer: Partial<(typeof unobserved)['observer']> = {}, earlier?: Watched) {
    this.nowMs = earlier?.nowMs ?? atMs;
    this.#cycles = earlier === undefined ? 0 : earlier.#cycles;
    const settings = { ...unobserved, observer: { ...unobserved.observer, enabled: true, ...observer } };
    this.oversight = new Oversight(
      settings,
      () => 0,
      (finding) => this.findings.push(finding),
    );
  }

  /** Takes what a cache kept of another. */
  restore({ oversight }: Watched): void {
    const kept = JSON.parse(JSON.stringify(oversight.projection.keep(oversight))) as KeptForm;
    expect(this.oversight.projection.restore(this.oversight, kept)).toBe(true);
  }

  play(steps: readonly Step[]): void {
    for (const { afterMs, verdicts, isOverruled } of steps) {
      this.nowMs += afterMs;
      const digest = 'd'.repeat(64);
      const override = { of: 'work', rule: 'r', subjectDigest: digest, by: 'ann', reason: 'fine', coversTask: false };
      const decided = verdicts.map((kind) => ({ ...verdict(kind), argumentsDigest: digest }) as CycleEvent);
      const granted = isOverruled ? [verdict('Escalate', 'override/granted')] : [];
      const call = { callId: 'c', tool: 't', input: {}, argumentsDigest: digest, effectClass: 1 };
      const called: CycleEvent = { kind: 'ToolRequested', ...call };
      this.cycleOf(isOverruled ? { override } : {}, called, ...decided, ...granted);
    }
  }

  cycle(...events: readonly CycleEvent[]): void {
    this.cycleOf({}, ...events);
  }

  cycleOf(changed: Partial<CycleSpec>, ...events: readonly CycleEvent[]): void {
    const cycleId = `r-c${(this.#cycles += 1)}`;
    this.nowMs += 1000;
    const spec = startedNow(this.oversight, this.nowMs, { cycleId, runId: cycleId, ...changed });
    this.oversight.take(cycleId, [
      { kind: 'CycleStarted', atMs: this.nowMs, spec, characterDigest, ...drawn },
      ...events,
    ]);
    this.oversight.take(cycleId, [{ kind: 'CycleEnded', outcome: 'Replied', text: '' }]);
  }
}

const verdict = (kind: 'Accept' | 'Modify' | 'Escalate' | 'Reject', rule = 'r'): CycleEvent => {
  return { kind: 'GateDecided', gate: 'Tool', verdict: kind, rule, reason: '', characterDigest };
};

describe('what holds for a cycle that begins', () => {
  verifies('meta:tightening-decays', 'is what the cycles before it led to', () => {
    const watched = new Watched();
    for (let cycle = 0; cycle < 3; cycle += 1) watched.cycle(verdict('Modify'));
    expect(watched.findings.map((it) => it.intervention)).toEqual(['Tighten']);
    const { tightening, ...spec } = startedNow(watched.oversight, watched.nowMs);
    expect(tightening).toBeCloseTo(0.85);
    expect(spec).toEqual(cycleSpec());
    expect(startedNow(watched.oversight, watched.nowMs + 7 * 86_400_000)).toEqual(cycleSpec());
  });

  verifies('curator:roles', 'warns whoever works, and nobody who judges', () => {
    const watched = new Watched({ cyclesPerMinute: 2 });
    for (let cycle = 0; cycle < 3; cycle += 1) watched.cycle(verdict('Accept'));
    const told = THINKING_ROLES.filter((role) => watched.oversight.atStart({ role }, watched.nowMs).told !== undefined);
    expect(told).toEqual(['Perceiver', 'Planner', 'Executor']);
  });

  it('has a line for the model where cycles come too fast, behind what a provider keeps', () => {
    const watched = new Watched({ cyclesPerMinute: 2 });
    for (let cycle = 0; cycle < 3; cycle += 1) watched.cycle(verdict('Accept'));
    const { system } = startedNow(watched.oversight, watched.nowMs);
    expect(system).toEqual([
      ...cycleSpec().system,
      { text: expect.stringContaining('Many Tasks'), cache: false, varies: true },
    ]);
  });

  verifies('meta:detectors', 'comes from scores of accepted verdicts, too', () => {
    const watched = new Watched();
    const scored = (score: number): CycleEvent => ({ ...verdict('Accept'), record: { score } }) as CycleEvent;
    for (const score of [0.3, 0.2, 0.25, 0.3]) watched.cycle(scored(score));
    expect(watched.findings).toEqual([]);
    watched.cycle(scored(0.2));
    expect(watched.findings).toMatchObject([{ intervention: 'Tighten', detectors: ['CumulativeRisk'] }]);
  });

  verifies('meta:virtue-drift', 'asks for a person where the calculus holds back by the same axiom', () => {
    const watched = new Watched();
    const weighed = (kind: 'Accept' | 'Modify' | 'Reject', changed: Partial<PolicyRecord> = {}): CycleEvent => {
      const policy = { verdict: kind, decidedBy: 'floor', isWeighed: true, shortTrail: ['axiom'], ...changed };
      return { ...verdict('Accept'), record: { score: 0.1, policies: [policy] } } as unknown as CycleEvent;
    };
    watched.cycle(weighed('Accept'), weighed('Accept'), weighed('Accept'), weighed('Accept'), weighed('Accept'));
    watched.cycle(weighed('Modify'), weighed('Modify'));
    watched.cycle(weighed('Reject', { isWeighed: false }), weighed('Reject', { decidedBy: 'reactive' }));
    expect(watched.findings).toEqual([]);
    watched.cycle(weighed('Modify'));
    expect(watched.findings).toMatchObject([{ intervention: 'Escalate', detectors: ['RepeatedAxiom'] }]);
  });

  verifies('meta:detectors', 'asks for a person, once, where refusals were overruled', () => {
    const watched = new Watched();
    const refused = (digest: string): CycleEvent =>
      ({ ...verdict('Reject', 'score/harm'), argumentsDigest: digest }) as CycleEvent;
    const override = { of: 'work', rule: 'score/harm', by: 'ann', reason: 'fine', coversTask: false };
    watched.cycle(refused('a'));
    watched.cycle(refused('b'));
    for (const subjectDigest of ['a', 'other', 'b'])
      watched.cycleOf({ override: { ...override, subjectDigest } }, verdict('Escalate', 'override/granted'));
    expect(watched.findings).toMatchObject([{ intervention: 'Escalate', detectors: ['FalsePositives'] }]);
    watched.cycle(verdict('Accept'));
    expect(watched.findings).toHaveLength(1);
  });

  verifies('meta:runs-are-counted', 'a text that is revised twice counts as one verdict of the calculus', () => {
    const watched = new Watched();
    const revised = (kind: 'Accept' | 'Modify'): CycleEvent => {
      const policy = { verdict: kind, decidedBy: 'floor', isWeighed: true, shortTrail: ['axiom'] };
      return { ...verdict(kind), gate: 'Output', record: { score: 0.4, policies: [policy] } } as unknown as CycleEvent;
    };
    const life = (): void => watched.cycle(revised('Modify'), revised('Modify'), revised('Accept'));
    life();
    life();
    expect(watched.findings).toEqual([]);
    life();
    expect(watched.findings).toMatchObject([{ intervention: 'Tighten', detectors: ['RepeatedModifications'] }]);
  });

  verifies('meta:false-positive', 'asks for a person where people reported two of three refusals', () => {
    const watched = new Watched();
    const refused = (digest: string): CycleEvent =>
      ({ ...verdict('Reject', 'never/tool'), argumentsDigest: digest }) as CycleEvent;
    for (const digest of ['a', 'b']) watched.cycle(refused(digest));
    const { oversight } = watched;
    for (const [at, subjectDigest] of ['a', 'b'].entries()) {
      const refusal = { cycleId: `r-c${at + 1}`, gate: 'Tool', rule: 'never/tool', subjectDigest };
      const payload = { ...refusal, by: 'ann', reason: 'fine' };
      const record = { store: 'agent', kind: 'FalsePositiveReported', seq: at, timeMs: watched.nowMs, payload };
      oversight.reports.take(oversight, record);
    }
    watched.cycle(refused('c'));
    expect(watched.findings).toMatchObject([{ intervention: 'Escalate', detectors: ['FalsePositives'] }]);
  });

  it('does not come from what people refused', () => {
    const watched = new Watched();
    for (let cycle = 0; cycle < 5; cycle += 1) watched.cycle(verdict('Reject', 'approval/denied'));
    expect(watched.findings).toEqual([]);
  });
});

describe('a question of the gates', () => {
  verifies('budget:checked-before-the-call', 'is a call like any other: kept free, refused, counted', () => {
    const budgets = { ...unlimited, tokensPerDay: 1000 };
    const oversight = new Oversight(
      { ...unobserved, budgets },
      () => 0,
      () => undefined,
    );
    const gate = { gate: 'Tool', subjectDigest: 'd' } as const;
    const asked = (askId: string, tokens: number): CycleEvent => {
      return { kind: 'GateProbeRequested', ...gate, askId, model: 'm', tokens, text: '' };
    };
    oversight.take('r-c1', [asked('r-c1-q1', 600)]);
    expect(oversight.refusal('r-c1-q1')).toBeUndefined();
    oversight.take('r-c2', [asked('r-c2-q1', 600)]);
    expect(oversight.refusal('r-c2-q1')).toMatchObject({ field: 'tokensPerDay', used: 600, asked: 600, max: 1000 });
  });

  verifies('provenance:reader-restarts', 'so is one to the quarantine reader', () => {
    const budgets = { ...unlimited, tokensPerDay: 1000 };
    const oversight = new Oversight(
      { ...unobserved, budgets },
      () => 0,
      () => undefined,
    );
    const asked = (askId: string): CycleEvent => {
      const request = {
        role: 'quarantine-reader',
        tier: 'Fast',
        model: 'm',
        system: [],
        messages: [],
        tools: [],
      } as const;
      const whole = { ...request, system: [], messages: [], tools: [], maxOutputTokens: 600 };
      return { kind: 'ReadingRequested', askId, callId: 'r-c1-t1', tokens: 600, request: whole };
    };
    const usage = { inputTokens: 500, outputTokens: 50, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const reading = { available: false, reason: 'no' } as const;
    oversight.take('r-c1', [asked('r-c1-t1-read1')]);
    expect(oversight.refusal('r-c1-t1-read1')).toBeUndefined();
    oversight.take('r-c1', [
      { kind: 'TextRead', atMs: 1, askId: 'r-c1-t1-read1', reading, model: 'm', usage, latencyMs: 1 },
      asked('r-c1-t1-read2'),
    ]);
    expect(oversight.refusal('r-c1-t1-read2')).toMatchObject({ used: 550, asked: 600, max: 1000 });
  });
});

/** Each event is of a cycle of its own. */
function told(...events: readonly CycleEvent[]): {
  readonly oversight: Oversight;
  readonly notices: readonly string[];
} {
  const notices: string[] = [];
  const oversight = new Oversight(
    unobserved,
    () => 0,
    () => undefined,
    (_change, notice) => notices.push(notice),
  );
  for (const [index, event] of events.entries()) oversight.take(`r-c${index}`, [event]);
  return { oversight, notices };
}

describe('outgoing texts that are rejected one after the other', () => {
  const output = (kind: 'Accept' | 'Modify' | 'Reject'): CycleEvent => {
    return { kind: 'GateDecided', gate: 'Output', verdict: kind, rule: 'r', reason: '', characterDigest };
  };

  function held(...verdicts: readonly CycleEvent[]): { readonly isHeld: boolean; readonly notices: readonly string[] } {
    const { oversight, notices } = told(...verdicts);
    return { isHeld: startedNow(oversight, atMs).outputsHeld === true, notices };
  }

  verifies('approvals:output-breaker', 'are held from the third on, and a person is told once', () => {
    const reject = output('Reject');
    expect(held(reject, reject).isHeld).toBe(false);
    expect(held(reject, output('Modify'), reject, verdict('Accept'), reject)).toMatchObject({ isHeld: true });
    expect(held(reject, reject, reject, reject).notices).toEqual([
      expect.stringContaining('3 outgoing texts in a row were rejected, the last of cycle r-c2'),
    ]);
  });

  verifies('approvals:output-breaker', 'are held no longer when a text is accepted', () => {
    const reject = output('Reject');
    expect(held(reject, reject, reject, output('Accept')).isHeld).toBe(false);
  });

  /** A start that reads no cycle any more, and the notes of the agent. */
  function noted(...changes: readonly string[]): Oversight {
    const oversight = new Oversight(
      unobserved,
      () => 0,
      () => undefined,
    );
    const { hold } = oversight.projections;
    const state = hold?.start();
    for (const [seq, change] of changes.entries())
      hold?.take(state, { store: 'agent', kind: 'GatesChanged', seq, timeMs: atMs + seq, payload: { change } });
    return oversight;
  }

  verifies('approvals:output-breaker', 'are held after a quiet month, until a text is accepted', () => {
    expect(noted().areOutputsHeld).toBe(false);
    expect(noted('OutputsHeld', 'ProbesDegraded').areOutputsHeld).toBe(true);
    expect(noted('OutputsHeld', 'OutputsReleased').areOutputsHeld).toBe(false);
    const oversight = noted('OutputsHeld');
    expect(startedNow(oversight, atMs).outputsHeld).toBe(true);
    const begun = { kind: 'CycleStarted', atMs: atMs + 60_000, spec: cycleSpec(), characterDigest, ...drawn } as const;
    oversight.take('r-c1', [begun, output('Modify')]);
    expect(oversight.areOutputsHeld).toBe(true);
    // A crash may come before the note of it.
    oversight.take('r-c1', [output('Accept')]);
    expect(oversight.areOutputsHeld).toBe(false);
  });

  verifies('approvals:output-breaker', 'are noted where a crash came before the note', () => {
    const reject = output('Reject');
    expect(told(reject, reject, reject).oversight.lacksHoldNote).toBe(true);
    expect(told(reject, reject).oversight.lacksHoldNote).toBe(false);
    expect(noted('OutputsHeld').lacksHoldNote).toBe(false);
  });

  it('are still held after a restart that reads of the record only that they were', () => {
    const oversight = new Oversight(
      unobserved,
      () => 0,
      () => undefined,
    );
    const spec = { ...cycleSpec(), outputsHeld: true as const };
    oversight.take('r-c9', [{ kind: 'CycleStarted', atMs, spec, characterDigest, ...drawn }]);
    expect(oversight.areOutputsHeld).toBe(true);
  });
});

describe('probes', () => {
  const probe = (outcome: 'Clean' | 'Inconclusive', isRefused = false): CycleEvent => {
    const told = { outcome, tokenDigest: 'd' };
    const refusal = { message: '', field: 'tokensPerDay', used: 1, asked: 1, max: 1 } as const;
    const asked = { askId: 'q', latencyMs: 1, ...(isRefused ? { refusal } : {}) };
    return { kind: 'GateProbed', atMs, hijack: told, leakage: told, ...asked };
  };
  const [none, clean] = [probe('Inconclusive'), probe('Clean')];

  function watched(...probes: readonly CycleEvent[]): { readonly inRow: number; readonly notices: readonly string[] } {
    const { oversight, notices } = told(...probes);
    return { inRow: oversight.health.probesUnansweredInRow, notices };
  }

  verifies('gate:probes-degraded', 'without an answer three times in a row are told, and the first with one', () => {
    expect(watched(none, none, clean, none, none)).toEqual({ inRow: 2, notices: [] });
    const { notices } = watched(none, none, none, none, clean);
    expect(notices).toEqual([expect.stringContaining('no answer 3 times'), expect.stringContaining('answers again')]);
  });

  verifies('gate:probes-degraded', 'that a budget forbade say nothing of the model', () => {
    expect(watched(none, none, probe('Inconclusive', true))).toEqual({ inRow: 2, notices: [] });
  });

  verifies('gate:probes-degraded', 'count on after a restart, from the record alone', async () => {
    const journal = new MemoryJournal();
    for (const { kind, ...payload } of [none, none, none] as readonly CycleEvent[])
      await journal.append([{ store: 'cycle', kind, principal: 'agent', cycleId: 'r-c1', payload: payload as never }]);
    const next = new Watched();
    await foldRecord(journal, new Projections({ oversight: next.oversight.projection }), atMs);
    expect(next.oversight.health).toEqual({ probesUnansweredInRow: 3, outputRejectionsInRow: 0 });
    const third = new Watched({}, next);
    third.restore(next);
    expect(third.oversight.health.probesUnansweredInRow).toBe(3);
  });
});

describe('what a cache keeps of it', () => {
  const steps = fc.array(
    fc.record({
      afterMs: fc.nat(90_000_000),
      verdicts: fc.array(fc.constantFrom('Accept' as const, 'Modify' as const, 'Reject' as const), { maxLength: 4 }),
      isOverruled: fc.boolean(),
    }),
    { maxLength: 12 },
  );

  it('goes on as if it had never stopped', () => {
    fc.assert(
      fc.property(steps, steps, (before, after) => {
        const whole = new Watched();
        whole.play(before);
        const next = new Watched({}, whole);
        next.restore(whole);
        whole.findings.length = 0;
        for (const watched of [whole, next]) watched.play(after);
        expect(next.findings).toEqual(whole.findings);
        expect(next.oversight.state).toEqual(whole.oversight.state);
      }),
    );
  });
});
