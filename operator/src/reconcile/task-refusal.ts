/** Reports a Task that breaks its schema, accepted by another version of the CRDs, and leaves it otherwise unchanged. */
import type { ConditionReason } from '@retainer/contract/api/conditions';
import type { Applier, NewCondition } from '../apply/applier.ts';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import type { Outcome } from './outcome.ts';
import { isInvalid, judgedGeneration, writeStatus } from './write-status.ts';

const REASON: ConditionReason<'Task'> = 'SpecInvalid';

interface StoredStatus {
  readonly outcome?: unknown;
  readonly conditions?: readonly NewCondition[];
  readonly [field: string]: unknown;
}

/** The operator's further status fields. Without a schedule's moments its last one would be served again. */
const KEPT_FIELDS = ['runs', 'lastScheduledAt', 'nextScheduledAt'] as const;

/** @param fields  paths that break the schema */
export async function refuseTask(
  applier: Applier,
  { root, fields }: { readonly root: KubeObject; readonly fields: string },
  signal: AbortSignal,
): Promise<Outcome> {
  const message = `the Task does not fit its schema at ${fields}, because it was stored with another version of the CRDs; create it again, or run the operator of that version`;
  const stalled: Outcome = { type: 'Stalled', reason: REASON, message };
  const stored = (root['status'] ?? {}) as StoredStatus;
  // The status already contains its end.
  if (stored.outcome !== undefined) return stalled;
  const admitted = (stored.conditions ?? []).filter(({ type }) => type === 'Admitted');
  const kept = admitted.map(({ type, status, reason, message: text }) => ({ type, status, reason, message: text }));
  try {
    await writeStatus(
      applier,
      {
        resource: resources.tasks,
        root,
        conditions: [{ type: 'Ready', status: 'False', reason: REASON, message }, ...kept],
        fields: {
          ...judgedGeneration(root),
          ...Object.fromEntries(KEPT_FIELDS.map((field) => [field, stored[field]])),
        },
      },
      signal,
    );
  } catch (error) {
    // The API server validates the whole object before it accepts a status.
    if (!isInvalid(error)) throw error;
    applier.event(root, { type: 'Warning', reason: REASON, action: 'Reconcile', note: message });
  }
  return stalled;
}
