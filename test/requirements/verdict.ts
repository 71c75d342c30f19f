import type { Requirements } from './requirement.ts';

export const verdictRequirements = {
  'artoo A.5': {
    'verdict:targets-survive-the-record':
      'the target of a call is found again in its recorded arguments, however long they were',
  },
  'artoo A.6': {
    'verdict:no-validator-where-code-knows':
      'a refusal, a failed executor and an attempt without evidence are decided by code, before and above a validator',
    'verdict:met-needs-evidence': 'a criterion is met only on calls of this subtask that ran and succeeded',
    'verdict:evidence-bears':
      'what a verifiable criterion names is shown by a call that succeeded; a file that did not stand there was written by the run, and no later look shows that',
    'verdict:final-state':
      'what a criterion says of a file is decided by the newest state of the file: its digest, its content where the record holds it, and whether it is there',
    'verdict:basis':
      'a met criterion tells whether calls show what it names, or whether it is the validator’s judgement',
    'verdict:every-criterion-once':
      'each criterion has one verdict, by its number; a missing, doubled or strange one proves nothing',
    'verdict:retries-are-corrections': 'maxRetries counts corrections: the first attempt and that many more',
    'verdict:validators-own-failure':
      'a validator that fails leaves the criteria unverified, which is no fault of the approach or its surroundings',
  },
  'artoo A.6 (evidence grounding)': {
    'verdict:status-contradicts-claims':
      'a claim that rests on a failed call is unmet; looking afterwards does not prove the action',
  },
  'artoo A.15 (Law 0)': {
    'verdict:nothing-unsupported-matches':
      'a criterion that asks for a figure, a date, a place or a name is unmet while the output gives one that nothing shows; that costs one correction. Differs: the source fails the result for any number',
  },
  'artoo A.15 (Law 0), A.9': {
    'verdict:unsupported-blocks-nothing':
      'what nothing shows and no required criterion hangs on is marked in text and status, and costs nothing; no such claim is Logical or blocks anything',
  },
  'artoo A.15, D': {
    'verdict:honest-prose-passes':
      'honest answers in many manners and six languages are accepted and rarely corrected; invented figures that a criterion asks for are not',
  },
  'artoo A.15': {
    'verdict:figures-are-derived':
      'a figure that code makes from shown ones is shown, with its derivation recorded; among forty figures an invented one hardly ever is',
  },
  'artoo A.15, C, D': {
    'verdict:fabrications-are-found':
      'numbers, dates, paths, addresses and identifiers that no tool output and no task shows are found; honest results pass',
  },
  'arXiv 2203.11171 (self-consistency)': {
    'verdict:worked-out-twice':
      'what a model of unknown worth came to counts only if a second attempt came to it too; else it is corrected, and never accepted',
    'verdict:second-attempt-is-blind':
      'the second attempt is told what the first one was told, and nothing of its result',
  },
  'artoo A.8, A.17': {
    'verdict:task-needs-positive-evidence':
      'a task is accepted on the evidence of its required criteria alone, whatever the meta-validator says',
    'verdict:required-is-required':
      'a required criterion that is not met is named in outcome, condition and exit code, and what depends on the Task does not start unless it says so',
    'verdict:failed-subtask-fails-the-round':
      'where a subtask failed no model judges the whole, and none can accept it',
  },
} as const satisfies Requirements;
