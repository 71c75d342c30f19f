/** How the operations on an item are folded. Total: what does not fit any more changes nothing. */
import type { Recorded } from '../../part/projection.ts';
import type { itemKinds, WorkPayload } from './kinds.ts';
import { stepsDone, type WorkItem } from './item.ts';
import { bury, joined, putItem, type Work } from './work-state.ts';

type Folds = {
  readonly [K in keyof typeof itemKinds]: (work: Work, payload: WorkPayload<K>, record: Recorded) => void;
};

/** Changes an open item. */
function change(work: Work, id: string, { timeMs }: Recorded, changed: (item: WorkItem) => WorkItem): void {
  const item = work.items.get(id);
  if (item !== undefined) putItem(work, { ...changed(item), updatedAtMs: timeMs });
}

/** Every step is complete: so is the item. */
function completed(item: WorkItem, atMs: number): WorkItem {
  return stepsDone(item) < item.steps.length ? item : { ...item, status: 'Complete', endedAtMs: atMs };
}

/** The value of a change: undefined leaves it, null takes it away. */
function changedTo<Key extends string, Value>(
  key: Key,
  value: Value | null | undefined,
): { readonly [K in Key]?: Value } {
  return value === undefined || value === null ? {} : ({ [key]: value } as { readonly [K in Key]?: Value });
}

function without<Key extends keyof WorkItem>(item: WorkItem, keys: readonly Key[]): WorkItem {
  const rest: Partial<Record<keyof WorkItem, unknown>> = { ...item };
  for (const key of keys) delete rest[key];
  return rest as WorkItem;
}

function edited(item: WorkItem, edit: WorkPayload<'ItemEdited'>): WorkItem {
  const { itemId: _, label, complexity, deadlineMs, ...words } = edit;
  const removed = (['complexity', 'deadlineMs'] as const).filter((key) => edit[key] === null);
  return {
    ...without(item, removed),
    ...words,
    ...changedTo('complexity', complexity),
    ...changedTo('deadlineMs', deadlineMs),
    label: joined(item.label, label),
  };
}

export const itemFolds: Folds = {
  ItemCreated: (work, { steps, ...made }, { timeMs }) => {
    if (work.items.has(made.itemId) || work.ended.has(made.itemId) || work.deleted.has(made.itemId)) return;
    putItem(work, {
      ...made,
      status: 'Pending',
      steps: steps.map((step, at) => ({ ...step, number: at + 1 })),
      stepsMade: steps.length,
      risks: [],
      createdAtMs: timeMs,
      updatedAtMs: timeMs,
      cycles: 0,
      tokens: 0,
      cycleIds: [],
    });
  },
  ItemActivated: (work, { itemId }, record) =>
    change(work, itemId, record, (item) => ({
      ...item,
      status: 'Active',
      ...(record.runId === undefined ? {} : { runId: record.runId }),
    })),
  StepCompleted: (work, { itemId, step, label }, record) =>
    change(work, itemId, record, (item) => {
      const steps = item.steps.map((it) =>
        it.number === step && it.completedAtMs === undefined ? { ...it, completedAtMs: record.timeMs } : it,
      );
      return completed({ ...item, steps, label: joined(item.label, label) }, record.timeMs);
    }),
  ItemEnded: (work, { itemId, status, reason, label }, record) =>
    change(work, itemId, record, (item) => {
      return { ...item, status, reason, endedAtMs: record.timeMs, label: joined(item.label, label) };
    }),
  ItemEdited: (work, edit, record) => change(work, edit.itemId, record, (item) => edited(item, edit)),
  StepAdded: (work, { itemId, label, ...step }, record) =>
    change(work, itemId, record, (item) => ({
      ...item,
      steps: [...item.steps, { ...step, number: item.stepsMade + 1 }],
      stepsMade: item.stepsMade + 1,
      label: joined(item.label, label),
    })),
  StepRemoved: (work, { itemId, step }, record) =>
    change(work, itemId, record, (item) => {
      const steps = item.steps.filter(({ number }) => number !== step);
      return steps.length === 0 ? item : completed({ ...item, steps }, record.timeMs);
    }),
  RiskFlagged: (work, { itemId, risk, hasMaterialised, label }, record) =>
    change(work, itemId, record, (item) => {
      const others = item.risks.filter((it) => it.risk !== risk);
      return { ...item, risks: [...others, { risk, hasMaterialised }], label: joined(item.label, label) };
    }),
  ItemDeleted: (work, { itemId, ...why }, record) => bury(work, itemId, why, record),
  PreMortemAdded: (work, { itemId, preMortem, label }, record) =>
    change(work, itemId, record, (item) => ({ ...item, preMortem, label: joined(item.label, label) })),
};
