/** What has no effect yet: one table, shown in the documentation and warned of by `retainer run`. */
import { describe, expect, it } from 'vitest';
import { structuralSchema, type StructuralSchema } from '@retainer/contract/api/crd';
import { KIND_DEFINITIONS } from '@retainer/contract/api/kinds';
import { fieldSchema } from '@retainer/contract/manifest/cel-rules';
import { Skill } from '@retainer/contract/api/skill';
import { clusterFields, notYet } from '@retainer/contract/api/not-yet';
import { unplayedWorkers } from '@retainer/contract/api/unplayed-workers';
import {
  effectCheck,
  notYetWarnings,
  renderNotYetWarnings,
  type CheckedObject,
} from '@retainer/contract/manifest/fields-without-effect';
import { renderNotYet } from '../../contract/gen/render-not-yet.ts';
import { agentDefinition, characterSpec, task } from '../support/agents.ts';
import { shippedCharacter } from '../support/shipped-character.ts';
import { verifies } from '../verifies.ts';

const kinds = ['Agent', 'Task', 'Skill', 'CharacterSpec', 'SandboxRun'] as const;

function schemaAt(schema: StructuralSchema | undefined, path: string): StructuralSchema | undefined {
  return path.split('.').reduce((at, segment) => {
    const child = at === undefined ? undefined : fieldSchema(at, segment.replace('[]', ''));
    return segment.endsWith('[]') ? child?.items : child;
  }, schema);
}

const told = (object: CheckedObject): readonly string[] =>
  notYetWarnings([object]).map(({ kind, name, path, instead }) => `${kind} ${name}: ${path} (${instead})`);
const skill = (spec: object): Skill =>
  Skill.parse({
    apiVersion: 'retainer.dev/v1alpha1',
    kind: 'Skill',
    metadata: { name: 'charts' },
    spec: { description: 'How to draw.', version: '1.0.0', body: 'text', ...spec },
  });

describe('the table of what has no effect yet', () => {
  it.each(notYet)('names a field that there is: $kind $path', ({ kind, path }) => {
    expect(schemaAt(structuralSchema(KIND_DEFINITIONS[kind]), path)).toBeDefined();
  });

  it('names no field twice', () => {
    const rows = notYet.map(({ kind, path, unless }) => ({ path: `${kind}.${path}.`, isWhole: unless === undefined }));
    const isTwice = (row: (typeof rows)[number]): boolean =>
      rows.some((other) => other !== row && other.isWhole && row.path.startsWith(other.path));
    expect(rows.filter(isTwice)).toEqual([]);
  });

  it('has a line for each field that holds on a cluster alone', () => {
    for (const kind of kinds) {
      const held = notYet.filter((it) => it.kind === kind && it.holdsOnCluster).map(({ path }) => path);
      expect(held.toSorted()).toEqual(clusterFields[kind].toSorted());
    }
  });

  it('is what docs/not-yet.md says', async () => {
    await expect(renderNotYet()).toMatchFileSnapshot('../../docs/not-yet.md');
  });
});

describe('notYetWarnings', () => {
  it('says nothing of defaults', () => {
    const objects = [agentDefinition().agent, characterSpec(), task('one', 'work'), skill({})];
    expect(notYetWarnings(objects)).toEqual([]);
  });

  verifies('cli:says-what-has-no-effect', 'names each field that is set, once, and what happens instead', () => {
    const { agent } = agentDefinition({
      memory: {
        gitRemote: { url: 'https://git.example/ada', credentialsSecretRef: { name: 'git' } },
        snapshots: { daily: 2 },
      },
      tools: {
        mcpServers: [
          { name: 'one', url: 'https://one.example', tools: [{ name: 'a', effectClass: 0 }] },
          { name: 'two', url: 'https://two.example', tools: [{ name: 'b', effectClass: 0 }] },
        ],
      },
    });
    expect(told(agent)).toEqual([
      expect.stringMatching(
        /^Agent ada: spec\.memory\.gitRemote\.credentialsSecretRef.* \(name and password come from/,
      ),
      expect.stringMatching(/^Agent ada: spec\.memory\.snapshots\.daily \(/),
      'Agent ada: spec.tools.mcpServers (the agent uses no tool servers)',
    ]);
  });

  it('names who does nothing, and says nothing of who does', () => {
    const { agent } = agentDefinition({
      models: {
        provider: 'Scripted',
        script: 'script.yaml',
        roles: [
          { role: 'Coder', tier: 'Fast' },
          { role: 'Writer', tier: 'Fast' },
        ],
      },
      specialists: { overrides: [{ name: 'Researcher', enabled: false }, { name: 'Planner' }], teamRoundsMax: 5 },
    });
    expect(effectCheck('Agent')(agent)).toEqual([
      'spec.models.roles[Writer]',
      'spec.specialists.overrides[Planner]',
      'spec.specialists.teamRoundsMax',
    ]);
    expect(effectCheck('CharacterSpec')(characterSpec(shippedCharacter()))).toEqual([]);
    expect(effectCheck('Skill')(skill({ agents: ['Coder', 'Writer'] }))).toEqual(['spec.agents[Writer]']);
  });

  verifies('cli:says-what-has-no-effect', 'names what is set for a worker that the Agent does not have', () => {
    const { agent } = agentDefinition({
      models: {
        provider: 'Scripted',
        script: 'script.yaml',
        roles: [{ role: 'Researcher', tier: 'Fast' }],
      },
      specialists: {
        overrides: [
          { name: 'Researcher', maxTurns: 3 },
          { name: 'Coder', enabled: false },
        ],
      },
    });
    const character = characterSpec(shippedCharacter());
    const warnings = notYetWarnings([agent, character], unplayedWorkers(agent.spec));
    expect(warnings.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'Agent spec.models.roles[Researcher]',
      'Agent spec.specialists.overrides[Researcher]',
      'CharacterSpec spec.gatePolicies.agentOverrides[Coder]',
      'CharacterSpec spec.gatePolicies.agentOverrides[Researcher]',
      'CharacterSpec spec.gatePolicies.agentOverrides[Comms]',
    ]);
    expect(new Set(warnings.map(({ instead }) => instead))).toEqual(
      new Set(['the Agent has turned this worker off, or does not have the tool that it needs']),
    );
  });

  it('leaves out on a cluster what holds there', () => {
    const { agent } = agentDefinition({ sandbox: { serve: true }, limits: { inboxLength: 5 } });
    expect(effectCheck('Agent')(agent)).toEqual(['spec.limits.inboxLength']);
  });

  it('tells the fields of one object in one line', () => {
    const { agent } = agentDefinition({ sandbox: { serve: true }, limits: { inboxLength: 5 } });
    const warnings = notYetWarnings([agent]);
    expect(renderNotYetWarnings([])).toEqual([]);
    expect(renderNotYetWarnings(warnings)[1]).toMatch(/^ {2}Agent ada: spec\.[\w.]+, spec\.[\w.]+/);
  });

  it.each([
    [task('one', 'work', { ttlSecondsAfterFinished: 60 }), /^Task one: spec\.ttlSecondsAfterFinished \(/],
    [skill({ contexts: ['weather'] }), /^Skill charts: spec\.contexts /],
  ])('names what one object sets', (object, expected) => {
    expect(told(object)).toEqual([expect.stringMatching(expected)]);
  });
});
