/** What agents and runners tell: Tasks taken and finished once they are admitted, code that ran once its sandbox is ready. */
import type { Clock } from '@retainer/contract/std/clock';
import { agentPodName } from '@retainer/contract/api/child-names';
import { FIELD_MANAGERS } from '@retainer/contract/api/names';
import { resources } from '@retainer/kube/resources';
import { readyAtEnd, type TaskEnd } from '../../../agent-pod/src/deliver/ready-at-end.ts';
import type { FakeApiServer } from '../fake-api-server/fake-api-server.ts';
import { memberAt, textAt, type Json, type StoredObject } from '../fake-api-server/json.ts';
import { timeText } from '../fake-api-server/writes.ts';
import { endPod } from './simulated-kubelet.ts';

/** One pass over all Tasks and SandboxRuns. */
export function tickAgents(server: FakeApiServer, clock: Clock): void {
  for (const task of server.list(resources.tasks)) tickTask(server, clock, task);
  for (const run of server.list(resources.sandboxRuns)) tickRun(server, clock, run);
}

interface Condition {
  readonly type: string;
  readonly status: string;
}

function conditionOf(object: StoredObject, type: string): string | undefined {
  const conditions = (memberAt(object, 'status.conditions') ?? []) as readonly Condition[];
  return conditions.find((condition) => condition.type === type)?.status;
}

function isAgentReady(server: FakeApiServer, object: StoredObject): boolean {
  const namespace = object.metadata.namespace ?? '';
  const pod = server.get(resources.pods, { namespace, name: agentPodName(textAt(object, 'spec.agentRef.name')) });
  return pod !== undefined && conditionOf(pod, 'Ready') === 'True' && pod.metadata.deletionTimestamp === undefined;
}

export const RELEASED_PREFIX = 'released-';

/** Tasks and SandboxRuns of these names are nobody's but the test's, which plays their agent. */
export const PLAYED_PREFIX = 'played-';

function tickTask(server: FakeApiServer, clock: Clock, task: StoredObject): void {
  if (task.metadata.name.startsWith(PLAYED_PREFIX)) return;
  if (memberAt(task, 'status.outcome') !== undefined || memberAt(task, 'spec.schedule') !== undefined) return;
  if (conditionOf(task, 'Admitted') !== 'True' || !isAgentReady(server, task)) return;
  const at = timeText(clock.nowMs());
  const acceptedAt = textAt(task, 'status.acceptedAt');
  if (acceptedAt === '')
    return report(server, task, { acceptedAt: at, startedAt: at, conditions: [running('True', at)] });
  report(server, task, {
    acceptedAt,
    startedAt: acceptedAt,
    finishedAt: at,
    outcome: 'Succeeded',
    runId: `run-of-${task.metadata.name}`,
    conditions: [...toldAtEnd(task, clock.nowMs()), running('False', at)],
  });
}

function toldAtEnd(task: StoredObject, atMs: number): readonly Json[] {
  const before = (memberAt(task, 'status.conditions') ?? []) as TaskEnd['before'];
  const { generation = 1 } = task.metadata;
  return readyAtEnd({ outcome: 'Succeeded', reason: 'Succeeded', unmet: [], atMs, before }).map(
    ({ atMs: changedMs, ...told }) => ({
      ...told,
      observedGeneration: generation,
      lastTransitionTime: timeText(changedMs),
    }),
  );
}

function running(status: string, at: string): Json {
  return { type: 'Running', status, reason: 'Running', message: '', lastTransitionTime: at };
}

function report(server: FakeApiServer, task: StoredObject, status: Json): void {
  const { name, namespace = '', uid } = task.metadata;
  const object = { metadata: { name, namespace, uid }, status };
  server.applyAs(FIELD_MANAGERS.agentTaskStatus, resources.tasks, object, 'status');
}

/**
 * The code of a ready sandbox ends at once, unless its run is named `long-…`: then it goes on until the run is gone. Of a run named
 * `released-…` its agent has the result and ends the sandbox; of others the agent is gone.
 */
function tickRun(server: FakeApiServer, clock: Clock, run: StoredObject): void {
  const { name } = run.metadata;
  if (name.startsWith('long-') || name.startsWith(PLAYED_PREFIX)) return;
  const podUid = textAt(run, 'status.podUid');
  if (podUid === '' || memberAt(run, 'status.finishedAt') !== undefined) return;
  const pod = server.list(resources.pods).find(({ metadata }) => metadata.uid === podUid);
  if (pod === undefined || textAt(pod, 'status.phase') !== 'Running') return;
  const released = name.startsWith(RELEASED_PREFIX);
  endPod(
    server,
    clock,
    pod,
    JSON.stringify({ end: 'Exited', exitCode: 0, truncated: false, durationMs: 10, released }),
  );
}
