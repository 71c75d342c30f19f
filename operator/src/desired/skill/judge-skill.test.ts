import { describe, expect, it } from 'vitest';
import { exampleObjects } from '../../../../test/support/observed-agent.ts';
import { parseSkill } from '../../observe/observe-kinds.ts';
import type { ObservedSkill } from '../../observe/observe-skill.ts';
import { compareVersions } from './compare-versions.ts';
import { byName, dependencyFault, deprecatedDependencies } from './judge-skill.ts';

const [example] = exampleObjects('skills.yaml');

function skill(name: string, spec: object = {}): ObservedSkill {
  if (example === undefined) throw new Error('the examples lack a skill');
  const object = {
    ...example,
    metadata: { ...example.metadata, name },
    spec: { ...(example['spec'] as object), ...spec },
  };
  return { name, skill: parseSkill(object), text: { type: 'Text', text: '' } };
}

const on = (...names: readonly string[]) => ({ dependencies: names.map((name) => ({ name, version: '1.0.0' })) });
const absent = (name: string): ObservedSkill => ({ name, skill: { type: 'Missing' }, text: undefined });

describe('what a skill builds on', () => {
  const faults: readonly (readonly [string, readonly ObservedSkill[], string | undefined])[] = [
    ['nothing', [skill('a')], undefined],
    ['one that is there', [skill('a', on('b')), skill('b')], undefined],
    ['one that is missing', [skill('a', on('b')), absent('b')], 'DependencyNotFound'],
    ['one whose own is missing', [skill('a', on('b')), skill('b', on('c')), absent('c')], 'DependencyNotFound'],
    ['one that is too old', [skill('a', on('b')), skill('b', { version: '0.9.0' })], 'DependencyTooOld'],
    ['itself through others', [skill('a', on('b')), skill('b', on('c')), skill('c', on('a'))], 'DependencyCycle'],
    ['a circle further down', [skill('a', on('b')), skill('b', on('c')), skill('c', on('b'))], 'DependencyCycle'],
    ['one by two ways', [skill('a', on('b', 'c')), skill('b', on('d')), skill('c', on('d')), skill('d')], undefined],
  ];
  it.each(faults)('may be %s', (_, skills, reason) => {
    expect(dependencyFault('a', byName(skills))?.reason).toBe(reason);
  });

  it('is walked once, however many ways lead to it', () => {
    const layers = 24;
    const width = 8;
    const names = (layer: number) => Array.from({ length: width }, (_, at) => `s-${layer}-${at}`);
    const skills = Array.from({ length: layers }, (_, layer) =>
      names(layer).map((name) => skill(name, layer + 1 < layers ? on(...names(layer + 1)) : {})),
    ).flat();
    expect(dependencyFault('s-0-0', byName(skills))).toBeUndefined();
  });

  it('may be deprecated, which is told', () => {
    const a = skill('a', on('b'));
    const known = byName([a, skill('b', { lifecycle: 'Deprecated' })]);
    expect(a.skill.type === 'Found' && deprecatedDependencies(a.skill.value, known)).toEqual(['b']);
  });
});

describe('compareVersions', () => {
  /** Source: Semantic Versioning 2.0.0, section 11. */
  const ascending = [
    '0.9.9',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.2.0',
    '1.10.0',
  ];

  it('orders every pair as the standard does', () => {
    for (const [i, a] of ascending.entries())
      for (const [j, b] of ascending.entries())
        expect(Math.sign(compareVersions(a, b)), `${a} and ${b}`).toBe(Math.sign(i - j));
  });
});
