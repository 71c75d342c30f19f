import type { Requirements } from './requirement.ts';

/** Who may read what the agent knows. */
export const readersRequirements = {
  'reliability-security 4 (labels on every value); issue Mail (readers become a set)': {
    'readers:common':
      'A text made from several may be read by those who may read all of them; the order does not matter, and everyone is the widest set',
    'readers:letters':
      'A letter tells its receivers nothing telling that one of them may not read: what is another correspondent’s is refused, and a person may release what is the owner’s',
    'readers:replies':
      'The reply of a run that is for somebody else than the owner tells nothing that this one may not read',
    'readers:memory': 'What a run leaves in memory, in files and in jobs may be read by its principal and by the owner',
    'readers:shown':
      'A run is shown by itself what its principal may read: facts, cases, turns, lessons, and no other work of the agent',
    'readers:tools':
      'In a run for a correspondent, tools show nothing of another one: no file, fact, recalled record or job, and nothing of the agent’s own affairs',
    'readers:older-records':
      'Records from before readers were a set read as today’s: whoever gave the Task is the owner, and the agent alone is nobody',
  },
} as const satisfies Requirements;
