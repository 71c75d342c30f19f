/**
 * What the operator and its canary say to each other. The canary is a sandbox that tries what no sandbox may reach.
 *
 *   GET /healthz   200 once it listens: kubelet's probe
 *   GET /reached   204: the operator reaches it, so its network is up; only then is what stays closed closed by a rule
 */
import { z } from 'zod';

export const CANARY_ENV = {
  /** JSON: a list of {@link CanaryTarget}. */
  targets: 'RETAINER_CANARY_TARGETS',
  /** Seconds that it waits to be reached; then it goes on all the same, and says so. */
  waitSeconds: 'RETAINER_CANARY_WAIT_SECONDS',
  /** Address of its node. */
  hostIp: 'RETAINER_CANARY_HOST_IP',
} as const;

/** In the place of a host: the node's end of the pod's cable, by its link-local IPv6 addresses, which the canary finds itself. */
export const NODE_LINK_LOCAL = 'node-link-local';

export const CANARY_REACHED_PATH = '/reached';

/** More would not be done before the canary's own deadline. */
const TARGETS_MAX = 256;

/** One flow that must not pass. */
export const CanaryTarget = z.object({
  /** Stable word for messages. */
  id: z.string().min(1).max(64),
  protocol: z.enum(['tcp', 'udp', 'dns']),
  /** An address, or {@link NODE_LINK_LOCAL}; sandboxes resolve no names. */
  host: z.string().min(1).max(253),
  port: z.int().min(1).max(65_535),
  /** Something answers there for those who may reach it: that it is closed then proves something. */
  isKnownListener: z.boolean(),
});
export type CanaryTarget = z.infer<typeof CanaryTarget>;

/** Termination message of the canary. */
export const CanaryEnd = z.object({
  /** Ids of the flows that passed. */
  open: z.array(z.string().max(64)).max(TARGETS_MAX),
  tried: z.int().min(0).max(TARGETS_MAX),
  reached: z.boolean(),
});
export type CanaryEnd = z.infer<typeof CanaryEnd>;
