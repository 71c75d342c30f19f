import { ANNOTATIONS } from '@retainer/contract/api/names';
import type { BootAgent } from '@retainer/contract/wire/boot';
import { resources } from '@retainer/kube/resources';
import { agentChild, type AgentChild } from './agent-child.ts';
import type { MountedDocument } from './boot-documents.ts';
import { agentLabels } from './labels.ts';

/** One document. Its name contains its digest and it is immutable, so a running pod never sees another content. */
export function desiredBootConfigMap(agent: BootAgent, document: MountedDocument): AgentChild {
  const { configMapName, component, file, text, textDigest } = document;
  const metadata = {
    name: configMapName,
    labels: agentLabels(agent, component),
    ...(textDigest === undefined ? {} : { annotations: { [ANNOTATIONS.textDigest]: textDigest } }),
  };
  return agentChild(agent, resources.configMaps, { immutable: true, data: { [file]: text } }, metadata);
}
