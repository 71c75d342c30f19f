/** Given, when, then for cycles whose gates ask models: probes and scores are played by the test. */
import { invariant } from '@retainer/contract/std/invariant';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { CycleConfig } from '@retainer/mind/cycle/draft';
import type { CycleEvent, CycleInput, CycleSpec } from '@retainer/mind/cycle/event';
import { catalog, CycleUnderTest, cycleSpec } from './cycles.ts';
import { feature, gateOf } from './gate-inquiries.ts';

const policy = { modify: 0.35, reject: 0.55 };
export const gates: NonNullable<CycleSpec['gates']> = {
  scorer: { tier: 'Fast', model: 'f' },
  canary: { tier: 'Fast', model: 'f' },
  reader: { tier: 'Fast', model: 'f' },
  timeoutMs: 1000,
};
export const scoredConfig: CycleConfig = {
  catalog,
  gate: gateOf({
    gatePolicies: {
      input: { ...policy, canary: true, features: [feature('prompt_injection')] },
      tool: { ...policy, features: [feature('harm', { critical: true }), feature('waste', { importance: 1 })] },
      output: { ...policy, features: [feature('unsourced')] },
    },
  }),
};

/** Room for the questions of the gates. */
export const limits = { ...cycleSpec().limits, tokens: 200_000 };
const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };

export type Scored = Extract<CycleInput, { kind: 'GateScored' }>['forecasts'];

export class ScoredCycle extends CycleUnderTest {
  constructor(spec: Partial<CycleSpec> = {}) {
    super({ gates, limits, ...spec }, { config: scoredConfig });
  }

  askIds(): readonly string[] {
    return this.now.pendingAsks.map((it) => it.askId);
  }

  probe(outcome: 'Clean' | 'Detected' | 'Inconclusive' = 'Clean', askId = 'r-c1-in-probe'): readonly CycleEvent[] {
    const told = { outcome, tokenDigest: sha256Hex('t') };
    return this.when({
      kind: 'GateProbed',
      atMs: this.tick(),
      askId,
      hijack: told,
      leakage: told,
      model: 'f',
      usage,
      costUsd: 0.01,
      latencyMs: 1,
    });
  }

  scored(askId: string, forecasts: Scored): readonly CycleEvent[] {
    return this.when({
      kind: 'GateScored',
      atMs: this.tick(),
      askId,
      forecasts,
      model: 'f',
      usage,
      costUsd: 0.01,
      latencyMs: 1,
    });
  }

  /** The same magnitude for every feature of the question. */
  score(askId: string, magnitude: number): readonly CycleEvent[] {
    const question = this.events.find((event) => event.kind === 'GateScoreRequested' && event.askId === askId);
    invariant(question?.kind === 'GateScoreRequested', askId);
    const forecasts = question.features.map((name) => ({ feature: name, magnitude, rationale: 'because' }));
    if (question.others === undefined) return this.scored(askId, { available: true, forecasts });
    return this.scoredTogether(
      askId,
      [question.callId, ...question.others.map((it) => it.callId)].map(() => magnitude),
    );
  }

  /** Of each call of a question about several, in its order; undefined: the answer leaves it out. */
  scoredTogether(askId: string, magnitudes: readonly (number | undefined)[]): readonly CycleEvent[] {
    const question = this.events.find((event) => event.kind === 'GateScoreRequested' && event.askId === askId);
    invariant(question?.kind === 'GateScoreRequested', askId);
    const forecastsOf = (magnitude: number | undefined): Scored =>
      magnitude === undefined
        ? { available: false, reason: 'left out', isMalformed: true }
        : {
            available: true,
            forecasts: question.features.map((name) => ({ feature: name, magnitude, rationale: 'because' })),
          };
    return this.when({
      kind: 'GateScored',
      atMs: this.tick(),
      askId,
      forecasts: forecastsOf(magnitudes[0]),
      others: (question.others ?? []).map(({ callId }, at) => ({ callId, forecasts: forecastsOf(magnitudes[at + 1]) })),
      model: 'f',
      usage,
      costUsd: 0.01,
      latencyMs: 1,
    });
  }

  /** A budget of the Agent forbids the question that is open. */
  refuse(refusal: NonNullable<Extract<CycleInput, { kind: 'GateScored' }>['refusal']>): readonly CycleEvent[] {
    const [ask] = this.now.pendingAsks;
    invariant(ask !== undefined, 'a question is open');
    const { message: reason } = refusal;
    const base = { atMs: this.tick(), askId: ask.askId, latencyMs: 0, refusal };
    const told = { outcome: 'Inconclusive', tokenDigest: sha256Hex('t'), reason } as const;
    return this.when(
      ask.kind === 'Probe'
        ? { kind: 'GateProbed', ...base, hijack: told, leakage: told }
        : { kind: 'GateScored', ...base, forecasts: { available: false, reason } },
    );
  }

  /** After an answer of the model. */
  asked(answer: Parameters<CycleUnderTest['answer']>[0]): this {
    this.answer(answer);
    return this;
  }

  verdicts(): readonly string[] {
    return this.events.flatMap((event) => (event.kind === 'GateDecided' ? [`${event.gate} ${event.verdict}`] : []));
  }

  get end(): Extract<CycleEvent, { kind: 'CycleEnded' }> | undefined {
    return this.events.find((event) => event.kind === 'CycleEnded');
  }
}

/** The input holds words of a cycle that read untrusted text. */
export const fromOthers = {
  handedOn: [{ recordId: 'r-c0', label: { source: { kind: 'Web' }, trust: 'Untrusted', readers: 'Everyone' } }],
} satisfies Partial<CycleSpec>;

/** The probes have found nothing in its input, if they were asked. */
export function begun(spec: Partial<CycleSpec> = {}): ScoredCycle {
  const cycle = new ScoredCycle(spec);
  cycle.probe();
  return cycle;
}
