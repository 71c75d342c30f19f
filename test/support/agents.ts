/** Agents for tests: real journal, real gate, real tools, scripted model. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from '@retainer/contract/api/agent';
import { CharacterSpec } from '@retainer/contract/api/character-spec';
import { Task } from '@retainer/contract/api/task';
import type { AgentDefinition } from '@retainer/mind/run/admit/run-spec';
import { openModel } from '@retainer/agent-pod/infer/open-model';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import type { Clock } from '@retainer/contract/std/clock';
import { systemClock } from '@retainer/contract/std/system-clock';
import { REMOVAL } from './temporary-directory.ts';

const apiVersion = 'retainer.dev/v1alpha1';

/** A small character: nothing below `data/` may be changed. */
export function characterSpec(spec: object = {}): CharacterSpec {
  return CharacterSpec.parse({
    apiVersion,
    kind: 'CharacterSpec',
    metadata: { name: 'careful' },
    spec: {
      persona: 'A careful analyst.',
      virtues: [{ name: 'honesty', expressions: ['says what happened'] }],
      highestEndeavour: [
        {
          id: 'truth',
          description: 'Tell the truth.',
          level: 'EthicalMoral',
          operator: 'Required',
          modality: 'Possible',
        },
      ],
      authority: {
        alone: [],
        consult: [{ id: 'notes-need-leave', description: 'Changing notes needs leave.', paths: ['notes/**'] }],
        never: [{ id: 'data-is-read-only', description: 'Source data is never changed.', paths: ['data/**'] }],
      },
      ...spec,
    },
  });
}

export function agentDefinition(overrides: object = {}, character: CharacterSpec = characterSpec()): AgentDefinition {
  const agent = Agent.parse({
    apiVersion,
    kind: 'Agent',
    metadata: { name: 'ada' },
    spec: { characterRef: { name: 'careful' }, models: { provider: 'Scripted', script: 'script.yaml' }, ...overrides },
  });
  return { agent, character, skills: [] };
}

export function task(name: string, intent: string, spec: object = {}): Task {
  return Task.parse({
    apiVersion,
    kind: 'Task',
    metadata: { name },
    spec: { agentRef: { name: 'ada' }, intent, ...spec },
  });
}

export async function scripted(scriptText: string, clock: Clock = systemClock): Promise<ModelPort> {
  const model = await openModel(
    { provider: 'Scripted', scriptText, scriptName: 'test script' },
    { clock, random: () => 0 },
  );
  if (!model.ok) throw new Error(model.error.join('\n'));
  return model.value;
}

/** A directory that is gone after `use`. */
export async function inTemporaryDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'retainer-test-'));
  try {
    return await use(directory);
  } finally {
    await rm(directory, REMOVAL);
  }
}
