import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { characterDigest } from '@retainer/contract/manifest/character-digest';
import { documentDigest, skillsDigest, type BootSkill } from '@retainer/contract/wire/boot';
import { agentDefinition, inTemporaryDirectory } from '../../../test/support/agents.ts';
import { readBoot, type BootOptions } from './read-boot.ts';

const skill = (name: string): BootSkill =>
  ({
    apiVersion: 'retainer.dev/v1alpha1',
    kind: 'Skill',
    metadata: { name },
    spec: { description: 'How to.', version: '1.0.0', body: 'text' },
  }) as BootSkill;

async function mounted(directory: string, change: Readonly<Record<string, string>> = {}): Promise<BootOptions> {
  const { agent, character } = agentDefinition({ skillRefs: [{ name: 'zeta' }, { name: 'alpha' }] });
  const skills = [skill('alpha'), skill('zeta')];
  const files: Record<string, string> = {
    'boot/agent.json': JSON.stringify(agent),
    'boot/character.json': JSON.stringify(character),
    ...Object.fromEntries(skills.map((one) => [`skills/${one.metadata.name}.json`, JSON.stringify(one)])),
    ...change,
  };
  await mkdir(join(directory, 'boot'));
  await mkdir(join(directory, 'skills'));
  for (const [path, text] of Object.entries(files)) await writeFile(join(directory, path), text);
  return {
    bootDirectory: join(directory, 'boot'),
    skillsDirectory: join(directory, 'skills'),
    digests: {
      character: characterDigest(character.spec),
      skills: skillsDigest(skills),
      config: documentDigest(JSON.parse(JSON.stringify(agent))),
    },
  };
}

describe('readBoot', () => {
  it('reads what fits its digests, skills in the order of the Agent', () =>
    inTemporaryDirectory(async (directory) => {
      const { agent, skills } = await readBoot(await mounted(directory));
      expect(agent.metadata.name).toBe('ada');
      expect(skills.map(({ metadata }) => metadata.name)).toEqual(['zeta', 'alpha']);
    }));

  it.each([
    ['another configuration', { 'boot/agent.json': '{"spec":{}}' }, 'CharacterDigestMismatch'],
    ['a skill more', { 'skills/more.json': JSON.stringify(skill('more')) }, 'CharacterDigestMismatch'],
    ['a character that is not JSON', { 'boot/character.json': '{' }, 'CharacterInvalid'],
    ['a character of another version', { 'boot/character.json': '{"spec":{}}' }, 'CharacterInvalid'],
    ['a skill that is not JSON', { 'skills/alpha.json': 'no' }, 'SkillInvalid'],
  ])('refuses %s', (_, change, reason) =>
    inTemporaryDirectory(async (directory) => {
      await expect(readBoot(await mounted(directory, change))).rejects.toMatchObject({ name: 'BootError', reason });
    }),
  );
});
