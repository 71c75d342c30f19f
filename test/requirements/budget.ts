import type { Requirements } from './requirement.ts';

export const budgetRequirements = {
  'budget:checked-before-the-call': {
    source: 'reliability-security 4; design 3 (budgets)',
    behavior:
      'a model or tool call that might exceed a budget of the agent is not made; field, amounts and moment are told',
  },
  'budget:side-by-side': {
    source: 'reliability-security 4, 7',
    behavior: 'calls under way keep what they may use: cycles side by side never exceed a budget together',
  },
  'budget:survives-kill': {
    source: 'reliability-security 7',
    behavior: 'what was used is folded from the record: killed at any moment, the agent counts as if it had not been',
  },
  'budget:time-windows': {
    source: 'reliability-security 4; springdrift 15',
    behavior: 'budgets are of a rolling hour and of a day in UTC; a clock that goes back frees nothing',
  },
  'budget:ends-the-run': {
    source: 'reliability-security 4; design 7 (outcomes)',
    behavior: 'a run that may use nothing more is given up with a reason at once, and teaches nothing about its task',
  },
  'budget:alarms': {
    source: 'reliability-security 4; platforms 6',
    behavior: 'what is used of each budget and its limit are figures, so that people hear of it before it is used up',
  },
  'budget:no-progress': {
    source: 'reliability-security 4',
    behavior: 'ten calls of one tool that are alike and bring the same output end the cycle',
  },
  'budget:kill-switch': {
    source: 'reliability-security 4, 7',
    behavior: 'a run can be cancelled while the model answers nothing and the bus is down',
  },
  'budget:counts-archivist': {
    source: 'reliability-security 4; springdrift 4',
    behavior: 'what the Archivist asks counts in the budgets of the agent like the work of a run, after a restart too',
  },
} satisfies Requirements;
