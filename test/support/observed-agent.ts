/** Agents as a pass observes them, without an API server. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Agent } from '@retainer/contract/api/agent';
import { parseManifests } from '@retainer/contract/manifest/parse-manifests';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { ObservedAgent } from '@retainer/operator/observe/observe-agent';
import { parseAgent, parseCharacter, parseSkill } from '@retainer/operator/observe/observe-kinds';
import type { Settings } from '@retainer/operator/settings/settings';

const EXAMPLES = fileURLToPath(new URL('../../manifests/examples/', import.meta.url));

const known = new Map<string, readonly KubeObject[]>();

/** Objects of the example manifests, as an API server would hand them out: the same ones each time, as from a cache. */
export function exampleObjects(file: string): readonly KubeObject[] {
  const objects = known.get(file) ?? readExamples(file);
  known.set(file, objects);
  return objects;
}

function readExamples(file: string): readonly KubeObject[] {
  const parsed = parseManifests(readFileSync(EXAMPLES + file, 'utf8'), file);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value.map(({ object }) => ({
    ...(object as unknown as KubeObject),
    metadata: {
      ...object.metadata,
      namespace: 'weather',
      uid: `uid-of-${object.metadata.name}`,
      resourceVersion: '1',
      generation: 1,
    } as KubeObject['metadata'],
  }));
}

export const settings: Settings = {
  namespace: 'retainer-system',
  watchNamespaces: undefined,
  sandboxNamespace: 'retainer-sandboxes',
  sandboxRootNamespace: undefined,
  images: {
    agent: 'retainer/agent:1.0.0',
    sandbox: 'retainer/sandbox:1.0.0',
    pullPolicy: 'IfNotPresent',
    pullSecrets: [],
  },
  network: {
    apiServerCidrs: [],
    apiServerPorts: [443, 6443],
    dns: { namespace: 'kube-system', podLabels: { 'k8s-app': 'kube-dns' } },
    metricsNamespace: 'monitoring',
    egressProxy: '10.96.0.20:3128',
  },
  sandboxRuntimeClassName: undefined,
  sandboxRuntimeClassesAllowed: [],
  rollingAgentsMax: 1,
  version: '1.0.0',
  hasUserNamespaces: false,
};

/** The example Agent with its character and skills, nothing made yet; `spec` is merged over its spec. */
export function observedAgent(spec: object = {}, over: Partial<ObservedAgent> = {}): ObservedAgent {
  const [example] = exampleObjects('agent.yaml');
  const [character] = exampleObjects('character.yaml');
  if (example === undefined || character === undefined) throw new Error('the examples lack an Agent or a character');
  const root = { ...example, spec: { ...(example['spec'] as Agent['spec']), ...spec } };
  const parsed = parseAgent(root);
  if (parsed.type !== 'Found') throw new Error(`the Agent is not valid: ${JSON.stringify(parsed)}`);
  return {
    root,
    agent: parsed.value,
    restartRequestedAt: undefined,
    renewedAccount: undefined,
    character: parseCharacter(character),
    skills: exampleObjects('skills.yaml').map((object) => {
      const skill = parseSkill(object);
      const text = skill.type === 'Found' ? (skill.value.spec.body ?? '') : '';
      return { name: object.metadata.name, skill, text: { type: 'Text', text } };
    }),
    statefulSet: undefined,
    pod: undefined,
    claims: { data: undefined, audit: undefined },
    configMaps: [],
    missingConfigMaps: [],
    missingGitAuthorities: false,
    isLeaseDue: false,
    people: 'sha256:people',
    tasks: { waiting: 0, running: 0, finished: 0, refused: 0 },
    ...over,
  };
}
