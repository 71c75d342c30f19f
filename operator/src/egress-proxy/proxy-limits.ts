/** The limits of one proxy, in total and per client. The log and the metrics report every limit that is reached. */

/** Default ports: all outgoing traffic uses TLS. */
export const DEFAULT_PORTS: readonly number[] = [443];
/** Request line and headers: the largest grant (64 hosts of 253 characters, twice in base64) and some 2 KiB for the rest. */
export const HEADER_BYTES_MAX = 32_768;
/** Time for a client to send its request of a few packets. */
export const REQUEST_MS_MAX = 10_000;
/** Time to resolve a name: two tries of two seconds, and a reserve. */
export const RESOLVE_MS_MAX = 5000;
/** Time to connect to one address. */
export const CONNECT_MS_MAX = 5000;
/** Tried addresses of one name: IPv4, IPv6, and one more. */
export const ADDRESSES_TRIED_MAX = 3;
/** Concurrent tunnels of one sandbox or agent: several times those of a browser. */
export const TUNNELS_PER_SUBJECT_MAX = 32;
/** Tunnels in all: two descriptors each, below the usual limit of 4096. */
export const TUNNELS_MAX = 1024;
/** Connections in all, those without a tunnel included. */
export const CONNECTIONS_MAX = 2048;
/** Connections of one address, before any grant. Behind address translation many clients share one. */
export const CONNECTIONS_PER_ADDRESS_MAX = 128;
/** Bytes of one tunnel in one direction: a large download or a data set, not a disk. */
export const BYTES_MAX = 1_073_741_824;
/** Longest tunnel: the longest code run is shorter, and a client that needs more opens another. */
export const TUNNEL_MS_MAX = 3_600_000;
/** Longest silence in both directions: models think for minutes before they answer. */
export const IDLE_MS_MAX = 300_000;

export interface ProxyLimits {
  readonly ports: readonly number[];
  /** Ports for the grants of agents alone, beside those: mail. Code in a sandbox reaches no mail server. */
  readonly agentPorts: readonly number[];
  /** Whether a grant is valid only for the addresses that it names. False if the network hides addresses of pods. */
  readonly bindsGrants: boolean;
  readonly tunnelsPerSubject: number;
  readonly tunnels: number;
  readonly connections: number;
  readonly connectionsPerAddress: number;
  readonly bytes: number;
  readonly tunnelMs: number;
  readonly idleMs: number;
  readonly requestMs: number;
  readonly resolveMs: number;
  readonly connectMs: number;
}

export const DEFAULT_LIMITS: ProxyLimits = {
  ports: DEFAULT_PORTS,
  agentPorts: [],
  bindsGrants: true,
  tunnelsPerSubject: TUNNELS_PER_SUBJECT_MAX,
  tunnels: TUNNELS_MAX,
  connections: CONNECTIONS_MAX,
  connectionsPerAddress: CONNECTIONS_PER_ADDRESS_MAX,
  bytes: BYTES_MAX,
  tunnelMs: TUNNEL_MS_MAX,
  idleMs: IDLE_MS_MAX,
  requestMs: REQUEST_MS_MAX,
  resolveMs: RESOLVE_MS_MAX,
  connectMs: CONNECT_MS_MAX,
};
