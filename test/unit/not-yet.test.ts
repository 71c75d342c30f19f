/** What has no effect yet: one table, shown in the documentation and warned of by `retainer run`. */
import { describe, expect, it } from 'vitest';
import { structuralSchema, type StructuralSchema } from '@retainer/contract/api/crd';
import { KIND_DEFINITIONS } from '@retainer/contract/api/kinds';
import { fieldSchema } from '@retainer/contract/manifest/cel-rules';
import { Skill } from '@retainer/contract/api/skill';
import { clusterFields, notYet } from '../../cli/src/not-yet.ts';
import { notYetWarnings, renderNotYetWarnings, type CheckedObject } from '../../cli/src/not-yet-warnings.ts';
import { agentDefinition, characterSpec, task } from '../support/agents.ts';
import { verifies } from '../verifies.ts';

const kinds = ['Agent', 'Task', 'Skill', 'CharacterSpec'] as const;

function page(): string {
  const named = kinds.filter((kind) => notYet.some((it) => it.kind === kind));
  const sections = named.map((kind) => {
    const rows = notYet
      .filter((it) => it.kind === kind)
      .map(
        ({ path, instead, holdsOnCluster }) => `| \`${path}\` | ${instead} | ${holdsOnCluster ? 'holds' : 'not yet'} |`,
      );
    return [`## ${kind}`, '', '| field | without a cluster | on a cluster |', '|---|---|---|', ...rows, ''].join('\n');
  });
  return [
    '# Not yet',
    '',
    'Manifests may set these fields, each with everything below it, and they are checked as all others are. They have no effect',
    'without a cluster; the last column says which of them hold on one. `retainer run` warns of each that differs from its default.',
    'Of `spec.models.roles`, Perceiver, Planner, Executor, AgentValidator, MetaValidator, Scorer, Canary and Reader ask a model today.',
    '',
    ...sections,
  ].join('\n');
}

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
    const paths = notYet.map(({ kind, path }) => `${kind}.${path}.`);
    expect(paths.filter((path, at) => paths.some((other, i) => i !== at && path.startsWith(other)))).toEqual([]);
  });

  it('has a line for each field that holds on a cluster alone', () => {
    for (const kind of kinds) {
      const held = notYet.filter((it) => it.kind === kind && it.holdsOnCluster).map(({ path }) => path);
      expect(held.toSorted()).toEqual(clusterFields[kind].toSorted());
    }
  });

  it('is what docs/not-yet.md says', async () => {
    await expect(page()).toMatchFileSnapshot('../../docs/not-yet.md');
  });
});

describe('notYetWarnings', () => {
  it('says nothing of defaults', () => {
    const objects = [agentDefinition().agent, characterSpec(), task('one', 'work'), skill({})];
    expect(notYetWarnings(objects)).toEqual([]);
  });

  verifies('cli:says-what-has-no-effect', 'names each field that is set, once, and what happens instead', () => {
    const { agent } = agentDefinition({
      memory: { gitRemote: { url: 'https://git.example/ada' }, recall: { cases: 2 } },
      models: {
        provider: 'Scripted',
        script: 'script.yaml',
        roles: [
          { role: 'Executor', tier: 'Capable', thinkingBudgetTokens: 1024 },
          { role: 'AgentValidator', tier: 'Capable', thinkingBudgetTokens: 2048 },
        ],
      },
    });
    expect(told(agent)).toEqual([
      'Agent ada: spec.models.roles[].thinkingBudgetTokens (models answer without thinking tokens)',
      expect.stringMatching(/^Agent ada: spec\.memory\.gitRemote \(the whole record is kept/),
      expect.stringMatching(/^Agent ada: spec\.memory\.recall\.cases \(/),
    ]);
  });

  it('tells the fields of one object in one line', () => {
    const warnings = notYetWarnings([
      task('one', 'work', { schedule: { cron: '@daily' }, ttlSecondsAfterFinished: 60 }),
    ]);
    expect(renderNotYetWarnings([])).toEqual([]);
    expect(renderNotYetWarnings(warnings)[1]).toMatch(/^ {2}Task one: spec\.\w+, spec\.\w+/);
  });

  it.each([
    [task('one', 'work', { schedule: { cron: '@daily' } }), /^Task one: spec\.schedule \(/],
    [skill({ contexts: ['weather'] }), /^Skill charts: spec\.contexts /],
  ])('names what one object sets', (object, expected) => {
    expect(told(object)).toEqual([expect.stringMatching(expected)]);
  });
});
