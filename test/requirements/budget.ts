import type { Requirements } from './requirement.ts';

export const budgetRequirements = {
  'reliability-security 4; design 3 (budgets)': {
    'budget:checked-before-the-call':
      'a model or tool call that might exceed a budget of the agent is not made; field, amounts and moment are told',
  },
  'reliability-security 4, 7': {
    'budget:side-by-side': 'calls under way keep what they may use: cycles side by side never exceed a budget together',
    'budget:kill-switch': 'a run can be cancelled while the model answers nothing and the bus is down',
  },
  'reliability-security 7': {
    'budget:survives-kill':
      'what was used is folded from the record: killed at any moment, the agent counts as if it had not been',
  },
  'reliability-security 4; springdrift 15': {
    'budget:time-windows': 'budgets are of a rolling hour and of a day in UTC; a clock that goes back frees nothing',
  },
  'reliability-security 4; design 7 (outcomes)': {
    'budget:ends-the-run':
      'a run that may use nothing more is given up with a reason at once, and teaches nothing about its task',
  },
  'reliability-security 4; platforms 6': {
    'budget:alarms':
      'what is used of each budget and its limit are figures, so that people hear of it before it is used up',
  },
  'reliability-security 4': {
    'budget:no-progress': 'ten calls of one tool that are alike and bring the same output end the cycle',
  },
  'reliability-security 4; springdrift 4': {
    'budget:counts-archivist':
      'what the Archivist asks counts in the budgets of the agent like the work of a run, after a restart too',
  },
} satisfies Requirements;
