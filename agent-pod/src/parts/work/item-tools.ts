/** Tools that make, change and end work items. */
import { err } from '@retainer/contract/std/result';
import { NewStep, COMPLEXITIES, stepsDone, type WorkItem } from '@retainer/mind/parts/work/item';
import * as items from '@retainer/mind/parts/work/decide-item';
import { DEPENDENCIES_MAX, STEPS_MAX } from '@retainer/mind/parts/work/limits';
import { LongText, Sentence, Title } from '@retainer/mind/parts/work/texts';
import { itemOf, type Work } from '@retainer/mind/parts/work/work-state';
import { z } from 'zod';
import type { ToolDescriptor } from '../../tools/tool.ts';
import { changing, EndeavourId, ItemId, momentOf, MomentText, present } from './work-tool.ts';

const stepInput = {
  description: NewStep.shape.description.describe('What is to be done.'),
  verification: Sentence.optional().describe('How one sees that it is done.'),
};
const StepInput = z.strictObject(stepInput);
const StepNumber = z.int().min(1).describe('Number of the step, as get_endeavour_detail shows it.');
const DependsOn = z.array(z.string().max(80)).max(DEPENDENCIES_MAX).optional();

/** Numbers and ids of ours: what the item says stays in the item. */
function stateOf(work: Work, id: string): string {
  const item = itemOf(work, id);
  return item === undefined ? `${id} is deleted` : `${id} is ${item.status}: ${progress(item)}`;
}

function progress(item: WorkItem): string {
  const open = item.steps.filter(({ completedAtMs }) => completedAtMs === undefined).map(({ number }) => number);
  const left = open.length === 0 ? '' : `; open steps: ${open.join(', ')}`;
  return `${stepsDone(item)} of ${item.steps.length} steps complete${left}`;
}

const addTask = changing({
  name: 'add_task_to_endeavour',
  description:
    'Plans a work item with its steps, in an endeavour or by itself. An item is work that you plan for yourself for later; it starts nothing.',
  input: z.strictObject({
    endeavourId: EndeavourId.optional().describe('The endeavour that it belongs to; absent: none.'),
    phaseId: z.string().max(20).optional().describe('The phase of the endeavour, as p1.'),
    title: Title.describe('One line.'),
    description: LongText.describe('What is wanted, so that it can be understood alone.'),
    steps: z.array(StepInput).max(STEPS_MAX).describe('In their order; one at least.'),
    dependsOn: DependsOn.describe('Ids of items that must be complete first.'),
    complexity: z.enum(COMPLEXITIES).optional().describe('Absent: unknown.'),
    deadline: MomentText.optional().describe('A moment, as 2030-01-31T08:00.'),
  }),
  arguments: {
    endeavourId: 'Target',
    phaseId: 'Target',
    title: 'Name',
    description: 'Content',
    steps: 'Content',
    dependsOn: 'Target',
    complexity: 'Target',
    deadline: 'Target',
  },
  verb: { verb: 'plans the work item', object: 'title', text: 'description' },
  make: ({ deadline, steps, ...said }, { making, jobs }) => {
    const until = deadline === undefined ? undefined : momentOf('deadline', deadline, jobs);
    if (until?.ok === false) return err(until.error);
    return items.createItem(making, {
      ...present(said),
      steps: steps.map((step) => present(step)),
      ...(until === undefined ? {} : { deadlineMs: until.value }),
    });
  },
  told: (_input, work, id) => `planned ${stateOf(work, id)}`,
});

const activateTask = changing({
  name: 'activate_task',
  description: 'Says that you work on an item from now on. What it waits for must be complete.',
  input: z.strictObject({ itemId: ItemId }),
  arguments: { itemId: 'Target' },
  target: 'itemId',
  verb: { verb: 'works on the item', object: 'itemId' },
  make: ({ itemId }, { making }) => items.activateItem(making, itemId),
  told: (_input, work, id) => stateOf(work, id),
});

const completeTaskStep = changing({
  name: 'complete_task_step',
  description: 'Says that one step of an active item is done. With its last step the item is complete.',
  input: z.strictObject({ itemId: ItemId, step: StepNumber, note: Sentence.optional().describe('What shows it.') }),
  arguments: { itemId: 'Target', step: 'Target', note: 'Content' },
  target: 'itemId',
  verb: { verb: 'completes a step of the item', object: 'itemId', text: 'note' },
  make: ({ itemId, step, note }, { making }) =>
    items.completeStep(making, { itemId, step, ...(note === undefined ? {} : { note }) }),
  told: (_input, work, id) => stateOf(work, id),
});

const addTaskStep = changing({
  name: 'add_task_step',
  description: 'Adds a step to an open item, after the others.',
  input: z.strictObject({ itemId: ItemId, ...stepInput }),
  arguments: { itemId: 'Target', description: 'Content', verification: 'Content' },
  target: 'itemId',
  verb: { verb: 'adds a step to the item', object: 'itemId', text: 'description' },
  make: ({ itemId, ...step }, { making }) => items.addStep(making, itemId, present(step)),
  told: (_input, work, id) => stateOf(work, id),
});

const removeTaskStep = changing({
  name: 'remove_task_step',
  description: 'Takes an open step out of an item. The others keep their numbers; the only step stays.',
  input: z.strictObject({ itemId: ItemId, step: StepNumber }),
  arguments: { itemId: 'Target', step: 'Target' },
  target: 'itemId',
  verb: { verb: 'removes a step of the item', object: 'itemId' },
  make: ({ itemId, step }, { making }) => items.removeStep(making, itemId, step),
  told: (_input, work, id) => stateOf(work, id),
});

const updateTask = changing({
  name: 'update_task',
  description: 'Changes fields of an open item; the others stay. null takes complexity or deadline away.',
  input: z.strictObject({
    itemId: ItemId,
    title: Title.optional().describe('One line.'),
    description: LongText.optional().describe('What is wanted.'),
    dependsOn: DependsOn.describe('All items that it waits for, from now on.'),
    complexity: z.enum(COMPLEXITIES).nullable().optional().describe('How hard it is.'),
    deadline: MomentText.nullable().optional().describe('A moment, as 2030-01-31T08:00.'),
  }),
  arguments: {
    itemId: 'Target',
    title: 'Name',
    description: 'Content',
    dependsOn: 'Target',
    complexity: 'Target',
    deadline: 'Target',
  },
  target: 'itemId',
  verb: { verb: 'changes the item', object: 'itemId', text: 'description' },
  make: ({ itemId, deadline, ...said }, { making, jobs }) => {
    if (deadline === undefined || deadline === null)
      return items.editItem(making, itemId, { ...present(said), ...(deadline === null ? { deadlineMs: null } : {}) });
    const until = momentOf('deadline', deadline, jobs);
    return until.ok ? items.editItem(making, itemId, { ...present(said), deadlineMs: until.value }) : err(until.error);
  },
  told: (_input, work, id) => `changed ${stateOf(work, id)}`,
});

const flagRisk = changing({
  name: 'flag_risk',
  description: 'Notes what may go wrong with an item, or that it did. The same words again change whether it did.',
  input: z.strictObject({
    itemId: ItemId,
    risk: Sentence.describe('What may happen.'),
    hasMaterialised: z.boolean().optional().describe('true: it happened.'),
  }),
  arguments: { itemId: 'Target', risk: 'Content', hasMaterialised: 'Target' },
  target: 'itemId',
  verb: { verb: 'flags a risk of the item', object: 'itemId', text: 'risk' },
  make: ({ itemId, risk, hasMaterialised = false }, { making }) =>
    items.flagRisk(making, { itemId, risk, hasMaterialised }),
  told: (_input, work, id) => {
    const risks = itemOf(work, id)?.risks ?? [];
    return `${id} has ${risks.length} risks, of which ${risks.filter((it) => it.hasMaterialised).length} came true`;
  },
});

const abandonTask = changing({
  name: 'abandon_task',
  description: 'Ends an item that will not be completed, with the reason. It stays in the list of ended items.',
  input: z.strictObject({
    itemId: ItemId,
    reason: Sentence.describe('Why.'),
    as: z.enum(['Abandoned', 'Failed']).optional().describe('Failed: it was tried. Absent: Abandoned.'),
  }),
  arguments: { itemId: 'Target', reason: 'Content', as: 'Target' },
  target: 'itemId',
  verb: { verb: 'gives up the item', object: 'itemId', text: 'reason' },
  make: ({ itemId, reason, as = 'Abandoned' }, { making }) => items.endItem(making, { itemId, reason, status: as }),
  told: (_input, work, id) => stateOf(work, id),
});

const deleteTask = changing({
  name: 'delete_task',
  description:
    'Deletes an item that should not be there, with the reason. The record keeps it; no list shows it any more.',
  input: z.strictObject({ itemId: ItemId, reason: Sentence.describe('Why.') }),
  arguments: { itemId: 'Target', reason: 'Content' },
  target: 'itemId',
  verb: { verb: 'deletes the item', object: 'itemId', text: 'reason' },
  make: ({ itemId, reason }, { making }) => items.deleteItem(making, itemId, reason),
  told: (_input, work, id) => stateOf(work, id),
});

export const itemTools: readonly ToolDescriptor[] = [
  addTask,
  flagRisk,
  abandonTask,
  activateTask,
  completeTaskStep,
  updateTask,
  addTaskStep,
  removeTaskStep,
  deleteTask,
];
