/** The settings of an installation. Every controller gets them; only `config.ts` reads them from the environment. */
export interface Settings {
  /** Namespace of the operator and of its Lease. */
  readonly namespace: string;
  /** Namespaces whose agents are tended; undefined: all of the cluster. */
  readonly watchNamespaces: readonly string[] | undefined;
  /** Where code runs. Holds no Secret. */
  readonly sandboxNamespace: string;
  /** Where code runs that may be root in a user namespace of its own; undefined: such runs are refused. */
  readonly sandboxRootNamespace: string | undefined;
  readonly images: {
    readonly agent: string;
    readonly sandbox: string;
    readonly pullPolicy: 'Always' | 'IfNotPresent' | 'Never';
    readonly pullSecrets: readonly string[];
  };
  readonly network: {
    /** Where agents reach the API server; empty: any address, on its usual ports. */
    readonly apiServerCidrs: readonly string[];
    readonly apiServerPorts: readonly number[];
    /** Labels of the pods that answer DNS, and of their namespace. */
    readonly dns: { readonly namespace: string; readonly podLabels: Readonly<Record<string, string>> };
    /** Namespace of whoever scrapes metrics; undefined: nobody may. */
    readonly metricsNamespace: string | undefined;
    /** Host and port of the egress proxy; undefined: there is none, and egress is refused. */
    readonly egressProxy: string | undefined;
  };
  /** RuntimeClass of every sandbox that names none. */
  readonly sandboxRuntimeClassName: string | undefined;
  /** Other RuntimeClasses that an Agent may name in its place, where there is one; each isolates as well. */
  readonly sandboxRuntimeClassesAllowed: readonly string[];
  /** Agents that may restart at once because of a change. */
  readonly rollingAgentsMax: number;
  /** Version of the operator, a label on what it makes. */
  readonly version: string;
  /** Whether the cluster gives pods user namespaces. */
  readonly hasUserNamespaces: boolean;
}

/** Where code runs: every namespace of sandboxes. */
export function sandboxNamespaces({ sandboxNamespace, sandboxRootNamespace }: Settings): readonly string[] {
  return sandboxRootNamespace === undefined ? [sandboxNamespace] : [sandboxNamespace, sandboxRootNamespace];
}
