/** Work that is to become a run: a Task, or a firing of a job. Both are admitted under the Agent as it is now. */
import { allowsTool } from '@retainer/contract/api/agent-tools';
import type { Task } from '@retainer/contract/api/task';
import { assembleRunSpec, type AgentDefinition } from '@retainer/mind/run/admit/run-spec';
import { originOfTask, type RunOrigin } from '@retainer/mind/run/run-cause';
import { surroundingsOf } from './asked-models.ts';
import { heldIfBegun } from './input/task-begun.ts';
import { attemptOrigin, runIdOfTask, scheduledOf } from './input/task-identity.ts';
import type { AgentRuntime } from './loop/agent-runtime.ts';
import type { ModelPort } from './ports/ports.ts';
import type { ToolRegistry } from './tools/registry.ts';

export interface Admission {
  readonly definition: AgentDefinition;
  readonly model: ModelPort;
  readonly environment: string;
  readonly runtime: AgentRuntime;
  readonly registry: ToolRegistry;
  readonly characterDigest: string;
  /** See `heldIfBegun`. */
  readonly restoredFrom: string | undefined;
}

interface Admitted {
  readonly runId: string;
  readonly originId: string;
  readonly source: string;
  readonly origin: RunOrigin;
  readonly held?: ReturnType<typeof heldIfBegun>;
}

/** @returns false where the origin was accepted before */
export async function admitRun(admission: Admission, task: Task, admitted: Admitted): Promise<boolean> {
  const { definition, model, environment, runtime, registry, characterDigest } = admission;
  const { runId, originId, source, origin, held = {} } = admitted;
  const { deadline } = task.spec.constraints;
  const spec = assembleRunSpec(definition, task, {
    runId,
    characterDigest,
    tools: registry.specs(registry.names.filter((name) => allowsTool(definition.agent.spec.tools, name))),
    deadlineMs: deadline === undefined ? undefined : Date.parse(deadline),
    ...origin,
    ...ownersOf(definition),
    environment,
    ...surroundingsOf(definition.agent, model),
    facts: await runtime.factsFor(task.spec.intent, origin.principal),
    session: runtime.session(origin.conversation, origin.principal),
  });
  return runtime.accept(originId, source, { type: 'StartRun', spec, ...held });
}

/** Who may read by mail what Tasks left. */
function ownersOf({ agent }: AgentDefinition): { readonly owners?: readonly string[] } {
  const { email } = agent.spec.channels;
  return email === undefined ? {} : { owners: email.owners };
}

/** Takes a Task (name and work) once, however often it comes. @returns its run, and whether it is new */
export async function submitTask(
  admission: Admission,
  task: Task,
  source: string,
): Promise<{ readonly runId: string; readonly isNew: boolean }> {
  const { runtime, restoredFrom } = admission;
  const attempt = runtime.attemptOf((it) => runIdOfTask(task, it));
  const runId = runIdOfTask(task, attempt);
  const origin = originOfTask(task.metadata, scheduledOf(task));
  const held = attempt === 1 ? heldIfBegun(task, restoredFrom) : {};
  const originId = attemptOrigin(task, attempt);
  return { runId, isNew: await admitRun(admission, task, { runId, originId, source, origin, held }) };
}
