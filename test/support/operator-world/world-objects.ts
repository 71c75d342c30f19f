/** The small objects of one life cycle: what people write, and nothing that the operator makes. */
import { createPrivateKey } from 'node:crypto';
import { API_VERSION } from '@retainer/contract/api/names';
import { ENFORCE_LABEL } from '@retainer/contract/api/sandbox-standard';
import { SKILL_SECTIONS } from '@retainer/contract/api/skill';
import type { KubeObject } from '@retainer/kube/kube-object';

export const NAMESPACE = 'team';
export const OPERATOR_NAMESPACE = 'retainer-system';
export const SANDBOX_NAMESPACE = 'retainer-sandboxes';

/** Where code runs, as the chart makes it. */
export function heldNamespace(name: string): KubeObject {
  return { metadata: { name, labels: { [ENFORCE_LABEL]: 'restricted', 'helm.sh/chart': 'retainer-0.1.0' } } };
}

type Spec = Readonly<Record<string, unknown>>;

function own(kind: string, name: string, spec: Spec): KubeObject {
  return { apiVersion: API_VERSION, kind, metadata: { name, namespace: NAMESPACE }, spec };
}

export function character(spec: Spec = {}): KubeObject {
  return own('CharacterSpec', 'careful', {
    persona: 'A careful analyst.',
    highestEndeavour: [{ id: 'truth', description: 'Tell the truth.', level: 'EthicalMoral', operator: 'Required' }],
    ...spec,
  });
}

/** A page with every section that a skill must have. */
export function skillBody(purpose: string): string {
  return ['# Skill: counting', ...SKILL_SECTIONS.map((section) => `## ${section}\n${purpose}`)].join('\n\n');
}

export function skill(spec: Spec = {}): KubeObject {
  return own('Skill', 'counting', {
    description: 'How to count.',
    version: '1.0.0',
    body: skillBody('Count.'),
    ...spec,
  });
}

export function agent(spec: Spec = {}): KubeObject {
  return own('Agent', 'ada', {
    characterRef: { name: 'careful' },
    skillRefs: [{ name: 'counting' }],
    models: { provider: 'Scripted', script: 'script.yaml' },
    ...spec,
  });
}

export function task(name = 'count', spec: Spec = {}): KubeObject {
  return own('Task', name, { agentRef: { name: 'ada' }, intent: 'Count the rows.', ...spec });
}

export function sandboxRun(name = 'run-1', spec: Spec = {}): KubeObject {
  const runnerPublicKey = `${'A'.repeat(43)}=`;
  return own('SandboxRun', name, { agentRef: { name: 'ada' }, command: ['true'], runnerPublicKey, ...spec });
}

/** An Ed25519 key in DER that is the same in every run: names of pools depend on it. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The operator's key, which it would else make anew in every world. */
export function signingKeySecret(): KubeObject {
  const der = Buffer.concat([PKCS8_PREFIX, Buffer.alloc(32, 7)]);
  createPrivateKey({ key: der, type: 'pkcs8', format: 'der' });
  return {
    metadata: { name: 'retainer-signing-key', namespace: OPERATOR_NAMESPACE },
    type: 'Opaque',
    immutable: true,
    data: { private: der.toString('base64') },
  };
}
