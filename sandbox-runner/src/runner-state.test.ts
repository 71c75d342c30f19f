import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moveRunner, type RunnerMove, type RunnerState } from './runner-state.ts';

const word = fc.constantFrom('a', 'b');
const move: fc.Arbitrary<RunnerMove> = fc.oneof(
  fc.record({ type: fc.constant('Claim' as const), claimId: word, publicKey: word }),
  fc.record({ type: fc.constant('Fill' as const), digest: word }),
  fc.record({ type: fc.constant('Run' as const), digest: word }),
  fc.constant({ type: 'End' as const }),
  fc.constant({ type: 'Stop' as const }),
);
const order = ['Idle', 'Claimed', 'Filled', 'Running', 'Ended', 'Stopped'] as const;

function live(moves: readonly RunnerMove[]): readonly RunnerState[] {
  const states: RunnerState[] = [{ phase: 'Idle' }];
  for (const next of moves) {
    const moved = moveRunner(states.at(-1) ?? { phase: 'Idle' }, next);
    states.push(moved.ok ? moved.value.state : (states.at(-1) ?? { phase: 'Idle' }));
  }
  return states;
}

describe('moveRunner', () => {
  it('never goes back, skips no step but to Stopped, and changes nothing that was settled', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
        const states = live(moves);
        for (const [index, state] of states.entries()) {
          const before = states[index - 1] ?? state;
          const step = order.indexOf(state.phase) - order.indexOf(before.phase);
          expect(step === 0 || step === 1 || state.phase === 'Stopped').toBe(true);
          expect(step).toBeGreaterThanOrEqual(0);
          if (state.phase !== 'Stopped') expect(state).toMatchObject({ ...before, phase: state.phase });
        }
      }),
    );
  });

  it('takes a step that was taken as done, and refuses another of its kind', () => {
    const steps: readonly RunnerMove[] = [
      { type: 'Claim', claimId: 'a', publicKey: 'a' },
      { type: 'Fill', digest: 'a' },
      { type: 'Run', digest: 'a' },
    ];
    const state = live(steps).at(-1) ?? { phase: 'Idle' };
    for (const step of steps) expect(moveRunner(state, step)).toEqual({ ok: true, value: { state, isRepeated: true } });
    expect(moveRunner(state, { type: 'Claim', claimId: 'b', publicKey: 'a' }).ok).toBe(false);
    expect(moveRunner(state, { type: 'Fill', digest: 'b' }).ok).toBe(false);
    expect(moveRunner(state, { type: 'Run', digest: 'b' }).ok).toBe(false);
  });
});
