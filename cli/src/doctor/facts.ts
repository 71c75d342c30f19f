/** The doctor's observations of an installation. `observe-cluster.ts` reads them, `checks.ts` judges them. */
import type { KubeObject } from '@retainer/kube/kube-object';

/** One look: the objects found, or why nothing could be read. */
export type Seen<T> =
  | { readonly type: 'Seen'; readonly value: T }
  /** `right` is what is missing, as `kubectl auth can-i` takes it. */
  | { readonly type: 'NotAllowed'; readonly right: string }
  /** The API server does not know this kind. */
  | { readonly type: 'NoSuchKind'; readonly kind: string }
  | { readonly type: 'Unreadable'; readonly message: string };

export type SeenObject = Seen<KubeObject | undefined>;
export type SeenObjects = Seen<readonly KubeObject[]>;

export interface Scope {
  /** Namespace of the operator. */
  readonly systemNamespace: string;
  /** Agents and Tasks of this namespace only; undefined: of all that the operator tends. */
  readonly namespace: string | undefined;
  /** This Agent and what belongs to it only. */
  readonly agent: string | undefined;
}

export interface SandboxFacts {
  readonly namespace: string;
  readonly denyAll: SeenObject;
  readonly jobs: SeenObjects;
  readonly pods: SeenObjects;
}

/** Objects of agents, in the namespaces that are looked at. */
export interface AgentFacts {
  readonly agents: SeenObjects;
  readonly tasks: SeenObjects;
  readonly skills: SeenObjects;
  readonly characters: SeenObjects;
  readonly pods: SeenObjects;
  readonly claims: SeenObjects;
  readonly leases: SeenObjects;
}

export interface Facts {
  readonly nowMs: number;
  readonly scope: Scope;
  /** Of this program. */
  readonly version: string;
  /** Address of the API server. */
  readonly address: string;
  /** `v1.34.0`. */
  readonly server: Seen<string>;
  readonly definitions: SeenObjects;
  readonly operator: SeenObject;
  readonly egressProxy: SeenObject;
  readonly systemPods: SeenObjects;
  /** The leader's Lease; a second look at it, some seconds later, where the first looked overdue. */
  readonly leader: { readonly first: SeenObject; readonly second: SeenObject | undefined };
  /** Metadata alone: the key itself is never read. */
  readonly signingKey: SeenObject;
  readonly publicKey: SeenObject;
  readonly namespaces: SeenObjects;
  readonly policies: SeenObjects;
  readonly bindings: SeenObjects;
  readonly storageClasses: SeenObjects;
  readonly sandboxes: readonly SandboxFacts[];
  readonly ofAgents: AgentFacts;
}
