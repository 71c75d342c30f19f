/**
 * Operations on items: what fits becomes a record, what does not gets one sentence with field and fix.
 *
 * I1  No item without a step, none that waits for what there is not, and none that waits for itself by others.
 * I2  A step is completed once. An ended item keeps what it has.
 *
 * Source: springdrift 8, 15 (7).
 */
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { NewStep, Step, WorkItem } from './item.ts';
import type { WorkPayload } from './kinds.ts';
import { OPEN_ITEMS_MAX, RISKS_MAX, STEPS_MAX } from './limits.ts';
import { unfinished } from './magnitudes.ts';
import { anyItem, newId, one, openEndeavour, openItem, type Making, type Operation } from './operation.ts';
import { itemOf, type Work } from './work-state.ts';

export type NewItem = Omit<
  WorkPayload<'ItemCreated'>,
  'itemId' | 'origin' | 'label' | 'callId' | 'dependsOn' | 'steps'
> & {
  readonly steps: readonly NewStep[];
  readonly dependsOn?: readonly string[];
};

export function createItem(making: Making, item: NewItem): Operation {
  const { work, label, atMs } = making;
  const { dependsOn = [], steps } = item;
  const itemId = newId('w', making);
  if (steps.length === 0) return err('steps: an item needs a step at least; say what is to be done first.');
  if (work.items.size >= OPEN_ITEMS_MAX)
    return err(`itemId: ${OPEN_ITEMS_MAX} items are open, and that is the most; end or delete one first.`);
  const fault =
    whereFault(work, item) ?? dependencyFault(work, itemId, dependsOn) ?? deadlineFault(item.deadlineMs, atMs);
  if (fault !== undefined) return err(fault);
  return one(making, 'ItemCreated', {
    ...item,
    itemId,
    origin: 'Agent',
    steps: [...steps],
    dependsOn: [...new Set(dependsOn)],
    label,
  });
}

function whereFault(work: Work, { endeavourId, phaseId }: NewItem): string | undefined {
  if (endeavourId === undefined)
    return phaseId === undefined ? undefined : 'phaseId: a phase belongs to an endeavour; name its endeavourId, too.';
  const found = openEndeavour(work, endeavourId);
  if (!found.ok) return found.error;
  const { phases } = found.value;
  if (phaseId === undefined || phases.some((it) => it.phaseId === phaseId)) return undefined;
  return `phaseId: ${endeavourId} has no phase ${JSON.stringify(phaseId)}; its phases: ${listed(phases.map((it) => it.phaseId))}.`;
}

const listed = (ids: readonly string[]): string => (ids.length === 0 ? 'none' : ids.join(', '));

export function deadlineFault(deadlineMs: number | null | undefined, atMs: number): string | undefined {
  if (deadlineMs === undefined || deadlineMs === null || deadlineMs > atMs) return undefined;
  return 'deadline: the moment is past; name a later one, or leave it out.';
}

/** Unknown ones, and circles. */
function dependencyFault(work: Work, itemId: string, dependsOn: readonly string[]): string | undefined {
  const unknown = dependsOn.find((id) => itemOf(work, id) === undefined && id !== itemId);
  if (unknown !== undefined)
    return `dependsOn: there is no item ${JSON.stringify(unknown)}; name items that exist, or make that one first.`;
  const circle = dependsOn.find((id) => waitsFor(work, id, itemId));
  return circle === undefined
    ? undefined
    : `dependsOn: ${circle} waits for ${itemId} itself, so both would wait for ever; leave it out.`;
}

/** Whether an item waits for another one, by others or itself. */
function waitsFor(work: Work, itemId: string, other: string): boolean {
  const [seen, open] = [new Set<string>(), [itemId]];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === other) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...(itemOf(work, id)?.dependsOn ?? []));
  }
  return false;
}

export function activateItem(making: Making, itemId: string): Operation {
  const { work } = making;
  const found = openItem(work, itemId);
  if (!found.ok) return found;
  const waiting = unfinished(found.value, work);
  if (waiting.length > 0)
    return err(`itemId: ${itemId} waits for ${listed(waiting.map((it) => it.itemId))}; complete that first.`);
  if (found.value.status === 'Active' && found.value.runId === making.runId)
    return err(`itemId: ${itemId} is active already; complete its steps.`);
  return one(making, 'ItemActivated', { itemId });
}

function openStep(work: Work, itemId: string, step: number): Result<readonly [WorkItem, Step], string> {
  const item = openItem(work, itemId);
  if (!item.ok) return item;
  const { steps } = item.value;
  const found = steps.find(({ number }) => number === step);
  const open = steps.filter(({ completedAtMs }) => completedAtMs === undefined).map(({ number }) => number);
  if (found === undefined) return err(`step: ${itemId} has no step ${step}; open steps: ${open.join(', ')}.`);
  if (found.completedAtMs === undefined) return ok([item.value, found]);
  return err(`step: step ${step} of ${itemId} is complete already; open steps: ${open.join(', ')}.`);
}

export function completeStep(
  making: Making,
  { itemId, step, note }: { readonly itemId: string; readonly step: number; readonly note?: string },
): Operation {
  const found = openStep(making.work, itemId, step);
  if (!found.ok) return found;
  const [item] = found.value;
  const waiting = unfinished(item, making.work);
  if (waiting.length > 0)
    return err(`itemId: ${itemId} waits for ${listed(waiting.map((it) => it.itemId))}; complete that first.`);
  if (item.status !== 'Active')
    return err(`itemId: ${itemId} is not active; activate it before you complete its steps.`);
  const said = note === undefined ? {} : { note, label: making.label };
  return one(making, 'StepCompleted', { itemId, step, ...said });
}

export type ItemEdit = Omit<WorkPayload<'ItemEdited'>, 'itemId' | 'label' | 'callId'>;

export function editItem(making: Making, itemId: string, edit: ItemEdit): Operation {
  const { work, label, atMs } = making;
  const found = openItem(work, itemId);
  if (!found.ok) return found;
  if (Object.keys(edit).length === 0) return err('itemId: nothing is to be changed; name a field with its new value.');
  const fault = dependencyFault(work, itemId, edit.dependsOn ?? []) ?? deadlineFault(edit.deadlineMs, atMs);
  return fault === undefined ? one(making, 'ItemEdited', { itemId, ...edit, label }) : err(fault);
}

export function addStep(making: Making, itemId: string, step: NewStep): Operation {
  const found = openItem(making.work, itemId);
  if (!found.ok) return found;
  if (found.value.steps.length >= STEPS_MAX)
    return err(`itemId: ${itemId} has ${STEPS_MAX} steps, and that is the most; make another item for the rest.`);
  return one(making, 'StepAdded', { itemId, ...step, label: making.label });
}

export function removeStep(making: Making, itemId: string, step: number): Operation {
  const found = openStep(making.work, itemId, step);
  if (!found.ok) return found;
  const [{ steps }] = found.value;
  if (steps.length === 1)
    return err(`step: it is the only step of ${itemId}, and no item is without one; delete or abandon the item.`);
  return one(making, 'StepRemoved', { itemId, step });
}

export function flagRisk(
  making: Making,
  {
    itemId,
    risk,
    hasMaterialised,
  }: { readonly itemId: string; readonly risk: string; readonly hasMaterialised: boolean },
): Operation {
  const found = openItem(making.work, itemId);
  if (!found.ok) return found;
  const { risks } = found.value;
  const isNew = risks.every((it) => it.risk !== risk);
  if (isNew && risks.length >= RISKS_MAX)
    return err(`risk: ${itemId} has ${RISKS_MAX} risks, and that is the most; flag one of them, word for word.`);
  return one(making, 'RiskFlagged', { itemId, risk, hasMaterialised, label: making.label });
}

export function endItem(
  making: Making,
  {
    itemId,
    status,
    reason,
  }: { readonly itemId: string; readonly status: 'Failed' | 'Abandoned'; readonly reason: string },
): Operation {
  const found = openItem(making.work, itemId);
  return found.ok ? one(making, 'ItemEnded', { itemId, status, reason, label: making.label }) : found;
}

/** What others wait for is not deleted under them. */
export function deleteItem(making: Making, itemId: string, reason: string): Operation {
  const found = anyItem(making.work, itemId);
  if (!found.ok) return found;
  const waiting = [...making.work.items.values()].filter(({ dependsOn }) => dependsOn.includes(itemId));
  if (waiting.length > 0)
    return err(`itemId: ${listed(waiting.map((it) => it.itemId))} waits for ${itemId}; change its dependsOn first.`);
  return one(making, 'ItemDeleted', { itemId, reason, by: 'agent' });
}
