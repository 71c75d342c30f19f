/**
 * Reads the mounted documents and compares them with the digests in the pod's specification.
 *
 * I1  A document with another digest stops the agent.
 * I2  Errors name file and field, never content.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import type { ConditionReason } from '@retainer/contract/api/conditions';
import { characterDigest } from '@retainer/contract/manifest/character-digest';
import { BootAgent, BootCharacter, BootSkill, documentDigest, skillsDigest } from '@retainer/contract/wire/boot';
import type { AgentDefinition } from '@retainer/mind/run/admit/run-spec';
import { BootError } from './boot-error.ts';

export interface BootOptions {
  readonly bootDirectory: string;
  readonly skillsDirectory: string;
  readonly digests: { readonly character: string; readonly skills: string; readonly config: string };
}

type Reason = ConditionReason<'Agent'>;

/** @throws BootError */
export async function readBoot({ bootDirectory, skillsDirectory, digests }: BootOptions): Promise<AgentDefinition> {
  const agentFile = join(bootDirectory, 'agent.json');
  const characterFile = join(bootDirectory, 'character.json');
  const [agentDocument, characterDocument, skillDocuments] = await Promise.all([
    readDocument(agentFile, 'ReconcileFailed'),
    readDocument(characterFile, 'CharacterInvalid'),
    readSkills(skillsDirectory),
  ]);
  compare('the configuration', agentFile, documentDigest(agentDocument), digests.config);
  compare(
    'the skills',
    skillsDirectory,
    skillsDigest(skillDocuments.map(({ value }) => value) as BootSkill[]),
    digests.skills,
  );
  const agent = parse(BootAgent, agentDocument, agentFile, 'ReconcileFailed');
  const character = parse(BootCharacter, characterDocument, characterFile, 'CharacterInvalid');
  compare('the character', characterFile, characterDigest(character.spec), digests.character);
  const skills = skillDocuments.map(({ file, value }) => parse(BootSkill, value, file, 'SkillInvalid'));
  return { agent, character, skills: ofAgent(skills, agent) };
}

/** In the order of `skillRefs`: the prompt must not depend on file names. */
function ofAgent(skills: readonly BootSkill[], { spec }: BootAgent): readonly BootSkill[] {
  const place = new Map(spec.skillRefs.map(({ name }, index) => [name, index]));
  const placeOf = ({ metadata }: BootSkill): number => place.get(metadata.name) ?? place.size;
  return skills.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function compare(what: string, path: string, found: string, expected: string): void {
  if (found === expected) return;
  const restart = 'delete the pod; if that does not help, check the ConfigMaps of the Agent';
  throw new BootError(
    'CharacterDigestMismatch',
    `${what} at ${path} has digest ${found}, but this pod expects ${expected}: ${restart}`,
  );
}

/** Ignores other files, such as the link `..data` of a ConfigMap mount. */
async function readSkills(directory: string): Promise<readonly { readonly file: string; readonly value: unknown }[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const files = names.filter((name) => name.endsWith('.json')).toSorted();
  return Promise.all(
    files.map(async (name) => {
      const file = join(directory, name);
      return { file, value: await readDocument(file, 'SkillInvalid') };
    }),
  );
}

async function readDocument(path: string, reason: Reason): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new BootError(
      reason,
      `${path} cannot be read (${code ?? 'unknown'}): the operator mounts it; delete the pod`,
    );
  });
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new BootError(reason, `${path} is not JSON: the operator writes it; delete the pod`);
  }
}

function parse<T>(schema: z.ZodType<T>, value: unknown, path: string, reason: Reason): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => issue.path.join('.')).slice(0, 5);
  throw new BootError(
    reason,
    `${path} does not fit this image at ${fields.join(', ')}: use the operator and the agent in the same version`,
  );
}
