import { agentChildName } from '@retainer/contract/api/child-names';
import type { BootAgent } from '@retainer/contract/wire/boot';
import type { KubeObject } from '@retainer/kube/kube-object';
import { apiVersionOf, type Resource } from '@retainer/kube/resource';
import { agentLabels } from './labels.ts';

/** One object that an Agent has, with the fields that the operator owns and no others. */
export interface AgentChild {
  readonly resource: Resource;
  readonly object: KubeObject;
  /** Outlives the Agent. */
  readonly isKept?: boolean;
}

/** A child in the Agent's namespace. Most children share the default name. */
export function agentChild(
  agent: BootAgent,
  resource: Resource,
  fields: Readonly<Record<string, unknown>>,
  { name = agentChildName(agent.metadata.name), labels = agentLabels(agent), annotations }: ChildMetadata = {},
): AgentChild {
  return {
    resource,
    object: {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: {
        name,
        namespace: agent.metadata.namespace,
        labels,
        ...(annotations === undefined || Object.keys(annotations).length === 0 ? {} : { annotations }),
      },
      ...fields,
    },
  };
}

interface ChildMetadata {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}
