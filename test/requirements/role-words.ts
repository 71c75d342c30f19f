import type { Requirements } from './requirement.ts';

export const roleWordRequirements = {
  'roles:plan-has-no-ids': {
    source: 'artoo A.4, A.17',
    behavior: 'the answer of the planner has no place for an id; the runtime gives them',
  },
  'roles:asked-as-taken': {
    source: 'springdrift 14',
    behavior:
      'A model is asked for a schema, a forced call, thinking or its absence only in the form that it takes; an unknown one for none of them',
  },
  'roles:duties-show-valid-answers': {
    source: 'artoo C',
    behavior: 'what a role is shown as an answer is accepted by the structure that its answer is checked with',
  },
  'roles:texts-cannot-pose-as-ours': {
    source: 'reliability-security 4; design 5',
    behavior: 'in the input of a role no text of a model, a tool, a person or a memory can pose as a line of ours',
  },
  'roles:inputs-are-bounded': {
    source: 'artoo A.5, A.7, A.15 (law 3)',
    behavior:
      'the input of a role has an upper bound however long the texts and however many the steps are; what was cut is said',
  },
  'roles:merge-order': {
    source: 'artoo A.8 (merge order)',
    behavior: 'results are merged by sequence and place in the plan, not in the order in which they arrived',
  },
} as const satisfies Requirements;
