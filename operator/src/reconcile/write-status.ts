import { FIELD_MANAGERS } from '@retainer/contract/api/names';
import { CONDITION_MESSAGE_LENGTH_MAX } from '@retainer/contract/api/conditions';
import type { Applier, NewCondition } from '../apply/applier.ts';
import { ApiError } from '@retainer/kube/api-error';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';
import type { Parsed } from '../observe/observe-kinds.ts';
import type { Outcome } from './outcome.ts';

export interface WrittenStatus {
  readonly resource: Resource;
  readonly root: KubeObject;
  /** Ready comes first. */
  readonly conditions: readonly NewCondition[];
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Ordinary reasons: the object is not ready, but needs no warning. */
const ORDINARY: ReadonlySet<string> = new Set([
  'Starting',
  'Suspended',
  'LeaseLost',
  'StoragePending',
  'NetworkPolicyUnknown',
]);

/** Writes the operator's status, and an Event if status or reason of Ready changed. @returns whether it was written */
export async function writeStatus(applier: Applier, status: WrittenStatus, signal: AbortSignal): Promise<boolean> {
  const { resource, root, fields } = status;
  const conditions = status.conditions.map((condition) => ({
    ...condition,
    message: condition.message.slice(0, CONDITION_MESSAGE_LENGTH_MAX),
  }));
  const patch = { fieldManager: FIELD_MANAGERS.operatorStatus, conditions, fields };
  const isWritten = await applier.applyStatus(resource, root, patch, signal);
  const [ready] = conditions;
  if (!isWritten || ready === undefined || isSame(ready, readyBefore(root))) return isWritten;
  applier.event(root, {
    type: ready.status === 'True' || ORDINARY.has(ready.reason) ? 'Normal' : 'Warning',
    reason: ready.reason,
    action: 'Reconcile',
    note: ready.message,
  });
  return true;
}

/** Reports a root that breaks its schema. */
export async function refuseSpec(
  applier: Applier,
  {
    resource,
    root,
    parsed,
  }: Pick<WrittenStatus, 'resource' | 'root'> & { readonly parsed: Exclude<Parsed<never>, { readonly type: 'Found' }> },
  signal: AbortSignal,
): Promise<Outcome> {
  const path = parsed.type === 'Invalid' ? parsed.path : '';
  const message = `the spec is not valid at ${path}, because it was stored with another version of the CRDs; correct it and apply it again`;
  const condition = { type: 'Ready', status: 'False', reason: 'SpecInvalid', message } as const;
  await writeStatus(applier, { resource, root, conditions: [condition], fields: judgedGeneration(root) }, signal);
  return { type: 'Stalled', reason: condition.reason, message };
}

/** The generation that a refusal judges. */
export function judgedGeneration({ metadata: { generation } }: KubeObject): Readonly<Record<string, unknown>> {
  return generation === undefined ? {} : { observedGeneration: generation };
}

function readyBefore(root: KubeObject): NewCondition | undefined {
  const { conditions } = (root['status'] ?? {}) as { readonly conditions?: readonly NewCondition[] };
  return conditions?.find(({ type }) => type === 'Ready');
}

function isSame(now: NewCondition, before: NewCondition | undefined): boolean {
  return before !== undefined && before.status === now.status && before.reason === now.reason;
}

/** Whether the API server refused the write because the object would be invalid. @param error  from the applier */
export function isInvalid(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof ApiError && cause.status === 422;
}
