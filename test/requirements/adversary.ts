import type { Requirements } from './requirement.ts';

export const adversaryRequirements = {
  'adversary:plans': {
    source: 'artoo A.4, A.7',
    behavior:
      'plans that repeat, say nothing, contradict themselves or never end are refused with the reason, and the run ends',
  },
  'adversary:blocked': {
    source: 'artoo A.4, A.17',
    behavior: 'what a round may not use is refused however a model spells it',
  },
  'adversary:ids': {
    source: 'artoo A.4',
    behavior: 'no text of a model becomes an id, or a line of an input that reads like one of ours',
  },
  'adversary:people-criteria': {
    source: 'artoo A.3, C',
    behavior: 'no role takes criteria of people away, softens them, or answers instead of working',
  },
  'adversary:fabrication': {
    source: 'artoo A.15 (Law 0), D',
    behavior: 'a result that states what no tool showed is corrected by its words and is never accepted with them',
  },
  'adversary:budget': {
    source: 'design 3 (budgets)',
    behavior: 'a model that takes all that it can get ends the run at its budget',
  },
  'adversary:whole': {
    source: 'artoo A.8, A.17',
    behavior: 'the whole is accepted on evidence of its own round, never with a failed subtask, and with nothing added',
  },
  'adversary:megabytes': {
    source: 'design 5',
    behavior: 'whatever a model writes, messages, events, inputs and the result have a bounded size',
  },
  'adversary:xml': {
    source: 'artoo A.18, C; springdrift 14',
    behavior:
      'malformed, foreign, loading, growing and endless XML of any role ends in a clear outcome, bounded, with nothing loaded',
  },
  'adversary:bypasses': {
    source: 'artoo A.15 (known bypasses)',
    behavior:
      'every known way around a filter of commands leaves protected paths, files beside the workspace and servers as they are',
  },
} as const satisfies Requirements;
