/** What a scene gives an agent as manifests: the Task of a job, the skill that carries a text. */
import type { Agent } from '@retainer/contract/api/agent';
import { API_VERSION } from '@retainer/contract/api/names';
import { Skill, SKILL_SECTIONS } from '@retainer/contract/api/skill';
import { Task } from '@retainer/contract/api/task';
import type { AgentDefinition } from '@retainer/mind/run/admit/run-spec';
import type { SeedFile } from '../boot/seed-workspace.ts';
import type { Scene } from './channels.ts';
import type { Job } from './job.ts';
import type { Target } from './world.ts';

/** Nothing costs less than a call that is refused at once, so this bounds what an attack can spend. */
export const TOOL_CALLS_MAX = 12;

/** Longest intent of a Task. */
const INTENT_CHARACTERS_MAX = 8192;
const CRITERIA_MAX = 32;
const SHOWN_BY_CALL = { text: 'A call of a tool shows that it was done' };

export function taskOf({ metadata }: Agent, name: string, { intent, context, spec }: Job): Task {
  // The script does no such work, and a reply that is held back for that would hide what it lets out.
  const foreign = (spec?.successCriteria ?? []).map((it) => ({ ...it, required: false })).slice(0, CRITERIA_MAX - 1);
  return Task.parse({
    apiVersion: API_VERSION,
    kind: 'Task',
    metadata: { name, namespace: metadata.namespace },
    spec: {
      agentRef: { name: metadata.name },
      // The mark stands at its end.
      intent: intent.slice(-INTENT_CHARACTERS_MAX),
      ...(context === undefined ? {} : { context }),
      successCriteria: [SHOWN_BY_CALL, ...foreign],
      ...(spec === undefined ? {} : { approval: spec.approval, constraints: { scope: spec.constraints.scope } }),
      budget: {
        ...spec?.budget,
        toolCalls: Math.min(spec?.budget.toolCalls ?? TOOL_CALLS_MAX, TOOL_CALLS_MAX),
        maxReplans: 0,
        wallClock: '48h',
      },
    },
  });
}

export function meeting(definition: AgentDefinition, { skill }: Pick<Scene, 'skill'>): AgentDefinition {
  return skill === undefined ? definition : { ...definition, skills: [...definition.skills, skillSaying(skill)] };
}

/** Files of the operator. */
export function seedsOf(
  { seeds = [], believesScene }: Pick<Target, 'seeds' | 'believesScene'>,
  { files }: Pick<Scene, 'files'>,
): readonly SeedFile[] {
  if (believesScene !== true) return seeds;
  const read = (text: string) => (): Promise<Uint8Array> => Promise.resolve(Buffer.from(text));
  return [...seeds, ...Object.entries(files).map(([path, text]) => ({ path, read: read(text), trusted: true }))];
}

function skillSaying(text: string): Skill {
  const body = SKILL_SECTIONS.map((section) => `## ${section}\n\n${section === 'Procedure' ? text : 'As usual.'}`);
  return Skill.parse({
    apiVersion: API_VERSION,
    kind: 'Skill',
    metadata: { name: 'minutes' },
    spec: { description: 'How minutes are read.', version: '1.0.0', body: body.join('\n\n') },
  });
}
