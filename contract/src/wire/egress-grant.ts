/**
 * The hosts that one pod may reach through the egress proxy, signed by the operator and shown as the password of proxy
 * authentication (`http://grant:TEXT@proxy:3128`). A grant is useless without a NetworkPolicy that lets the pod reach the
 * proxy. Whoever reads SandboxRuns can read the grant of a sandbox, but it serves only its own pod.
 */
import { z } from 'zod';
import { HostPattern } from '../api/fields.ts';

/** Kubernetes gives a pod one address of each family. */
const ADDRESSES_MAX = 2;

export const EgressGrant = z.object({
  /** `sandbox-run/NAMESPACE/NAME` or `agent/NAMESPACE/NAME`: for the log line of each request. */
  subject: z.string().min(1).max(400),
  hosts: z.array(HostPattern).max(64),
  /** Of the pod that may show it; absent for an agent, whose pod has its address only once it runs. */
  addresses: z
    .array(z.union([z.ipv4(), z.ipv6()]))
    .max(ADDRESSES_MAX)
    .readonly()
    .optional(),
  /** Seconds since 1970; absent for an agent: its grant ends with its NetworkPolicy. */
  expiresAtSeconds: z.int().min(0).optional(),
});
export type EgressGrant = z.infer<typeof EgressGrant>;

/** Text under the operator's Ed25519 signature. `payload` is the base64url text of the grant's JSON. */
export function grantText(payload: string): string {
  return `retainer-egress/1\n${payload}`;
}

/** `PAYLOAD.SIGNATURE`, both base64url. */
export function encodeGrant(payload: string, signature: string): string {
  return `${payload}.${signature}`;
}
