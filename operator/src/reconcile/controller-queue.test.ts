import { describe, expect, it } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { Metrics } from '@retainer/kube/metrics';
import { RootGoneError } from '../apply/applier.ts';
import { ControllerQueue } from './controller-queue.ts';
import type { Outcome } from './outcome.ts';

const KEY = { namespace: 'a', name: 'one' };
const gone = new RootGoneError('Agent a/one no longer exists; the cache does not show this yet');

interface Told {
  readonly logged: readonly string[];
  /** Passes by what they came to, then those that threw. */
  readonly counted: string;
}

/** What is logged and counted of one pass. */
async function afterPass(pass: () => Promise<Outcome>): Promise<Told> {
  const metrics = new Metrics();
  const logged: string[] = [];
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const counts = metrics.controller('agent', 1);
  const { queue } = new ControllerQueue({
    controller: { name: 'agent', concurrency: 1, watches: [], reconcile: pass },
    clock: manualClock(),
    random: () => 0,
    metrics: counts,
    observer: { ...metrics.queueObserver('agent'), finished: () => end() },
    onFailed: (_name, _key, error) => logged.push(error.message),
  });
  queue.add(KEY);
  queue.start();
  await ended;
  await queue.stop(0);
  const text = await metrics.registry.metrics();
  const passes = [...text.matchAll(/reconcile_total\{.*result="(\w+)".*\} 1$/gm)].map(([, result]) => result);
  return { logged, counted: `${passes.join()}, ${/reconcile_panics_total\{.*\} (\d+)/.exec(text)?.[1]} thrown` };
}

describe('a pass that failed', () => {
  const full = new Error('the disk is full');
  const unmade = new Error('failed to apply Service a/retainer-one', { cause: gone });

  const cases: readonly (readonly [string, () => Promise<Outcome>, readonly string[], string])[] = [
    ['is told and counted', () => Promise.resolve({ type: 'Failed', error: full }), [full.message], 'error, 0 thrown'],
    ['is told and counted as thrown', () => Promise.reject(full), [full.message], 'error, 1 thrown'],
    [
      'is neither where its object is gone',
      () => Promise.resolve({ type: 'Failed', error: unmade }),
      [],
      'requeue_after, 0 thrown',
    ],
    ['is neither where it threw because of that', () => Promise.reject(unmade), [], 'requeue_after, 0 thrown'],
  ];
  it.each(cases)('%s', async (_, pass, logged, counted) => {
    expect(await afterPass(pass)).toStrictEqual({ logged, counted });
  });
});
