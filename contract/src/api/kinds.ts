import { Agent, agentDefinition } from './agent.ts';
import { CharacterSpec, characterSpecDefinition } from './character-spec.ts';
import type { KindDefinition } from './object.ts';
import { SandboxRun, sandboxRunDefinition } from './sandbox-run.ts';
import { Skill, skillDefinition } from './skill.ts';
import { Task, taskDefinition } from './task.ts';
import type { KindName } from './names.ts';

export const KIND_SCHEMAS = { Agent, Task, Skill, CharacterSpec, SandboxRun } as const;

export interface KindObjects {
  readonly Agent: Agent;
  readonly Task: Task;
  readonly Skill: Skill;
  readonly CharacterSpec: CharacterSpec;
  readonly SandboxRun: SandboxRun;
}

export const KIND_DEFINITIONS: Readonly<Record<KindName, KindDefinition>> = {
  Agent: agentDefinition,
  Task: taskDefinition,
  Skill: skillDefinition,
  CharacterSpec: characterSpecDefinition,
  SandboxRun: sandboxRunDefinition,
};
