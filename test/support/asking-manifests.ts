/** Manifests of a small scripted agent, for those who start the real program on files. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const header = (kind: string, name: string): string => `
apiVersion: retainer.dev/v1alpha1
kind: ${kind}
metadata: {name: ${name}}
spec:`;

/** @param more  of its spec, as YAML that is indented by two */
export function characterManifest(more = ''): string {
  return `${header('CharacterSpec', 'asks')}
  persona: A test.
  virtues: []
  highestEndeavour: [{id: truth, description: Tell the truth., level: EthicalMoral, operator: Required}]
${more}`;
}

/** It answers from `script.yaml` beside it. */
export const agentManifest = `${header('Agent', 'ada')}
  characterRef: {name: asks}
  models: {provider: Scripted, script: script.yaml}
`;

/** @param spec  beside the reference to the agent, as YAML in one line */
export function taskManifest(name: string, spec: string): string {
  return `${header('Task', name)} {agentRef: {name: ada}, ${spec}}
`;
}

/** Writes both into a new directory. @returns the directory */
export async function writeManifests(directory: string, objects: string, script: string): Promise<string> {
  await mkdir(directory);
  await writeFile(join(directory, 'all.yaml'), objects);
  await writeFile(join(directory, 'script.yaml'), script);
  return directory;
}
