import { describe, expect, it } from 'vitest';
import { condition, iso, observed, runObject, startMs, taskObject } from '../../../../test/support/observed-tasks.ts';
import { verifies } from '../../../../test/verifies.ts';
import { taskConditions } from '../../status/task/task-conditions.ts';
import { admissionOf } from './admission.ts';
import { removalAtMs } from './removal.ts';

const spec = { ttlSecondsAfterFinished: 60 };
const finished = { outcome: 'Succeeded', finishedAt: iso(startMs) };

describe('removalAtMs', () => {
  it.each([
    { name: 'is its time after its end', task: { spec, status: finished }, atMs: startMs + 60_000 },
    { name: 'is at once for 0', task: { spec: { ttlSecondsAfterFinished: 0 }, status: finished }, atMs: startMs },
    { name: 'is never without a time', task: { status: finished }, atMs: undefined },
    { name: 'is never while it runs', task: { spec, status: { finishedAt: iso(startMs) } }, atMs: undefined },
    {
      name: 'is never for a schedule',
      task: { spec: { ...spec, schedule: { cron: '@daily' } }, status: finished },
      atMs: undefined,
    },
    {
      name: 'counts from the condition where nobody wrote the time',
      task: {
        spec,
        status: { outcome: 'Failed', conditions: [condition('Failed', 'True', 'DeadlinePassed', startMs + 5000)] },
      },
      atMs: startMs + 65_000,
    },
    { name: 'is unknown where nobody wrote any time', task: { spec, status: { outcome: 'Failed' } }, atMs: undefined },
  ])('$name', ({ task, atMs }) => {
    expect(removalAtMs(observed(taskObject('a', task)))).toBe(atMs);
  });

  verifies('operator-task:deleted-after-time', 'waits for a Task that still has to see how it ended', () => {
    const waiting = taskObject('b', { spec: { dependsOn: [{ name: 'a' }] } });
    const admitted = taskObject('b', {
      spec: { dependsOn: [{ name: 'a' }] },
      status: { conditions: [condition('Admitted', 'True', 'Admitted')] },
    });
    const task = taskObject('a', { spec, status: finished });
    expect(removalAtMs(observed(task, { others: [waiting] }))).toBeUndefined();
    expect(removalAtMs(observed(task, { others: [admitted] }))).toBe(startMs + 60_000);
  });

  verifies('operator-task:deleted-after-time', 'waits for the schedule that has not counted its run', () => {
    const at = { momentMs: startMs, runNumber: 3 };
    const schedule = (runs: number) =>
      taskObject('daily', { spec: { schedule: { cron: '@daily' } }, status: { runs } });
    const made = runObject(schedule(0), at);
    const run = { ...made, spec: { ...(made['spec'] as object), ...spec }, status: finished };
    expect(removalAtMs(observed(run, { others: [schedule(2)] }))).toBeUndefined();
    expect(removalAtMs(observed(run, { others: [schedule(3)] }))).toBe(startMs + 60_000);
    expect(removalAtMs(observed(run))).toBe(startMs + 60_000);
  });

  const tracked = { 'argocd.argoproj.io/tracking-id': 'app:retainer.dev/Task:team/a' };
  const flux = (group: string) => ({ [`${group}/name`]: 'apps', [`${group}/namespace`]: 'flux-system' });
  const instance = { 'app.kubernetes.io/instance': 'apps' };
  const kept = [
    { name: 'Argo CD’s annotation', metadata: { annotations: tracked }, by: 'Argo CD' },
    { name: 'Argo CD’s own label', metadata: { labels: { 'argocd.argoproj.io/instance': 'apps' } }, by: 'Argo CD' },
    { name: 'Argo CD’s label of old', metadata: { labels: instance }, by: 'Argo CD' },
    { name: 'a Kustomization of Flux', metadata: { labels: flux('kustomize.toolkit.fluxcd.io') }, by: 'Flux' },
    { name: 'a HelmRelease of Flux', metadata: { labels: flux('helm.toolkit.fluxcd.io') }, by: 'Flux' },
  ];
  for (const { name, metadata, by } of kept)
    verifies('operator-task:kept-for-git', `is never for a Task with ${name}, and Ready says so`, () => {
      const seen = observed(taskObject('a', { spec, status: finished, metadata }));
      expect(removalAtMs(seen)).toBeUndefined();
      const judged = {
        observed: seen,
        admission: admissionOf(seen, startMs),
        ...{ end: undefined, plan: undefined, nowMs: startMs },
      };
      expect(taskConditions(judged)[0]?.message).toContain(`since ${by} would create the Task again`);
    });

  it.each([
    { name: 'a release of Helm', metadata: { labels: instance, annotations: { 'meta.helm.sh/release-name': 'apps' } } },
    { name: 'a chart', metadata: { labels: { ...instance, 'app.kubernetes.io/managed-by': 'Helm' } } },
    { name: 'half a label of Flux', metadata: { labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps' } } },
  ])('is its time after its end for a Task of $name', ({ metadata }) => {
    const seen = observed(taskObject('a', { spec, status: finished, metadata }));
    expect(removalAtMs(seen)).toBe(startMs + 60_000);
    const judged = {
      observed: seen,
      admission: admissionOf(seen, startMs),
      ...{ end: undefined, plan: undefined, nowMs: startMs },
    };
    expect(taskConditions(judged)[0]?.message).not.toContain('create the Task again');
  });

  verifies('operator-task:kept-for-git', 'is its time after its end for a Task of a schedule that Git keeps', () => {
    const schedule = taskObject('daily', {
      spec: { schedule: { cron: '@daily' } },
      status: { runs: 3 },
      metadata: { annotations: tracked },
    });
    const made = runObject(schedule, { momentMs: startMs, runNumber: 3 });
    const metadata = { ...made.metadata, annotations: { ...made.metadata.annotations, ...tracked } };
    const run = { ...made, metadata, spec: { ...(made['spec'] as object), ...spec }, status: finished };
    expect(removalAtMs(observed(run, { others: [schedule] }))).toBe(startMs + 60_000);
  });
});
