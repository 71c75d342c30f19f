import { FIELD_MANAGERS } from '@retainer/contract/api/names';
import { CONDITION_MESSAGE_LENGTH_MAX } from '@retainer/contract/api/conditions';
import type { Applier, EventText, NewCondition } from '../apply/applier.ts';
import { ApiError } from '@retainer/kube/api-error';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';
import type { Parsed } from '../observe/observe-kinds.ts';
import type { Outcome } from './outcome.ts';

export interface WrittenStatus {
  readonly resource: Resource;
  readonly root: KubeObject;
  readonly conditions: readonly NewCondition[];
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Ordinary reasons: not all is well yet, but nothing needs a warning. */
const ORDINARY: ReadonlySet<string> = new Set([
  'Starting',
  'Suspended',
  'LeaseLost',
  'StoragePending',
  'NetworkPolicyUnknown',
]);

type Word = Pick<NewCondition, 'status' | 'reason'>;

/** The conditions whose change of status or reason is an Event, and which changes are. All others are read in the status. */
const TOLD: Readonly<Record<string, (now: Word, before: Word | undefined) => boolean>> = {
  Ready: () => true,
  // Of almost every agent it is True from the first start on: only the alarm and its end are news.
  RecordIntact: (now, before) => now.status === 'False' || before?.status === 'False',
  BackupCurrent: (now, before) => now.status === 'False' || before?.status === 'False',
};

/** Writes the operator's status, and an Event for each change that `TOLD` names. @returns whether it was written */
export async function writeStatus(applier: Applier, status: WrittenStatus, signal: AbortSignal): Promise<boolean> {
  const { resource, root, fields } = status;
  const conditions = status.conditions.map((condition) => ({
    ...condition,
    message: condition.message.slice(0, CONDITION_MESSAGE_LENGTH_MAX),
  }));
  const patch = { fieldManager: FIELD_MANAGERS.operatorStatus, conditions, fields };
  const isWritten = await applier.applyStatus(resource, root, patch, signal);
  if (!isWritten) return false;
  for (const condition of conditions)
    if (isNews(condition, before(root, condition))) applier.event(root, eventOf(condition));
  return true;
}

function isNews(now: NewCondition, stored: NewCondition | undefined): boolean {
  const isSame = stored?.status === now.status && stored.reason === now.reason;
  return !isSame && TOLD[now.type]?.(now, stored) === true;
}

function eventOf({ status, reason, message }: NewCondition): EventText {
  const type = status === 'True' || ORDINARY.has(reason) ? 'Normal' : 'Warning';
  return { type, reason, action: 'Reconcile', note: message };
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

function before(root: KubeObject, { type }: NewCondition): NewCondition | undefined {
  const { conditions } = (root['status'] ?? {}) as { readonly conditions?: readonly NewCondition[] };
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the API server refused the write because the object would be invalid. @param error  from the applier */
export function isInvalid(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof ApiError && cause.status === 422;
}
