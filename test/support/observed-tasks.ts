/** Tasks and Agents as an API server has them, and caches that hold them, for tests of the operator's thinking. */
import { API_VERSION, ANNOTATIONS } from '../../contract/src/api/names.ts';
import { ObjectCache } from '@retainer/kube/object-cache';
import type { KubeObject } from '@retainer/kube/kube-object';
import { observeTask, taskIndexes, type ObservedTask } from '../../operator/src/observe/observe-task.ts';

/** Any moment; written times of these tests are relative to it. */
export const startMs = Date.UTC(2030, 0, 1);
export const minuteMs = 60_000;
export const iso = (atMs: number): string => new Date(atMs).toISOString().replace('.000Z', 'Z');

interface Parts {
  readonly spec?: object;
  readonly status?: object;
  readonly metadata?: object;
}

export function taskObject(name: string, { spec = {}, status, metadata = {} }: Parts = {}): KubeObject {
  return {
    apiVersion: API_VERSION,
    kind: 'Task',
    metadata: {
      name,
      namespace: 'team',
      uid: `uid-${name}`,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: iso(startMs),
      ...metadata,
    },
    spec: { agentRef: { name: 'ada' }, intent: 'Count the words.', ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

export function agentObject({ spec = {}, status, metadata = {} }: Parts = {}): KubeObject {
  return {
    apiVersion: API_VERSION,
    kind: 'Agent',
    metadata: { name: 'ada', namespace: 'team', uid: 'uid-ada', resourceVersion: '1', generation: 1, ...metadata },
    spec: { characterRef: { name: 'calm' }, ...spec },
    status: status ?? {
      conditions: [condition('Ready', 'True', 'AgentReady'), condition('PodReady', 'True', 'AgentReady')],
    },
  };
}

export function condition(type: string, status: 'True' | 'False', reason: string, atMs = startMs): object {
  return { type, status, reason, message: '', lastTransitionTime: iso(atMs) };
}

/** A Task that a schedule made. */
export function runObject(
  schedule: KubeObject,
  at: { readonly momentMs: number; readonly runNumber: number; readonly outcome?: string },
): KubeObject {
  return taskObject(`${schedule.metadata.name}-${at.runNumber}`, {
    metadata: {
      ownerReferences: [
        {
          apiVersion: API_VERSION,
          kind: 'Task',
          name: schedule.metadata.name,
          uid: schedule.metadata.uid,
          controller: true,
        },
      ],
      annotations: { [ANNOTATIONS.scheduledFor]: iso(at.momentMs), [ANNOTATIONS.scheduleRun]: String(at.runNumber) },
    },
    ...(at.outcome === undefined ? {} : { status: { outcome: at.outcome } }),
  });
}

/** What a pass over the Task sees; the Agent `ada` exists and is ready unless it says otherwise. */
export function observed(
  task: KubeObject,
  {
    agents = [agentObject()],
    others = [],
  }: { readonly agents?: readonly KubeObject[]; readonly others?: readonly KubeObject[] } = {},
): ObservedTask {
  const caches = { tasks: new ObjectCache(taskIndexes), agents: new ObjectCache() };
  for (const other of [task, ...others]) caches.tasks.put(other);
  for (const agent of agents) caches.agents.put(agent);
  const result = observeTask(task, caches);
  if (!result.ok) throw new Error(`the Task does not fit its schema at ${result.error}`);
  return result.value;
}
