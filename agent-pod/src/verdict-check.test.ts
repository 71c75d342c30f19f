import { describe, expect } from 'vitest';
import { characterDigest } from '@retainer/contract/manifest/character-digest';
import { agentDefinition } from '../../test/support/agents.ts';
import { cycleSpec } from '../../test/support/cycles.ts';
import { verifies } from '../../test/verifies.ts';
import { decideCycle } from './cycle/decide.ts';
import type { CycleEvent, CycleInput } from './cycle/event.ts';
import { evolveCycle } from './cycle/evolve.ts';
import { recordedConfig } from './recorded-config.ts';
import { VerdictCheck, type ReadRecord } from './verdict-check.ts';

const { agent, character } = agentDefinition();
const digest = characterDigest(character.spec);
const configured = { characterDigest: digest, character, agent, sandboxLanguages: [] };

/** One cycle that is cancelled: its first group under one configuration, its second under the next. */
function eventsOf(): readonly (readonly CycleEvent[])[] {
  const config = recordedConfig(configured);
  if (!config.ok) throw new Error(config.error);
  const inputs: readonly CycleInput[] = [
    { kind: 'CycleStarted', atMs: 1, spec: cycleSpec(), characterDigest: digest },
    { kind: 'CycleCancelled', atMs: 2, by: 'ada', reason: 'enough' },
  ];
  let state: ReturnType<typeof evolveCycle> | undefined;
  return inputs.map((input) => {
    const events = decideCycle(state, input, config.value);
    for (const event of events) state = evolveCycle(state, event);
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
    const record: ReadRecord = { store, seq: seqs[store], order, epoch: 1, kind, cycleId: 'c', payload, isLive: false };
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
