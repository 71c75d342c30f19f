import { describe, expect, it } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { Metrics } from '@retainer/kube/metrics';
import { RootGoneError } from '../apply/applier.ts';
import { ControllerQueue } from './controller-queue.ts';
import type { Outcome } from './outcome.ts';

const KEY = { namespace: 'a', name: 'one' };
const gone = new RootGoneError('Agent a/one no longer exists; the cache does not show this yet');

/** What is logged, and what a metric counts, after one pass that comes to this. */
async function afterPass(outcome: Outcome): Promise<{ readonly logged: readonly string[]; readonly counted: string }> {
  const metrics = new Metrics();
  const logged: string[] = [];
  const { queue } = new ControllerQueue({
    controller: { name: 'agent', concurrency: 1, watches: [], reconcile: () => Promise.resolve(outcome) },
    clock: manualClock(),
    random: () => 0,
    metrics: metrics.controller('agent', 1),
    observer: metrics.queueObserver('agent'),
    onFailed: (_name, _key, error) => logged.push(error.message),
  });
  queue.add(KEY);
  queue.start();
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  await queue.stop(0);
  const text = await metrics.registry.metrics();
  return { logged, counted: /controller_runtime_reconcile_errors_total\{.*\} (\d+)/.exec(text)?.[1] ?? 'nothing' };
}

describe('a pass that failed', () => {
  it('is told and counted', async () => {
    const told = await afterPass({ type: 'Failed', error: new Error('the disk is full') });
    expect(told).toStrictEqual({ logged: ['the disk is full'], counted: '1' });
  });

  it('is neither where the object is gone and only its event is missing', async () => {
    const error = new Error('failed to apply Service a/retainer-one', { cause: gone });
    expect(await afterPass({ type: 'Failed', error })).toStrictEqual({ logged: [], counted: '0' });
  });
});
