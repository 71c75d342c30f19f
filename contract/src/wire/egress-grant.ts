/**
 * A signed grant of the operator: the hosts that one pod may reach through the egress proxy. The pod sends it as the password of
 * proxy authentication (`http://grant:TEXT@proxy:3128`). A grant is useless without a NetworkPolicy that lets the pod reach the
 * proxy. Readers of SandboxRuns can read a sandbox's grant, but only its own pod can use it.
 */
import { z } from 'zod';
import { HostPattern } from '../api/fields.ts';

/** Kubernetes gives a pod one address of each family. */
const ADDRESSES_MAX = 2;

export const EgressGrant = z.object({
  /** For the log: `sandbox-run/NAMESPACE/NAME` or `agent/NAMESPACE/NAME`. */
  subject: z.string().min(1).max(400),
  hosts: z.array(HostPattern).max(64),
  /** Addresses of the permitted pod; absent for an agent, whose pod has no address before it runs. */
  addresses: z
    .array(z.union([z.ipv4(), z.ipv6()]))
    .max(ADDRESSES_MAX)
    .readonly()
    .optional(),
  /** Seconds since 1970; absent for an agent: its grant ends with its NetworkPolicy. */
  expiresAtSeconds: z.int().min(0).optional(),
});
export type EgressGrant = z.infer<typeof EgressGrant>;

/** The text that the operator signs with Ed25519. `payload`: the grant's JSON as base64url. */
export function grantText(payload: string): string {
  return `retainer-egress/1\n${payload}`;
}

/** `PAYLOAD.SIGNATURE`, both base64url. */
export function encodeGrant(payload: string, signature: string): string {
  return `${payload}.${signature}`;
}
