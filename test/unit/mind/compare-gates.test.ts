import { describe, expect } from 'vitest';
import { feature, gateOf } from '../../support/gate-inquiries.ts';
import { begun, scoredConfig } from '../../support/scored-cycle.ts';
import { verifies } from '../../verifies.ts';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { cycleMachine } from '@retainer/agent-pod/loop/cycle-driver';
import { compareGates, type GateComparison } from '@retainer/mind/replay/compare-gates';
import type { Recorded } from '@retainer/mind/replay/replay-machine';

const features = [feature('harm', { critical: true }), feature('waste', { importance: 1 })];

/** One call, scored 1 of 5 by both features, and run. */
function recorded(): readonly Recorded<CycleEvent>[] {
  const cycle = begun();
  cycle.answer({ calls: [['change', 1]] });
  cycle.score('r-c1-t1-score', 1);
  return cycle.events.map((event, seq) => ({ event, store: 'cycle', seq, order: seq, epoch: 1 }));
}

function compared(tool: Parameters<typeof gateOf>[0]['gatePolicies']): GateComparison {
  const input = { modify: 0.35, reject: 0.55, canary: true, features: [feature('prompt_injection')] };
  const gate = gateOf({ gatePolicies: { input, ...tool } });
  return compareGates(cycleMachine({ ...scoredConfig, gate }), recorded());
}

describe('another character', () => {
  verifies('replay:forecasts-stand', 'judges the recorded forecasts where it scores the same', () => {
    expect(compared({ tool: { modify: 0.35, reject: 0.55, features } }).differences).toEqual([]);
    const { differences } = compared({ tool: { modify: 0.1, reject: 0.55, features } });
    expect(differences).toMatchObject([
      { callId: 'r-c1-t1', recorded: { verdict: 'Accept' }, decided: { verdict: 'Modify' } },
    ]);
  });

  verifies('replay:forecasts-stand', 'says that models would be asked anew where it scores something else', () => {
    const other = [feature('theft', { critical: true })];
    const { differences } = compared({ tool: { modify: 0.35, reject: 0.55, features: other } });
    expect(differences).toMatchObject([{ callId: 'r-c1-t1', isAskedAnew: true }]);
    expect(differences[0]?.decided).toBeUndefined();
  });

  verifies('replay:forecasts-stand', 'decides by its rules alone where it scores nothing', () => {
    const { differences } = compared({});
    expect(differences).toMatchObject([{ decided: { verdict: 'Accept', rule: 'effect-class/1' } }]);
  });
});
