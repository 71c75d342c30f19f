/**
 * The protocol between the operator and its canary, a sandbox that tries flows which no sandbox may use.
 *
 *   GET /healthz   200 once it listens: kubelet's probe
 *   GET /reached   204: proves that the canary's network is up, so that a blocked flow is blocked by a rule
 */
import { z } from 'zod';

export const CANARY_ENV = {
  /** JSON: a list of {@link CanaryTarget}. */
  targets: 'RETAINER_CANARY_TARGETS',
  /** Seconds to wait for `/reached`; afterwards the canary continues without it, and reports this. */
  waitSeconds: 'RETAINER_CANARY_WAIT_SECONDS',
  /** Address of its node. */
  hostIp: 'RETAINER_CANARY_HOST_IP',
} as const;

/** As a host: the node's end of the pod's network link. The canary finds its link-local IPv6 addresses itself. */
export const NODE_LINK_LOCAL = 'node-link-local';

export const CANARY_REACHED_PATH = '/reached';

/** More would exceed the canary's deadline. */
const TARGETS_MAX = 256;

/** One flow that must be blocked. */
export const CanaryTarget = z.object({
  /** Stable, for messages. */
  id: z.string().min(1).max(64),
  protocol: z.enum(['tcp', 'udp', 'dns']),
  /** An address, or {@link NODE_LINK_LOCAL}; sandboxes resolve no names. */
  host: z.string().min(1).max(253),
  port: z.int().min(1).max(65_535),
  /** Something listens there, so a blocked flow is a proof. */
  isKnownListener: z.boolean(),
});
export type CanaryTarget = z.infer<typeof CanaryTarget>;

/** The canary's termination message. */
export const CanaryEnd = z.object({
  /** Ids of the flows that passed. */
  open: z.array(z.string().max(64)).max(TARGETS_MAX),
  tried: z.int().min(0).max(TARGETS_MAX),
  reached: z.boolean(),
});
export type CanaryEnd = z.infer<typeof CanaryEnd>;
