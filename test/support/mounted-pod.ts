/** What the kubelet gives the first container of a pod before it starts: documents as files, and its environment. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';
import type { FakeApiServer } from './fake-api-server/fake-api-server.ts';
import { SECRETS } from './operator-world/operator-world.ts';

interface Items {
  readonly name?: string;
  readonly secretName?: string;
  readonly items?: readonly { readonly key: string; readonly path: string }[];
}

/** Other sources, such as claims and tokens, are the caller's. */
interface Source {
  readonly configMap?: Items;
  readonly secret?: Items;
}

interface PodSpec {
  readonly volumes: readonly (Source & {
    readonly name: string;
    readonly projected?: { readonly sources: readonly Source[] };
  })[];
  readonly containers: readonly {
    readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: FromPod }[];
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  }[];
}

interface FromPod {
  readonly fieldRef: { readonly fieldPath: string };
}

/** Writes below `root`. @returns the environment */
export async function mountPod(
  server: FakeApiServer,
  pod: KubeObject,
  root: string,
): Promise<Readonly<Record<string, string>>> {
  const { volumes, containers } = pod['spec'] as PodSpec;
  const [container] = containers;
  for (const { name, mountPath } of container?.volumeMounts ?? []) {
    const volume = volumes.find((one) => one.name === name);
    const sources = [volume ?? {}, ...(volume?.projected?.sources ?? [])];
    const directory = join(root, mountPath);
    await mkdir(directory, { recursive: true });
    for (const [path, content] of sources.flatMap((source) => filesOf(server, pod, source)))
      await writeFile(join(directory, path), content);
  }
  return Object.fromEntries(
    (container?.env ?? []).map(({ name, value, valueFrom }) => [name, value ?? fieldOf(pod, valueFrom)]),
  );
}

function filesOf(server: FakeApiServer, pod: KubeObject, { configMap, secret }: Source): readonly [string, Buffer][] {
  return [
    ...pathsOf(server, pod, resources.configMaps, configMap).map(([path, text]): [string, Buffer] => [
      path,
      Buffer.from(text),
    ]),
    ...pathsOf(server, pod, SECRETS, secret).map(([path, text]): [string, Buffer] => [
      path,
      Buffer.from(text, 'base64'),
    ]),
  ];
}

function pathsOf(
  server: FakeApiServer,
  { metadata: { namespace = '' } }: KubeObject,
  resource: Resource,
  wanted: Items | undefined,
): readonly [string, string][] {
  const name = wanted?.name ?? wanted?.secretName;
  if (name === undefined) return [];
  const data = (server.get(resource, { namespace, name })?.['data'] ?? {}) as Readonly<Record<string, string>>;
  const items = wanted?.items ?? Object.keys(data).map((key) => ({ key, path: key }));
  return items.flatMap(({ key, path }) =>
    data[key] === undefined ? [] : [[path, data[key]] satisfies [string, string]],
  );
}

function fieldOf({ metadata: { name, uid = '' } }: KubeObject, from: FromPod | undefined): string {
  return from?.fieldRef.fieldPath === 'metadata.uid' ? uid : name;
}
