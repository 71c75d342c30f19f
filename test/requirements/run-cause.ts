import type { Requirements } from './requirement.ts';

export const runCauseRequirements = {
  'design 4': {
    'cause:reply-goes-to-its-channel':
      'The result of a run goes to the channel and the target in its spec; a notice is a file of its own, told once and without its words',
    'cause:only-if-changed':
      'A result of a job that says what its last one said is not delivered, and the run still closes with its entry',
    'cause:session-of-its-own': 'A session shows the newest runs of its own conversation, and of no other',
    'cause:label-from-the-start':
      'A run that was asked with untrusted words carries their label from its first cycle on, and no address in them is one of people',
    'cause:no-task-no-status':
      'A run that no Task asked for is neither reported nor cancelled as one, and takes no slot of a Task',
  },
  'springdrift 9': {
    'cause:own-time-budget':
      'Cycles and tokens of what no Task asked for are counted by the hour, over a kill as before it; beyond the limit nothing is begun, and the moment that frees it is known',
  },
} as const satisfies Requirements;
