/** The tools of the Scheduler, in the order in which a model sees them. */
import type { ToolDescriptor } from '../../tools/tool.ts';
import { cancelItem, completeItem, purgeCancelled, updateItem } from './change-jobs.ts';
import { addAppointment, addTodo, scheduleFromSpec, scheduleReminder } from './make-jobs.ts';
import { getCurrentDatetime, inspectJob, listSchedule } from './read-jobs.ts';

export const jobTools: readonly ToolDescriptor[] = [
  getCurrentDatetime,
  scheduleReminder,
  listSchedule,
  cancelItem,
  scheduleFromSpec,
  addTodo,
  addAppointment,
  completeItem,
  updateItem,
  inspectJob,
  purgeCancelled,
];
