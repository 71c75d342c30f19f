import type { Requirements } from './requirement.ts';

export const workRequirements = {
  'springdrift 8 (each operation a record)': {
    'work:folded': 'Work is folded from one record for each operation: from every prefix, and from every cached form',
    'work:deleted-stays':
      'A deleted item or endeavour stays deleted, and its record keeps it with the reason and who said so',
    'work:bounded': 'What is kept of work in memory is bounded; open work beyond the bound is refused',
    'work:people': 'People see open work as a table, and one item or endeavour with its history, also a deleted one',
    'work:label': 'An item and an endeavour keep the label of everything that their writers had read',
  },
  'springdrift 8, 15 (7: planner tasks with no steps)': {
    'work:no-shells': 'No item is ever without a step',
    'work:refused':
      'What does not fit is refused in one sentence with field and fix: unknown dependencies, circles, a step twice, steps of an ended item',
  },
  'springdrift 8 (approval modes)': {
    'work:approvals':
      'Approvals of an endeavour are enforced: Require asks a person before, Notify tells after, Auto does neither, and no agent makes one milder',
  },
  'springdrift 8 (forecaster)': {
    'work:forecast-numbers': 'A forecast follows from the numbers of the heuristic, each with its reason',
    'work:forecaster':
      'The forecaster looks at open work at its interval if the Agent wants it, and records what changed',
    'work:forecast-cool-down':
      'A subject is suggested once in its cool-down, and an unchanged score is not recorded again',
  },
  'springdrift 15 (8), 17 (D2)': {
    'work:forecast-one':
      'One implementation scores forecasts: all features at 1 are 11/33, work that differs scores differently, and an endeavour may weigh otherwise',
  },
  'springdrift 8 (appraisals)': {
    'work:appraised':
      'Work is thought about before and after by its weight, and ended work becomes one case with category and confidence',
  },
  'springdrift 7 (Project Manager)': {
    'work:tools': 'The Project Manager plans work by 22 tools, which nobody else is offered',
    'work:session-tokens': 'The run of a work session ends at the tokens of its session; no other job has that bound',
    'work:sessions':
      'A work session is a job of the agent: scheduled, cancelled and ended with it, within its endeavour’s plan',
  },
  'springdrift 3 (sensorium)': {
    'work:told-to-agent': 'A cycle is told what is overdue, active and blocked, and no word of a stranger',
  },
} as const satisfies Requirements;
