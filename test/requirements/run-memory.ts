import type { Requirements } from './requirement.ts';

export const runMemoryRequirements = {
  'memory:success-is-repeated': {
    source: 'artoo D, A.10',
    behavior:
      'after one accepted run, the planner of a second one with the same intent is told the tool and the argument that won',
  },
  'memory:keeps-label': {
    source: 'reliability-security 4 (ASI06, memory poisoning)',
    behavior:
      'no word of a run that had read untrusted text reaches a later planner through memory; of what it taught, only the direction remains',
  },
  'memory:ask-first': {
    source: 'artoo A.10 (PolicyBlock)',
    behavior: 'after a refusal by policy, the next planner is told to ask a person first',
  },
  'memory:failure-is-avoided': {
    source: 'artoo A.11 (MUST NOT)',
    behavior: 'after an abandoned run, the next planner must not repeat what led to it',
  },
  'memory:session': {
    source: 'artoo A.16, A.3',
    behavior:
      'the perceiver is told the five newest runs of the agent, with how each ended, and what is known of the user; a restart loses none of it',
  },
  'memory:session-as-data': {
    source: 'artoo A.16; reliability-security 4',
    behavior:
      'the words of an earlier run that had read untrusted text are shown between marks, with their label on all that follows; a Task with criteria is shown none',
  },
  'memory:recall-is-recorded': {
    source: 'artoo A.11, A.17',
    behavior: 'a rule that was recalled for a plan fades from that moment, by an event of the record',
  },
} as const satisfies Requirements;
