import type { Requirements } from './requirement.ts';

export const dispatchRequirements = {
  'dispatch:ids-are-the-runtimes': {
    source: 'artoo A.4, A.17',
    behavior: 'ids, sequences and places of subtasks are given by code; none of a planner reaches them',
  },
  'dispatch:people-criteria-stay': {
    source: 'artoo C',
    behavior: 'the criteria that people gave come first and unchanged; a planner may add to them only',
  },
  'dispatch:blocked-tools-are-not-planned': {
    source: 'artoo A.4, A.17',
    behavior: 'a plan with a blocked tool, however spelled, is rejected once with the reason and fails the second time',
  },
  'dispatch:sequences-are-dense': {
    source: 'artoo A.7',
    behavior: 'sequences become ranks from 1 without gaps, so that no subtask waits for ever',
  },
  'dispatch:arrival-order-does-not-matter': {
    source: 'artoo A.7, A.2',
    behavior: 'subtasks, manifest and outcomes may come in any order and twice: the decision is the same',
  },
  'dispatch:failed-group-stops-the-rest': {
    source: 'artoo A.7',
    behavior: 'after a failed group no later one starts; its subtasks get outcomes that say so',
  },
  'dispatch:every-subtask-ends-once': {
    source: 'artoo A.7',
    behavior: 'every subtask of the manifest gets exactly one outcome, and no more run at once than the Agent allows',
  },
  'dispatch:prior-outputs-are-labelled': {
    source: 'artoo A.7',
    behavior: 'later subtasks are told what earlier ones brought, labelled, in order, and only what matched',
  },
  'dispatch:prior-outputs-are-bounded': {
    source: 'artoo A.7',
    behavior: 'what is told of earlier subtasks has an upper bound each and in all',
  },
  'dispatch:merged-in-plan-order': {
    source: 'artoo A.8 (merge order)',
    behavior:
      'outputs are merged by sequence and place in the manifest, whatever the order of arrival; failed ones are left out',
  },
} as const satisfies Requirements;
