import { describe, expect, it } from 'vitest';
import type { Canary } from '../../observe/observe-sandbox-canary.ts';
import { sandboxJob } from '../../observe/observe-sandbox-objects.ts';
import { canaryState, outdatedCanaries } from './canary-state.ts';

/** A canary that no node ever ran, made at this minute. */
function canary(minute: number, isEnded: boolean): Canary {
  const creationTimestamp = new Date(minute * 60_000).toISOString();
  const conditions = isEnded ? [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }] : [];
  const metadata = { name: `canary-${minute}`, namespace: 'sandboxes', creationTimestamp };
  return { job: sandboxJob({ metadata, status: { conditions } }), pod: undefined, targets: 40, world: 'w' };
}

describe('a canary that cannot run', () => {
  it('is told of in the same words through every try', () => {
    const ended = canaryState([canary(1, true)]);
    expect(ended).toMatchObject({ type: 'Unknown', message: expect.stringContaining('ended without a result') });
    expect(canaryState([canary(1, true), canary(2, false)])).toEqual(ended);
    expect(canaryState([canary(1, true), canary(2, true)])).toEqual(ended);
    expect(canaryState([canary(2, true)])).toEqual(ended);
  });

  it('is kept until the next one has ended', () => {
    const [first, second] = [canary(1, true), canary(2, false)];
    expect(outdatedCanaries([first, second])).toEqual([]);
    const over = canary(2, true);
    expect(outdatedCanaries([first, over])).toEqual([first]);
  });

  it('is told to run where it is the first', () => {
    expect(canaryState([canary(1, false)])).toMatchObject({ message: expect.stringContaining('the canary runs') });
  });
});
