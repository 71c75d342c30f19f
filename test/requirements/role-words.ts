import type { Requirements } from './requirement.ts';

export const roleWordRequirements = {
  'artoo A.4, A.17': {
    'roles:plan-has-no-ids': 'the answer of the planner has no place for an id; the runtime gives them',
  },
  'springdrift 14': {
    'roles:asked-as-taken':
      'A model is asked for a schema, a forced call, thinking or its absence only in the form that it takes; an unknown one for none of them',
  },
  'artoo C': {
    'roles:duties-show-valid-answers':
      'the form of an answer that a role is shown is accepted by the structure that its answer is checked with, once its gaps are filled',
  },
  'reliability-security 4; design 5': {
    'roles:texts-cannot-pose-as-ours':
      'in the input of a role no text of a model, a tool, a person or a memory can pose as a line of ours',
  },
  'artoo A.5, A.7, A.15 (law 3)': {
    'roles:inputs-are-bounded':
      'the input of a role has an upper bound however long the texts and however many the steps are; what was cut is said',
  },
  'artoo A.8 (merge order)': {
    'roles:merge-order': 'results are merged by sequence and place in the plan, not in the order in which they arrived',
  },
} as const satisfies Requirements;
