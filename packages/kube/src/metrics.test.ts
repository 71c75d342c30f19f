import { describe, expect } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { Metrics } from './metrics.ts';
import { priority, WorkQueue } from './work-queue.ts';

/** The lines of one metric, without comments. */
async function linesOf({ registry }: Metrics, name: string): Promise<readonly string[]> {
  const text = await registry.getSingleMetricAsString(name);
  return text.split('\n').filter((line) => !line.startsWith('#') && line !== '');
}

describe('metrics', () => {
  verifies('kube:metrics-as-dashboards-expect', 'exist before anything happened', async () => {
    const metrics = new Metrics();
    metrics.controller('agent', 4);
    metrics.queueObserver('agent');
    expect(await linesOf(metrics, 'controller_runtime_reconcile_total')).toEqual(
      ['success', 'error', 'requeue', 'requeue_after'].map(
        (result) => `controller_runtime_reconcile_total{controller="agent",result="${result}"} 0`,
      ),
    );
    for (const name of ['reconcile_errors', 'terminal_reconcile_errors', 'reconcile_panics', 'reconcile_timeouts'])
      expect(await linesOf(metrics, `controller_runtime_${name}_total`)).toEqual([
        `controller_runtime_${name}_total{controller="agent"} 0`,
      ]);
    expect(await linesOf(metrics, 'controller_runtime_max_concurrent_reconciles')).toEqual([
      'controller_runtime_max_concurrent_reconciles{controller="agent"} 4',
    ]);
    for (const name of ['adds', 'retries'])
      expect(await linesOf(metrics, `workqueue_${name}_total`)).toEqual([
        `workqueue_${name}_total{name="agent",controller="agent"} 0`,
      ]);
    const buckets = await linesOf(metrics, 'controller_runtime_reconcile_time_seconds');
    expect(buckets.filter((line) => line.includes('_bucket'))).toHaveLength(41);
    for (const name of ['queue', 'work'])
      expect(await linesOf(metrics, `workqueue_${name}_duration_seconds`)).toHaveLength(13 + 2);
  });

  verifies('kube:metrics-as-dashboards-expect', 'count what happened', async () => {
    const metrics = new Metrics();
    const controller = metrics.controller('agent', 1);
    controller.started();
    controller.started();
    controller.finished('error', 0.2);
    controller.stalled();
    controller.panicked();
    metrics.requestAnswered({ method: 'GET', host: 'api', code: '200' });
    expect(await linesOf(metrics, 'controller_runtime_reconcile_errors_total')).toEqual([
      'controller_runtime_reconcile_errors_total{controller="agent"} 1',
    ]);
    expect(await linesOf(metrics, 'controller_runtime_active_workers')).toEqual([
      'controller_runtime_active_workers{controller="agent"} 1',
    ]);
    expect(await linesOf(metrics, 'rest_client_requests_total')).toEqual([
      'rest_client_requests_total{code="200",method="GET",host="api"} 1',
    ]);
    let isHeld = false;
    metrics.watchLeader('operator', () => isHeld);
    expect(await linesOf(metrics, 'leader_election_master_status')).toEqual([
      'leader_election_master_status{name="operator"} 0',
    ]);
    isHeld = true;
    expect(await linesOf(metrics, 'leader_election_master_status')).toEqual([
      'leader_election_master_status{name="operator"} 1',
    ]);
  });

  verifies('kube:metrics-as-dashboards-expect', 'show a queue: depth by priority, work that never ends', async () => {
    const metrics = new Metrics();
    const clock = manualClock();
    const queue = new WorkQueue({
      ...{ name: 'agent', clock, concurrency: 1, deadlineMs: 60_000, onPanic: () => undefined },
      observer: metrics.queueObserver('agent'),
      work: () => new Promise(() => undefined),
    });
    metrics.watchQueue(queue);
    for (const name of ['1', '2']) queue.add({ namespace: 'a', name });
    queue.add({ namespace: 'a', name: '3' }, priority.low);
    queue.start();
    await new Promise(setImmediate);
    clock.advance(7_000);
    expect(await linesOf(metrics, 'workqueue_depth')).toEqual([
      'workqueue_depth{name="agent",controller="agent",priority="0"} 1',
      'workqueue_depth{name="agent",controller="agent",priority="-100"} 1',
    ]);
    for (const name of ['unfinished_work_seconds', 'longest_running_processor_seconds'])
      expect(await linesOf(metrics, `workqueue_${name}`)).toEqual([
        `workqueue_${name}{name="agent",controller="agent"} 7`,
      ]);
    expect(await linesOf(metrics, 'workqueue_adds_total')).toEqual([
      'workqueue_adds_total{name="agent",controller="agent"} 3',
    ]);
  });
});
