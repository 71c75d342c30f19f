/** The conditions of any object of ours, narrowed to what is counted. */
import type { KubeObject } from '@retainer/kube/kube-object';
import { z } from 'zod';

const SeenCondition = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
});
export type SeenCondition = z.infer<typeof SeenCondition>;

const Status = z.object({
  outcome: z.string().optional(),
  conditions: z.array(SeenCondition).default([]),
});

export function seenConditions({ status }: KubeObject): readonly SeenCondition[] {
  return Status.safeParse(status).data?.conditions ?? [];
}

export interface TaskState {
  readonly state: 'Finished' | 'Running' | 'Waiting' | 'New';
  readonly reason: string;
}

export function taskStateOf({ status }: KubeObject): TaskState {
  const { outcome, conditions = [] } = Status.safeParse(status).data ?? {};
  const isTrue = (wanted: string): boolean =>
    conditions.some(({ type, status: is }) => type === wanted && is === 'True');
  const reason = conditions.find(({ type }) => type === 'Ready')?.reason ?? '';
  if (outcome !== undefined) return { state: 'Finished', reason: outcome };
  if (isTrue('Running')) return { state: 'Running', reason };
  return { state: conditions.length === 0 ? 'New' : 'Waiting', reason };
}
