/** The settings of an installation. Every controller gets them; only `config.ts` reads them from the environment. */
import type { SandboxStandard } from '@retainer/contract/api/sandbox-standard';

export interface Settings {
  /** Namespace of the operator and of its Lease. */
  readonly namespace: string;
  /** Namespaces of the watched agents; undefined: all of the cluster. */
  readonly watchNamespaces: readonly string[] | undefined;
  /** Namespace for code. It contains no Secret. */
  readonly sandboxNamespace: string;
  /** Namespace for code that may be root in its own user namespace; undefined: such runs are refused. */
  readonly sandboxRootNamespace: string | undefined;
  readonly images: {
    readonly agent: string;
    readonly sandbox: string;
    readonly pullPolicy: 'Always' | 'IfNotPresent' | 'Never';
    readonly pullSecrets: readonly string[];
  };
  readonly network: {
    /** Addresses of the API server for agents; empty: any address, on its usual ports. */
    readonly apiServerCidrs: readonly string[];
    readonly apiServerPorts: readonly number[];
    /** Labels of the pods that answer DNS, and of their namespace. */
    readonly dns: { readonly namespace: string; readonly podLabels: Readonly<Record<string, string>> };
    /** Namespace of the metrics scraper; undefined: nobody may scrape. */
    readonly metricsNamespace: string | undefined;
    /** Host and port of the egress proxy; undefined: there is none, and runs with egress are refused. */
    readonly egressProxy: string | undefined;
    /** The company's own, for agents that do not use that one. */
    readonly companyProxy?: CompanyProxy;
  };
  readonly sandboxRuntimeClassName: string | undefined;
  /** RuntimeClasses that an Agent may name instead of that one; each isolates equally well. */
  readonly sandboxRuntimeClassesAllowed: readonly string[];
  /** Agents that may restart at the same time because of a change that people made. */
  readonly rollingAgentsMax: number;
  /** Version of the operator, a label on its objects. */
  readonly version: string;
  readonly hasUserNamespaces: boolean;
}

export interface CompanyProxy {
  /** `http://host:port`; the pod's spec is no place for a password. */
  readonly url: string;
  /** As NO_PROXY; names of the cluster are added. */
  readonly direct: readonly string[];
  /** Its addresses; empty: any address, on its port. */
  readonly cidrs: readonly string[];
}

/** Whether agents of this namespace are this operator's: of others it may read nothing. */
export function isTended({ watchNamespaces }: Settings, namespace: string): boolean {
  return watchNamespaces === undefined || watchNamespaces.includes(namespace);
}

/** What the pods of a namespace of sandboxes are held to. */
export function sandboxStandard({ sandboxRootNamespace }: Settings, namespace: string): SandboxStandard {
  return namespace === sandboxRootNamespace ? 'baseline' : 'restricted';
}

export function sandboxNamespaces({ sandboxNamespace, sandboxRootNamespace }: Settings): readonly string[] {
  return sandboxRootNamespace === undefined ? [sandboxNamespace] : [sandboxNamespace, sandboxRootNamespace];
}
