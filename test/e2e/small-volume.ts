/** A claim on a volume that is small and that a test can write to beside the pods: full, damaged, or with files of its own. Own cluster only. */
import { join } from 'node:path';
import { config } from './config.ts';
import { execInside } from './cluster.ts';
import type { ClusterObject, World } from './world.ts';

/** The volumes themselves are far smaller: agents are promised a size, and see another one. */
const PROMISED = '1Gi';

export interface SmallVolume {
  /** Of its files, on the node. */
  readonly path: string;
  /** When nothing uses it any more. */
  remove(): Promise<void>;
}

export interface SmallVolumeOptions {
  readonly namespace: string;
  /** Name of its claim. */
  readonly claim: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly mebibytes: number;
}

/** A file system in memory on the only node. `cluster down` takes it away, too. */
export async function smallVolume(
  world: World,
  { namespace, claim, labels = {}, mebibytes }: SmallVolumeOptions,
): Promise<SmallVolume> {
  const name = `${namespace}-${claim}`;
  const path = join(config.clusterState, 'volumes', name);
  const [node, ...others] = await world.kubectl.list<ClusterObject>('nodes');
  if (node === undefined || others.length > 0)
    throw new Error(
      'a small volume needs the only node to be this machine: run this test on the cluster of test/cluster',
    );
  await execInside('mkdir', '-p', path);
  await execInside('mount', '-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=1777`, 'tmpfs', path);
  const common = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
  const isThere = { key: 'kubernetes.io/hostname', operator: 'In', values: [node.metadata.name] };
  const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions: [isThere] }] } };
  const volume = { capacity: { storage: PROMISED }, persistentVolumeReclaimPolicy: 'Retain', local: { path } };
  const wanted = { volumeName: name, resources: { requests: { storage: PROMISED } } };
  await world.kubectl.apply([
    { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec: { ...common, ...volume, nodeAffinity } },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: claim, namespace, labels },
      spec: { ...common, ...wanted },
    },
  ]);
  return {
    path,
    remove: async () => {
      await world.kubectl.run(['delete', 'pvc', claim, '-n', namespace, '--ignore-not-found', '--wait=false']);
      await world.kubectl.run(['delete', 'pv', name, '--ignore-not-found', '--wait=false']);
      await execInside('umount', '--lazy', path);
    },
  };
}
