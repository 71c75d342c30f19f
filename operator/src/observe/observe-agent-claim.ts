/** A claim of an agent, narrowed to the judged fields. */
import { z } from 'zod';
import type { KubeObject } from '@retainer/kube/kube-object';

const ClaimShape = z.object({
  spec: z.object({ resources: z.object({ requests: z.object({ storage: z.string() }) }) }),
  status: z
    .object({
      phase: z.string().optional(),
      capacity: z.object({ storage: z.string().optional() }).optional(),
    })
    .prefault({}),
});

export interface ObservedClaim {
  readonly live: KubeObject;
  /** The size requested last: a quantity. */
  readonly requested: string;
  /** The present size: a quantity; undefined before the claim is bound. */
  readonly capacity: string | undefined;
  readonly phase: string | undefined;
}

export function observeClaim(live: KubeObject | undefined): ObservedClaim | undefined {
  const parsed = ClaimShape.safeParse(live);
  if (live === undefined || !parsed.success) return undefined;
  const { spec, status } = parsed.data;
  return {
    live,
    requested: spec.resources.requests.storage,
    capacity: status.capacity?.storage,
    phase: status.phase,
  };
}
