import type { Requirements } from './requirement.ts';

export const dispatchRequirements = {
  'artoo A.4, A.17': {
    'dispatch:ids-are-the-runtimes':
      'ids, sequences and places of subtasks are given by code; none of a planner reaches them',
    'dispatch:blocked-tools-are-not-planned':
      'a plan with a blocked tool, however spelled, is rejected once with the reason and fails the second time',
  },
  'artoo C': {
    'dispatch:people-criteria-stay':
      'the criteria that people gave come first and unchanged; a planner may add to them only',
  },
  'artoo A.7': {
    'dispatch:sequences-are-dense': 'sequences become ranks from 1 without gaps, so that no subtask waits for ever',
    'dispatch:failed-group-stops-the-rest':
      'after a failed group no later one starts; its subtasks get outcomes that say so',
    'dispatch:every-subtask-ends-once':
      'every subtask of the manifest gets exactly one outcome, and no more run at once than the Agent allows',
    'dispatch:prior-outputs-are-labelled':
      'later subtasks are told what earlier ones brought, labelled, in order, and only what matched',
    'dispatch:prior-outputs-are-bounded': 'what is told of earlier subtasks has an upper bound each and in all',
  },
  'artoo A.7, A.2': {
    'dispatch:arrival-order-does-not-matter':
      'subtasks, manifest and outcomes may come in any order and twice: the decision is the same',
  },
  'artoo A.8 (merge order)': {
    'dispatch:merged-in-plan-order':
      'outputs are merged by sequence and place in the manifest, whatever the order of arrival; failed ones are left out',
  },
} as const satisfies Requirements;
