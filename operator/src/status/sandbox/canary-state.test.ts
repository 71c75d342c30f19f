import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import type { Canary } from '../../observe/observe-sandbox-canary.ts';
import { sandboxJob } from '../../observe/observe-sandbox-objects.ts';
import { canaryState, nextCanaryStep, outdatedCanaries } from './canary-state.ts';

const GROUND = { openedBy: [], digest: 'g' };

/** A canary that no node ever ran, made at this minute. */
function canary(minute: number, isEnded: boolean): Canary {
  const creationTimestamp = new Date(minute * 60_000).toISOString();
  const conditions = isEnded ? [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }] : [];
  const metadata = { name: `canary-${minute}`, namespace: 'sandboxes', creationTimestamp };
  return {
    job: sandboxJob({ metadata, status: { conditions } }),
    pod: undefined,
    targets: 40,
    world: 'w',
    ground: 'g',
  };
}

describe('a canary that cannot run', () => {
  it('is told of in the same words through every try', () => {
    const ended = canaryState([canary(1, true)], GROUND);
    expect(ended).toMatchObject({ type: 'Unknown', message: expect.stringContaining('ended without a result') });
    expect(canaryState([canary(1, true), canary(2, false)], GROUND)).toEqual(ended);
    expect(canaryState([canary(1, true), canary(2, true)], GROUND)).toEqual(ended);
    expect(canaryState([canary(2, true)], GROUND)).toEqual(ended);
  });

  it('is kept until the next one has ended', () => {
    const [first, second] = [canary(1, true), canary(2, false)];
    expect(outdatedCanaries([first, second], GROUND)).toEqual([]);
    const over = canary(2, true);
    expect(outdatedCanaries([first, over], GROUND)).toEqual([first]);
  });

  it('is told to run where it is the first', () => {
    expect(canaryState([canary(1, false)], GROUND)).toMatchObject({
      message: expect.stringContaining('the canary runs'),
    });
  });
});

describe('a namespace that somebody changed', () => {
  const opened = { openedBy: ['NetworkPolicy allow-all is not the operator’s; delete it'], digest: 'h' };

  verifies(
    'operator-sandbox:opened',
    'is told with what opens it, keeps no proof, and asks for none while it is open',
    () => {
      const canaries = [canary(1, true), canary(2, false)];
      expect(canaryState(canaries, opened)).toEqual({ type: 'Opened', by: opened.openedBy });
      expect(outdatedCanaries(canaries, opened)).toEqual(canaries);
      const world = { world: 'w', intervalSeconds: 60, nowMs: 10_000_000 };
      expect(nextCanaryStep(canaries, { ...world, ground: opened })).toMatchObject({ type: 'Wait' });
    },
  );

  verifies('operator-sandbox:opened', 'is proved anew at once when it is closed again', () => {
    const closed = { openedBy: [], digest: 'h' };
    expect(canaryState([canary(1, true)], closed)).toMatchObject({ type: 'Unknown' });
    const world = { world: 'w', intervalSeconds: 60_000, nowMs: 60_001 };
    expect(nextCanaryStep([canary(1, true)], { ...world, ground: closed })).toEqual({ type: 'Start' });
    expect(nextCanaryStep([canary(1, true)], { ...world, ground: GROUND })).toMatchObject({ type: 'Wait' });
  });
});
