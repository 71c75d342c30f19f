import { describe, expect } from 'vitest';
import { characterDigest } from '@retainer/contract/manifest/character-digest';
import { agentDefinition } from '../../../test/support/agents.ts';
import { cycleSpec, drawn } from '../../../test/support/cycles.ts';
import { verifies } from '../../../test/verifies.ts';
import { decideCycle } from '@retainer/mind/cycle/decide';
import type { CycleEvent, CycleInput } from '@retainer/mind/cycle/event';
import { evolveCycle } from '@retainer/mind/cycle/evolve';
import { DECIDERS } from '@retainer/mind/cycle/deciders';
import { GATE_RULES_VERSION } from '@retainer/mind/gate/rules-version';
import { recordedConfig } from './recorded-config.ts';
import type { RuledRecord } from '../audit/verdict-audit.ts';
import { VerdictCheck } from './verdict-check.ts';

const { agent, character } = agentDefinition();
const digest = characterDigest(character.spec);
const configured = {
  characterDigest: digest,
  character,
  agent,
  sandboxLanguages: [],
  gateRules: GATE_RULES_VERSION,
  deciders: DECIDERS,
};

/** Of today's form. */
const version = 2;

/** One cycle that is cancelled: its first group under one configuration, its second under the next. */
function eventsOf(): readonly (readonly CycleEvent[])[] {
  const config = recordedConfig(configured);
  if (!config.ok) throw new Error(config.error);
  const inputs: readonly CycleInput[] = [
    { kind: 'CycleStarted', atMs: 1, spec: cycleSpec(), characterDigest: digest, ...drawn },
    { kind: 'CycleCancelled', atMs: 2, by: 'ada', reason: 'enough' },
  ];
  let state: ReturnType<typeof evolveCycle> | undefined;
  return inputs.map((input) => {
    const events = decideCycle(state, input, config.value);
    for (const event of events) state = evolveCycle(state, event, config.value.catalog.known);
    return events;
  });
}

/** @param first  character that the first of both configurations holds */
function findingsWith(first: unknown): readonly (readonly [string, string])[] {
  const check = new VerdictCheck();
  let order = 0;
  const seqs = { agent: 0, cycle: 0 };
  const take = (store: 'agent' | 'cycle', kind: string, payload: unknown): readonly (readonly [string, string])[] => {
    order += 1;
    seqs[store] += 1;
    const record: RuledRecord = {
      store,
      seq: seqs[store],
      order,
      epoch: 1,
      kind,
      version,
      cycleId: 'c',
      payload,
      isLive: false,
    };
    return check.take(record).map((it) => [it.kind, it.store] as const);
  };
  const [begin = [], end = []] = eventsOf();
  const cycle = (events: readonly CycleEvent[]): readonly (readonly [string, string])[] =>
    events.flatMap(({ kind, ...payload }) => take('cycle', kind, payload));
  return [
    ...take('agent', 'Configured', { ...configured, character: first }),
    ...cycle(begin),
    ...take('agent', 'Configured', configured),
    ...cycle(end),
  ];
}

describe('a cycle that goes on under another configuration', () => {
  verifies('audit:verdicts-recomputed', 'is followed from the one to the other', () => {
    expect(findingsWith(character)).toEqual([]);
  });

  verifies('audit:cannot-recompute', 'is given up where one of them cannot be used, which is told once', () => {
    expect(findingsWith(null)).toEqual([['CannotRecompute', 'agent']]);
  });
});

describe('a gap among the configurations', () => {
  /** A cycle behind a gap, both of them seen as named. */
  function findingsBehindGap(isLive: boolean): readonly string[] {
    const check = new VerdictCheck();
    const gap = { store: 'agent', seq: 1, order: 1, epoch: 1, kind: 'Gap', cycleId: undefined, payload: {}, isLive };
    const events = eventsOf()
      .flat()
      .map(({ kind, ...payload }, at) => ({
        ...{ store: 'cycle', seq: at, order: at + 2, epoch: 1, kind, cycleId: 'c', payload, isLive },
      }));
    return [gap, ...events].flatMap((record) => check.take({ ...record, version }).map(({ kind }) => kind));
  }

  verifies('audit:cannot-recompute', 'is not told a second time by the cycles behind it', () => {
    expect(findingsBehindGap(false)).toEqual([]);
  });

  verifies('audit:cannot-recompute', 'excuses nothing that is written while somebody watches', () => {
    expect(findingsBehindGap(true)).toEqual(['CannotRecompute']);
  });
});

type Configured = Partial<typeof configured>;

/** Cycles with one tampered verdict each, begun under these versions of the rules, one after the other. */
function tampered(
  versions: readonly (number | undefined)[],
  isLive = false,
): VerdictCheck & { readonly told: string[] } {
  const check = Object.assign(new VerdictCheck(), { told: [] as string[] });
  let order = 0;
  const take = (store: 'agent' | 'cycle', kind: string, payload: object, cycleId?: string): void => {
    order += 1;
    const found = check.take({ store, seq: order, order, epoch: 1, kind, version, cycleId, payload, isLive });
    check.told.push(...found.map((it) => it.kind));
  };
  const [begin = [], end = []] = eventsOf();
  for (const [index, gateRules] of versions.entries()) {
    const { gateRules: _own, ...older } = configured;
    const payload: Configured = gateRules === undefined ? older : { ...older, gateRules };
    take('agent', 'Configured', payload);
    for (const cycleId of [`a${index}`, `b${index}`])
      for (const { kind, ...event } of [...begin, ...end])
        take('cycle', kind, kind === 'GateDecided' ? { ...event, reason: 'changed' } : event, cycleId);
  }
  return check;
}

const own = GATE_RULES_VERSION;
const changedReason = <Event extends { readonly kind: string }>(event: Event): Event =>
  event.kind === 'GateDecided' ? { ...event, reason: 'changed' } : event;
const otherText = (event: CycleEvent): CycleEvent =>
  event.kind === 'CycleEnded' ? { ...event, text: 'another' } : event;

describe('cycles that were recorded under other rules of the gates', () => {
  verifies(
    'audit:other-rules',
    'are counted, and told once for each configuration, where they are decided otherwise',
    () => {
      const check = tampered([undefined, own - 0.5]);
      expect(check.told).toEqual(['OtherRules', 'OtherRules']);
      expect(check.otherRulesCycles).toBe(4);
    },
  );

  verifies('audit:other-rules', 'of a later program are told alike', () => {
    expect(tampered([own, own + 1]).told).toEqual(['VerdictMismatch', 'VerdictMismatch', 'OtherRules']);
  });

  verifies('audit:other-rules', 'are right where they are decided as they were', () => {
    const check = new VerdictCheck();
    const { gateRules: _own, ...older } = configured;
    const records = [{ kind: 'Configured', ...older }, ...eventsOf().flat()];
    const found = records.flatMap(({ kind, ...payload }, order) =>
      check.take({
        store: kind === 'Configured' ? 'agent' : 'cycle',
        seq: order,
        order,
        epoch: 1,
        kind,
        version: kind === 'Configured' ? 1 : version,
        cycleId: kind === 'Configured' ? undefined : 'c',
        payload,
        isLive: false,
      }),
    );
    expect(found).toEqual([]);
    expect([check.verdicts, check.otherRulesCycles]).toEqual([1, 0]);
  });

  verifies('audit:other-rules', 'of an open cycle explain nothing that comes after the upgrade', () => {
    const check = new VerdictCheck();
    const [begin = [], end = []] = eventsOf();
    const older = { kind: 'Configured', ...configured, deciders: DECIDERS - 1 };
    const records = [older, ...begin.map(changedReason), { kind: 'Configured', ...configured }, ...end.map(otherText)];
    const told = records.flatMap(({ kind, ...payload }, order) => {
      const place = kind === 'Configured' ? { store: 'agent' } : { store: 'cycle', cycleId: 'c' };
      return check.take({
        cycleId: undefined,
        ...place,
        seq: order,
        order,
        epoch: 1,
        kind,
        version,
        payload,
        isLive: false,
      });
    });
    expect(told.map((it) => it.kind)).toEqual(['OtherRules', 'UngatedReply']);
  });

  verifies(
    'audit:other-rules-no-hiding',
    'are none where the version goes back, so that a false one hides nothing',
    () => {
      const mismatches = ['VerdictMismatch', 'VerdictMismatch'];
      expect(tampered([own, undefined]).told).toEqual([...mismatches, ...mismatches]);
      expect(tampered([own, own - 0.5]).told).toEqual([...mismatches, ...mismatches]);
      expect(tampered([own + 2, own + 1]).told).toEqual(['OtherRules', ...mismatches]);
    },
  );

  verifies('audit:other-rules-no-hiding', 'are none while the agent is watched, whatever version it names', () => {
    for (const gateRules of [undefined, own + 1]) expect(tampered([gateRules], true).told).toContain('VerdictMismatch');
  });
});
