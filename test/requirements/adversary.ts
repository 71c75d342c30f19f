import type { Requirements } from './requirement.ts';

export const adversaryRequirements = {
  'artoo A.4, A.7': {
    'adversary:plans':
      'plans that repeat, say nothing, contradict themselves or never end are refused with the reason, and the run ends',
  },
  'artoo A.4, A.17': {
    'adversary:blocked': 'what a round may not use is refused however a model spells it',
  },
  'artoo A.4': {
    'adversary:ids': 'no text of a model becomes an id, or a line of an input that reads like one of ours',
  },
  'artoo A.3, C': {
    'adversary:people-criteria': 'no role takes criteria of people away, softens them, or answers instead of working',
  },
  'artoo A.15 (Law 0), D': {
    'adversary:fabrication':
      'a result that states what no tool showed is corrected by its words and is never accepted with them',
  },
  'design 3 (budgets)': {
    'adversary:budget': 'a model that takes all that it can get ends the run at its budget',
  },
  'artoo A.8, A.17': {
    'adversary:whole':
      'the whole is accepted on evidence of its own round, never with a failed subtask, and with nothing added',
  },
  'design 5': {
    'adversary:megabytes': 'whatever a model writes, messages, events, inputs and the result have a bounded size',
  },
  'artoo A.18, C; springdrift 14': {
    'adversary:xml':
      'malformed, foreign, loading, growing and endless XML of any role ends in a clear outcome, bounded, with nothing loaded',
  },
  'artoo A.15 (known bypasses)': {
    'adversary:bypasses':
      'every known way around a filter of commands leaves protected paths, files beside the workspace and servers as they are',
  },
} as const satisfies Requirements;
