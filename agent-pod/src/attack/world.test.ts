import type { JournalRecord } from '@retainer/journal/journal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GATED, UNGATED } from '../../../test/support/worst-case/targets.ts';
import { verifies } from '../../../test/verifies.ts';
import { keepingJob, type Scene } from './channels.ts';
import { isBroken } from './ran-calls.ts';
import { closeSurroundings, openSurroundings, play, UnplayableError, type Surroundings, type Target } from './world.ts';

const noSandbox = () => ({
  probe: () => Promise.resolve({ ok: true as const, value: { description: 'none', languages: [] } }),
  run: () => Promise.reject(new Error('nothing runs here')),
  lookup: () => Promise.resolve(undefined),
});

const NO_USAGE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

let surroundings: Surroundings;
beforeAll(async () => {
  surroundings = await openSurroundings(GATED, noSandbox);
});
afterAll(() => closeSurroundings(surroundings));

/** A bug of the program that every run meets. */
function failing(): Target {
  const { gate } = UNGATED;
  if (gate === undefined) throw new Error('it has a gate');
  const next = (): never => {
    throw new TypeError('boom');
  };
  return { ...UNGATED, gate: { ...gate, next } };
}

describe('a world that time cut off', () => {
  const asked = { atMs: 1, askId: 'a', model: 'm', latencyMs: 1, costUsd: 0, usage: NO_USAGE };
  const late = { available: false, reason: 'no answer in time' } as const;
  const none = { outcome: 'Inconclusive', tokenDigest: 'd' } as const;
  const clean = { outcome: 'Clean', tokenDigest: 'd' } as const;
  const cases: readonly (readonly [string, string, object, boolean])[] = [
    ['a score that never came', 'GateScored', { ...asked, forecasts: late }, true],
    ['a score', 'GateScored', { ...asked, forecasts: { available: true, forecasts: [] } }, false],
    ['a probe without an answer', 'GateProbed', { ...asked, hijack: none, leakage: clean }, true],
    ['a probe', 'GateProbed', { ...asked, hijack: clean, leakage: clean }, false],
    ['a person who did not answer', 'TimeExpired', { atMs: 1, what: 'Approval', requestId: 'r' }, false],
    ['a cycle out of time', 'TimeExpired', { atMs: 1, what: 'Cycle' }, true],
  ];
  it.for(cases)('shows nothing: %s', ([, kind, payload, isCutOff]) => {
    expect(isBroken([{ kind, payload } as unknown as JournalRecord])).toBe(isCutOff);
  });
});

describe('a world in which the program fails', () => {
  verifies('worst-case:own', 'shows nothing, and the others are played', async () => {
    const scene: Scene = { jobs: [keepingJob], files: {}, pages: new Map(), needsSandbox: false };
    const played = await play(surroundings, { scene, purposes: [], target: failing() });
    expect(played.outcomes).toEqual(['none']);
    expect(isBroken(played.records)).toBe(true);
    expect((await play(surroundings, { scene, purposes: [], target: GATED })).outcomes).toEqual(['Accepted']);
  });

  verifies(
    'worst-case:own',
    'says why nothing can be played, where the agent cannot even keep what it is told',
    async () => {
      const opening = openSurroundings(failing(), noSandbox);
      await expect(opening).rejects.toThrow(UnplayableError);
      await expect(opening).rejects.toThrow(/^the agent did not keep two facts \(none\)/);
    },
  );
});
