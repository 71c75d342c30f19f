import type { Requirements } from './requirement.ts';

export const verdictRequirements = {
  'verdict:targets-survive-the-record': {
    source: 'artoo A.5',
    behavior: 'the target of a call is found again in its recorded arguments, however long they were',
  },
  'verdict:no-validator-where-code-knows': {
    source: 'artoo A.6',
    behavior:
      'a refusal, a failed executor and an attempt without evidence are decided by code, before and above a validator',
  },
  'verdict:met-needs-evidence': {
    source: 'artoo A.6',
    behavior: 'a criterion is met only on calls of this subtask that ran and succeeded',
  },
  'verdict:status-contradicts-claims': {
    source: 'artoo A.6 (evidence grounding)',
    behavior: 'a claim that rests on a failed call is unmet; looking afterwards does not prove the action',
  },
  'verdict:evidence-bears': {
    source: 'artoo A.6',
    behavior:
      'what a verifiable criterion names is shown by a call that succeeded; a file that did not stand there was written by the run, and no later look shows that',
  },
  'verdict:basis': {
    source: 'artoo A.6',
    behavior: 'a met criterion tells whether calls show what it names, or whether it is the validator’s judgement',
  },
  'verdict:every-criterion-once': {
    source: 'artoo A.6',
    behavior: 'each criterion has one verdict, by its number; a missing, doubled or strange one proves nothing',
  },
  'verdict:retries-are-corrections': {
    source: 'artoo A.6',
    behavior: 'maxRetries counts corrections: the first attempt and that many more',
  },
  'verdict:validators-own-failure': {
    source: 'artoo A.6',
    behavior:
      'a validator that fails leaves the criteria unverified, which is no fault of the approach or its surroundings',
  },
  'verdict:nothing-unsupported-matches': {
    source: 'artoo A.15 (Law 0)',
    behavior:
      'a criterion that asks for a figure, a date, a place or a name is unmet while the output gives one that nothing shows; that costs one correction. Differs: the source fails the result for any number',
  },
  'verdict:unsupported-blocks-nothing': {
    source: 'artoo A.15 (Law 0), A.9',
    behavior:
      'what nothing shows and no required criterion hangs on is marked in text and status, and costs nothing; no such claim is Logical or blocks anything',
  },
  'verdict:honest-prose-passes': {
    source: 'artoo A.15, D',
    behavior:
      'honest answers in many manners and six languages are accepted and rarely corrected; invented figures that a criterion asks for are not',
  },
  'verdict:figures-are-derived': {
    source: 'artoo A.15',
    behavior:
      'a figure that code makes from shown ones is shown, with its derivation recorded; among forty figures an invented one hardly ever is',
  },
  'verdict:fabrications-are-found': {
    source: 'artoo A.15, C, D',
    behavior:
      'numbers, dates, paths, addresses and identifiers that no tool output and no task shows are found; honest results pass',
  },
  'verdict:task-needs-positive-evidence': {
    source: 'artoo A.8, A.17',
    behavior: 'a task is accepted on the evidence of its required criteria alone, whatever the meta-validator says',
  },
  'verdict:failed-subtask-fails-the-round': {
    source: 'artoo A.8, A.17',
    behavior: 'where a subtask failed no model judges the whole, and none can accept it',
  },
} as const satisfies Requirements;
