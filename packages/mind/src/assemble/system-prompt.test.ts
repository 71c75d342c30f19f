import { describe, expect, it } from 'vitest';
import { Skill, SKILL_SECTIONS } from '@retainer/contract/api/skill';
import { characterSpec } from '../../../../test/support/agents.ts';
import { assembleSystemPrompt } from './system-prompt.ts';

function skill(spec: object): Skill {
  return Skill.parse({
    apiVersion: 'retainer.dev/v1alpha1',
    kind: 'Skill',
    metadata: { name: 'charts' },
    spec: {
      description: 'How charts are made.',
      version: '1.0.0',
      body: SKILL_SECTIONS.map((section) => `## ${section}`).join('\n\n'),
      ...spec,
    },
  });
}

describe('assembleSystemPrompt', () => {
  it.each([
    ['offers', 'a skill for everybody', {}, true],
    ['offers', 'a skill for the executor', { agents: ['Coder', 'Executor'] }, true],
    ['offers', 'a skill for the cognitive loop', { agents: ['Cognitive'] }, true],
    ['leaves out', 'a skill for others', { agents: ['Coder', 'Writer'] }, false],
    ['leaves out', 'a deprecated skill', { lifecycle: 'Deprecated' }, false],
  ])('%s %s', (_, _what, spec, isOffered) => {
    const blocks = assembleSystemPrompt(characterSpec().spec, [skill(spec)], 'Work.');
    expect(
      blocks
        .map((block) => block.text)
        .join('\n')
        .includes('How charts are made.'),
    ).toBe(isOffered);
    expect(blocks.map((block) => block.cache)).toEqual(isOffered ? [false, false, true] : [false, true]);
  });
});
