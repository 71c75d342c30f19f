import type { Proxy } from '@retainer/contract/std/proxies';

/** The address of an API server and its credentials; `connect-in-cluster.ts` and `connect-kubeconfig.ts` make it. */
export interface Connection {
  /** `https:`; plain `http:` is taken as it is. A path stands before the path of every request. */
  readonly server: URL;
  /** Leads to the server; absent: it is reached directly. */
  readonly proxy?: Proxy;
  /** The namespace of objects that name none. */
  readonly namespace: string;
  /** Called for every request, because tokens and certificates rotate. Rejects if they cannot be read. */
  credentials(): Promise<Credentials>;
}

export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial;
}

/** As `node:tls` takes it; absent members have Node's defaults. */
export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}
