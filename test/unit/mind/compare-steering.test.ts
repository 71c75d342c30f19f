import { describe, expect, it } from 'vitest';
import { AgentControl } from '@retainer/contract/api/agent-control';
import { RunWorld } from '../../support/run-world.ts';
import { scenarios } from '../../support/run-scenarios.ts';
import { verifies } from '../../verifies.ts';
import { runMachine } from '@retainer/agent-pod/loop/run-driver';
import type { RunEvent } from '@retainer/mind/run/event';
import { compareSteering, type SteeredRound } from '@retainer/mind/replay/compare-steering';
import { applyControlSettings, parseControlSetting } from '@retainer/mind/replay/control-settings';
import type { Recorded } from '@retainer/mind/replay/replay-machine';
import { testTools } from '../../support/known-tools.ts';

const settings = (...texts: readonly string[]) =>
  applyControlSettings(
    AgentControl.parse({}),
    texts.map((text) => {
      const parsed = parseControlSetting(text);
      if (!parsed.ok) throw new Error(parsed.error);
      return parsed.value;
    }),
  );

function compare(name: string, ...texts: readonly string[]): readonly SteeredRound[] {
  const scenario = scenarios.find((it) => it.name === name);
  const control = settings(...texts);
  if (scenario === undefined || !control.ok) throw new Error(`${name}: ${texts.join(' ')}`);
  const { events } = new RunWorld(scenario).play();
  const recorded = events.map((event, seq): Recorded<RunEvent> => ({ event, store: 'run', seq, order: seq, epoch: 1 }));
  return compareSteering(runMachine(testTools), recorded, control.value);
}

describe('compareSteering', () => {
  it.each(scenarios)('finds nothing different under the recorded settings: $name', ({ name }) => {
    const rounds = compare(name);
    expect(rounds.length).toBeGreaterThan(0);
    expect(rounds.filter((it) => it.isDifferent || it.isHypothetical)).toEqual([]);
    for (const { recorded, decided } of rounds) expect(decided).toEqual(recorded);
  });

  verifies(
    'cli:replay-changed-control',
    'shows that a wider threshold would have taken the first round for a success',
    () => {
      const [first, ...later] = compare('abandoned', 'control.thresholds.delta=0.9');
      expect(first).toMatchObject({
        round: 1,
        isDifferent: true,
        isHypothetical: false,
        decided: { directive: 'Success' },
      });
      expect(first?.recorded.directive).not.toBe('Success');
      expect(later.length).toBeGreaterThan(0);
      expect(later.every((it) => it.isHypothetical)).toBe(true);
    },
  );

  verifies('cli:replay-changed-control', 'ends earlier with fewer plans, and later with none that counts', () => {
    const [first] = compare('abandoned', 'control.maxReplans=0');
    expect(first?.decided).toMatchObject({ directive: 'Abandon' });
    const last = compare('abandoned', 'control.maxReplans=16', 'control.thresholds.theta=1').at(-1);
    expect(last?.recorded.directive).toBe('Abandon');
  });

  it('measures the time anew against another budget', () => {
    const [first] = compare('abandoned', 'control.timeBudget=1s');
    expect(first?.decided?.loss.omega).toBeGreaterThan(first?.recorded.loss.omega ?? 1);
  });

  it('carries the changed loss into the next gradient', () => {
    const [, second] = compare('abandoned', 'control.weights.alpha=0.3');
    const [, before] = compare('abandoned');
    expect(second?.decided?.loss.l).not.toBeCloseTo(before?.decided?.loss.l ?? 0);
  });
});

describe('settings of the control loop', () => {
  it.each([
    ['thresholds.delta=1', 'use the form control.PATH=VALUE'],
    ['control.thresholds.delta', 'use the form control.PATH=VALUE'],
  ])('refuses %j', (text, reason) => {
    expect(parseControlSetting(text)).toMatchObject({ ok: false, error: expect.stringContaining(reason) });
  });

  verifies(
    'cli:replay-changed-control',
    'names what there is where a path is wrong, and what is allowed where a value is',
    () => {
      expect(settings('control.thresholds.detla=0.2')).toMatchObject({
        ok: false,
        error: 'control.thresholds.detla: no field "detla" here; fields: epsilon, delta, rho, theta',
      });
      const wrong = settings('control.thresholds.delta=2');
      expect(wrong).toMatchObject({ ok: false, error: expect.stringContaining('control.thresholds.delta') });
      expect(settings('control.weights.alpha=0.9')).toMatchObject({
        ok: false,
        error: expect.stringContaining('control.weights: alpha plus the greater of beta and lambda'),
      });
      expect(settings('control.profile=Hardened')).toMatchObject({ ok: true, value: { profile: 'Hardened' } });
    },
  );
});
