/** The doctor's observations of an installation. `observe-cluster.ts` reads them, `checks.ts` judges them. */
import type { TrialResult } from '@retainer/agent-pod/mail/try-servers';
import type { KubeObject } from '@retainer/kube/kube-object';

/** What the container of an Agent found out about its mail servers. */
export interface TriedMail {
  /** `NAMESPACE/NAME`. */
  readonly agent: string;
  readonly results: readonly TrialResult[];
  /** Why nothing was tried; absent: it was. */
  readonly why?: string;
}

/** One read: the objects, or why it failed. */
export type Seen<T> =
  | { readonly type: 'Seen'; readonly value: T }
  /** `right` is missing; written as for `kubectl auth can-i`. */
  | { readonly type: 'NotAllowed'; readonly right: string }
  /** The API server does not know this kind. */
  | { readonly type: 'NoSuchKind'; readonly kind: string }
  | { readonly type: 'Unreadable'; readonly message: string };

export type SeenObject = Seen<KubeObject | undefined>;
export type SeenObjects = Seen<readonly KubeObject[]>;

export interface Scope {
  readonly systemNamespace: string;
  /** Agents and Tasks of this namespace only; undefined: of all watched namespaces. */
  readonly namespace: string | undefined;
  /** Only this Agent and its objects. */
  readonly agent: string | undefined;
}

export interface SandboxFacts {
  readonly namespace: string;
  readonly denyAll: SeenObject;
  readonly jobs: SeenObjects;
  readonly pods: SeenObjects;
}

/** Objects of agents, in the examined namespaces. */
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
  readonly version: string;
  readonly address: string;
  /** `v1.34.0`. */
  readonly server: Seen<string>;
  readonly definitions: SeenObjects;
  readonly operator: SeenObject;
  readonly egressProxy: SeenObject;
  readonly systemPods: SeenObjects;
  /** The leader's Lease, read twice, some seconds apart, if it looked overdue at first. */
  readonly leader: { readonly first: SeenObject; readonly second: SeenObject | undefined };
  /** Metadata only: the doctor never reads the key itself. */
  readonly signingKey: SeenObject;
  readonly publicKey: SeenObject;
  readonly rollout: SeenObject;
  readonly namespaces: SeenObjects;
  readonly policies: SeenObjects;
  readonly bindings: SeenObjects;
  readonly storageClasses: SeenObjects;
  readonly sandboxes: readonly SandboxFacts[];
  readonly ofAgents: AgentFacts;
  /** Of the Agents with mail; absent: nobody asked for it. */
  readonly triedMail?: readonly TriedMail[];
  /** Agents of all namespaces, if this installation is for some namespaces only; else none. */
  readonly everyAgent: SeenObjects;
  /** Those of all installations. */
  readonly operators: SeenObjects;
}
