/** The files that `spec.workspace.seeds` of an Agent names, from the ConfigMaps of its manifests. */
import { join } from 'node:path';
import { configMapFiles } from '@retainer/contract/manifest/config-map';
import type { SeedFile } from '@retainer/agent-pod/boot/seed-workspace';
import type { Selection } from './select-agent.ts';

export function manifestSeeds({
  definition,
  configMaps,
}: Pick<Selection, 'definition' | 'configMaps'>): readonly SeedFile[] {
  return definition.agent.spec.workspace.seeds.flatMap(({ configMapRef, directory, trust }) => {
    const configMap = configMaps.get(configMapRef.name);
    const files = configMap === undefined ? [] : configMapFiles(configMap);
    return files.map(([key, { text, encoding }]) => ({
      path: join(directory ?? '', key),
      read: () => Promise.resolve(Buffer.from(text, encoding)),
      trusted: trust !== 'Untrusted',
    }));
  });
}
