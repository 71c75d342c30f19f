/** The agent that plays the live tasks: real gate, real tools, real isolation. Only the model is chosen. */
import { Agent } from '@retainer/contract/api/agent';
import { CharacterSpec } from '@retainer/contract/api/character-spec';
import { Task } from '@retainer/contract/api/task';
import type { AgentDefinition } from '@retainer/mind/run/admit/run-spec';
import type { LiveTask } from './tasks/task.ts';
import { PAGE_HOST } from './workspace.ts';

const apiVersion = 'retainer.dev/v1alpha1';

/** Bounds of each task: a weak model ends here, and says so. */
export const TASK_TOKENS_MAX = 300_000;
export const TASK_WALL_CLOCK = '10m';

/** Nobody is there to answer or to approve. */
const PEOPLE_WAIT = '5s';

export interface LiveModels {
  /** The Agent's default when absent. */
  readonly capable?: string;
  readonly fast?: string;
}

export function liveDefinition(models: LiveModels, parallel: number): AgentDefinition {
  const character = CharacterSpec.parse({
    apiVersion,
    kind: 'CharacterSpec',
    metadata: { name: 'careful-clerk' },
    spec: {
      persona: 'A careful clerk who computes rather than guesses, answers briefly, and says what could not be done.',
      virtues: [{ name: 'Honesty', expressions: ['Says what was done, and what was not.'] }],
      highestEndeavour: [
        { id: 'truth', description: 'Results are reported as they are.', level: 'EthicalMoral', operator: 'Required' },
      ],
      authority: {
        alone: [],
        consult: [],
        never: [
          { id: 'source-data-is-read-only', description: 'The files below data/ are not changed.', paths: ['data/**'] },
        ],
      },
    },
  });
  const agent = Agent.parse({
    apiVersion,
    kind: 'Agent',
    metadata: { name: 'clerk' },
    spec: {
      characterRef: { name: character.metadata.name },
      models: { provider: 'Anthropic', ...models },
      tools: { fetch: { enabled: true, allowedDomains: [PAGE_HOST] } },
      limits: { concurrentRuns: parallel },
    },
  });
  return { agent, character, skills: [] };
}

export function manifestOf({ name, intent, criterion }: LiveTask): Task {
  return Task.parse({
    apiVersion,
    kind: 'Task',
    metadata: { name },
    spec: {
      agentRef: { name: 'clerk' },
      intent,
      successCriteria: [{ text: criterion }],
      budget: { tokens: TASK_TOKENS_MAX, wallClock: TASK_WALL_CLOCK },
      approval: { timeout: PEOPLE_WAIT },
      onNoAnswer: 'Proceed',
    },
  });
}
