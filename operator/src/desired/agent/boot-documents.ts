/** The documents that an agent starts from, each in an immutable ConfigMap named by its digest. Pure. */
import { configMapName } from '@retainer/contract/api/child-names';
import { characterDigest } from '@retainer/contract/manifest/character-digest';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import {
  skillsDigest,
  textDigest,
  type BootAgent,
  type BootCharacter,
  type BootSkill,
} from '@retainer/contract/wire/boot';

export interface MountedDocument {
  readonly component: 'config' | 'character' | 'skill';
  readonly configMapName: string;
  /** Key in the ConfigMap, and file name in the pod. */
  readonly file: string;
  readonly text: string;
  /** Of a skill: digest of its procedure, by which the operator finds it again. */
  readonly textDigest?: string;
}

export interface BootDocuments {
  readonly config: MountedDocument;
  readonly character: MountedDocument;
  readonly skills: readonly MountedDocument[];
  readonly digests: { readonly config: string; readonly character: string; readonly skills: string };
}

export function bootDocuments(agent: BootAgent, character: BootCharacter, skills: readonly BootSkill[]): BootDocuments {
  const { name } = agent.metadata;
  const mounted = (component: MountedDocument['component'], purpose: string, file: string, document: unknown) => {
    // Serialised only once, because every pass over every agent comes here.
    const text = canonicalJson(document);
    return { component, configMapName: configMapName(name, purpose, textDigest(text)), file, text };
  };
  const config = mounted('config', 'config', 'agent.json', bootConfig(agent));
  const person = {
    ...character,
    metadata: { name: character.metadata.name, namespace: character.metadata.namespace },
  };
  return {
    config,
    character: mounted('character', 'character', 'character.json', person),
    skills: skills.map((skill) => ({
      ...mounted('skill', `skill-${skill.metadata.name}`, `${skill.metadata.name}.json`, skill),
      textDigest: textDigest(skill.spec.body ?? ''),
    })),
    digests: {
      config: textDigest(config.text),
      character: characterDigest(character.spec),
      skills: skillsDigest(skills),
    },
  };
}

/**
 * Fields about placement, volumes and ready sandboxes, which the process does not need: a change of them must not restart it.
 * It needs `pool.maxConcurrent`: it starts as many programs side by side.
 */
const OTHERS_FIELDS = {
  spec: ['suspend', 'pod'],
  memory: ['storage', 'storageClassName', 'onDelete'],
  pool: ['size'],
} as const;

function bootConfig({ apiVersion, kind, metadata: { name, namespace, uid }, spec }: BootAgent): unknown {
  const rest = without(spec, OTHERS_FIELDS.spec);
  const memory = without(spec.memory, OTHERS_FIELDS.memory);
  const sandbox = { ...spec.sandbox, pool: without(spec.sandbox.pool, OTHERS_FIELDS.pool) };
  return { apiVersion, kind, metadata: { name, namespace, uid }, spec: { ...rest, memory, sandbox } };
}

function without(object: object, fields: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));
}
