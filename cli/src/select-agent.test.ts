import { describe, expect, it } from 'vitest';
import type { ManifestObject } from '@retainer/contract/manifest/parse-manifests';
import { renderManifestError } from '@retainer/contract/manifest/manifest-error';
import { verifies } from '../../test/verifies.ts';
import { agentDefinition, characterSpec, task } from '../../test/support/agents.ts';
import { selectAgent } from './select-agent.ts';

const at = { file: 'all.yaml', line: 7 };
const character: ManifestObject = { kind: 'CharacterSpec', object: characterSpec(), file: 'character.yaml', line: 1 };
const agentNamed = (name: string, overrides: object = {}): ManifestObject => {
  const { agent } = agentDefinition(overrides);
  return { kind: 'Agent', object: { ...agent, metadata: { ...agent.metadata, name } }, ...at };
};
const taskNamed = (name: string, spec: object = {}): ManifestObject => ({
  kind: 'Task',
  object: task(name, 'work', spec),
  ...at,
});
const errorsOf = (objects: readonly ManifestObject[], name?: string): readonly string[] => {
  const selected = selectAgent(objects, name);
  return selected.ok ? [] : selected.error.map(renderManifestError);
};

describe('selectAgent', () => {
  it('takes the only Agent with its character and its own Tasks', () => {
    const other = taskNamed('other', { agentRef: { name: 'bob' } });
    const selected = selectAgent([character, agentNamed('ada'), agentNamed('bob'), taskNamed('one'), other], 'ada');
    expect(selected).toMatchObject({
      ok: true,
      value: { agentFile: 'all.yaml', characterFile: 'character.yaml', tasks: [{ metadata: { name: 'one' } }] },
    });
  });

  const faults: readonly {
    readonly name: string;
    readonly objects: readonly ManifestObject[];
    readonly agent?: string;
    readonly error: RegExp;
  }[] = [
    { name: 'no Agent at all', objects: [character], error: /found no Agent/ },
    {
      name: 'several Agents and no choice',
      objects: [character, agentNamed('ada'), agentNamed('bob')],
      error: /choose with --agent: ada, bob/,
    },
    {
      name: 'an Agent that is not there',
      objects: [character, agentNamed('ada')],
      agent: 'adda',
      error: /did you mean ada/,
    },
    {
      name: 'a character that is not there',
      objects: [agentNamed('ada')],
      error: /^all\.yaml:7: Agent\/ada: spec\.characterRef\.name: found "careful".*the manifests have none/,
    },
    {
      name: 'a misspelt skill',
      objects: [character, agentNamed('ada', { skillRefs: [{ name: 'charts' }] })],
      error: /spec\.skillRefs\[0\]\.name: found "charts"/,
    },
    {
      name: 'a Task of an Agent that is not there',
      objects: [character, agentNamed('ada'), taskNamed('one', { agentRef: { name: 'bob' } })],
      error: /Task\/one: spec\.agentRef\.name: found "bob".*the manifests have ada/,
    },
    {
      name: 'a dependency that is not there',
      objects: [character, agentNamed('ada'), taskNamed('one', { dependsOn: [{ name: 'two' }] })],
      error: /Task\/one: spec\.dependsOn\[0\]\.name/,
    },
    {
      name: 'a dependency on a Task of another Agent',
      objects: [
        character,
        agentNamed('ada'),
        agentNamed('bob'),
        taskNamed('one', { dependsOn: [{ name: 'two' }] }),
        taskNamed('two', { agentRef: { name: 'bob' } }),
      ],
      agent: 'ada',
      error:
        /^all\.yaml:7: Task\/one: spec\.dependsOn\[0\]\.name: found "two", a Task of the Agent bob.*of the same Agent, ada/,
    },
    {
      name: 'a circle of dependencies',
      objects: [
        character,
        agentNamed('ada'),
        taskNamed('one', { dependsOn: [{ name: 'two' }] }),
        taskNamed('two', { dependsOn: [{ name: 'one' }] }),
      ],
      error: /a circle: one → two → one/,
    },
  ];
  for (const { name, objects, agent, error } of faults) {
    verifies('cli:references-resolved', `names ${name}`, () => {
      expect(errorsOf(objects, agent).join('\n')).toMatch(error);
    });
  }

  verifies('cli:references-resolved', 'tells all faults at once', () => {
    const objects = [
      agentNamed('ada', { skillRefs: [{ name: 'charts' }] }),
      taskNamed('one', { agentRef: { name: 'bob' } }),
    ];
    expect(errorsOf(objects)).toHaveLength(3);
  });
});
