/** The volumes of the agent's pod and their mount paths. The auditor sees the record, its own volume and the character. Pure. */
import { MOUNTS } from '@retainer/contract/api/names';
import type { BootAgent } from '@retainer/contract/wire/boot';
import type { BootDocuments, MountedDocument } from './boot-documents.ts';
import { mountedSecrets } from './mounted-secrets.ts';

interface Mount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
  /** Mounts only this file of the volume. */
  readonly subPath?: string;
}

interface AgentVolume {
  readonly name: string;
  readonly source: Readonly<Record<string, unknown>>;
  readonly mountPath: string;
}

/** Readable by owner and group: the pod's fsGroup. */
const GROUP_READABLE = 0o440;
/** The kubelet renews the token after four fifths of this time. */
const TOKEN_SECONDS = 3600;
/** Every client library looks for the token here. */
const TOKEN_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';
/** Scratch space of git and of caches; the record has its own volume. */
const TMP_SIZE_LIMIT = '256Mi';

/** Without the claims, which the StatefulSet adds. */
export function podVolumes(agent: BootAgent, documents: BootDocuments): readonly object[] {
  return agentVolumes(agent, documents).map(({ name, source }) => ({ name, ...source }));
}

export function agentMounts(agent: BootAgent, documents: BootDocuments): readonly Mount[] {
  const mounts = agentVolumes(agent, documents).map(({ name, mountPath }) =>
    name === 'tmp' ? { name, mountPath } : { name, mountPath, readOnly: true },
  );
  return [{ name: 'data', mountPath: MOUNTS.data }, ...mounts];
}

/** The auditor gets one boot document, the character, against which it checks verdicts. */
export function auditorMounts(agent: BootAgent, { character: { file } }: BootDocuments): readonly Mount[] {
  const bus = busVolumes(agent).map(({ name, mountPath }) => ({ name, mountPath, readOnly: true }));
  return [
    { name: 'data', mountPath: MOUNTS.data, readOnly: true },
    { name: 'audit', mountPath: MOUNTS.auditorData },
    { name: 'boot', mountPath: `${MOUNTS.boot}/${file}`, subPath: file, readOnly: true },
    ...bus,
  ];
}

function agentVolumes(agent: BootAgent, documents: BootDocuments): readonly AgentVolume[] {
  const { scriptConfigMapRef, script, caBundleRef } = agent.spec.models;
  const { config, character, skills } = documents;
  return [
    { name: 'tmp', source: { emptyDir: { sizeLimit: TMP_SIZE_LIMIT } }, mountPath: '/tmp' },
    { name: 'api-access', source: apiAccess(), mountPath: TOKEN_DIRECTORY },
    { name: 'boot', source: projected([config, character]), mountPath: MOUNTS.boot },
    ...(skills.length === 0 ? [] : [{ name: 'skills', source: projected(skills), mountPath: MOUNTS.skills }]),
    ...(scriptConfigMapRef === undefined || script === undefined
      ? []
      : [{ name: 'script', source: keySource(scriptConfigMapRef.name, script), mountPath: MOUNTS.config }]),
    // A scripted model is called by nobody, so that no Agent has both.
    ...(caBundleRef === undefined
      ? []
      : [{ name: 'authorities', source: keySource(caBundleRef.name, caBundleRef.key), mountPath: MOUNTS.config }]),
    ...authorities('git-authorities', agent.spec.memory.gitRemote?.caBundleRef, MOUNTS.gitAuthorities),
    ...authorities('mail-authorities', agent.spec.channels.email?.caConfigMapRef, MOUNTS.mailAuthorities),
    ...agent.spec.workspace.seeds.map(({ configMapRef }, index) => ({
      name: `seed-${index}`,
      source: { configMap: { name: configMapRef.name, defaultMode: GROUP_READABLE } },
      mountPath: `${MOUNTS.workspaceSeeds}/${index}`,
    })),
    ...mountedSecrets(agent).map(({ name, keys }, index) => ({
      name: `secret-${index}`,
      source: secretSource(name, keys),
      mountPath: `${MOUNTS.secrets}/${name}`,
    })),
    ...busVolumes(agent),
  ];
}

function authorities(
  volume: string,
  ref: { readonly name: string; readonly key: string } | undefined,
  mountPath: string,
): readonly AgentVolume[] {
  return ref === undefined ? [] : [{ name: volume, source: keySource(ref.name, ref.key), mountPath }];
}

/** A separate volume, because the auditor mounts it too, and no other secret of the agent. */
function busVolumes({ spec: { bus } }: BootAgent): readonly AgentVolume[] {
  if (bus.redis === undefined) return [];
  const { name, key } = bus.redis.urlSecretRef;
  return [{ name: 'bus', source: secretSource(name, [key]), mountPath: `${MOUNTS.bus}/${name}` }];
}

/** A short-lived token, bound to the pod. */
function apiAccess(): AgentVolume['source'] {
  return {
    projected: {
      defaultMode: GROUP_READABLE,
      sources: [
        { serviceAccountToken: { path: 'token', expirationSeconds: TOKEN_SECONDS } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
    },
  };
}

function projected(documents: readonly MountedDocument[]): AgentVolume['source'] {
  return {
    projected: {
      defaultMode: GROUP_READABLE,
      sources: documents.map(({ configMapName, file }) => ({
        configMap: { name: configMapName, items: [{ key: file, path: file }] },
      })),
    },
  };
}

/** Optional, because the agent's condition then names what is missing; a pod that waits for a volume reports nothing. */
function keySource(name: string, key: string): AgentVolume['source'] {
  return {
    configMap: { name, optional: true, defaultMode: GROUP_READABLE, items: [{ key, path: key }] },
  };
}

/** Optional, for the same reason. */
function secretSource(secretName: string, keys: readonly string[]): AgentVolume['source'] {
  return {
    secret: {
      secretName,
      optional: true,
      defaultMode: GROUP_READABLE,
      items: keys.map((key) => ({ key, path: key })),
    },
  };
}
