import type { Requirements } from './requirement.ts';

export const mailRequirements = {
  'reliability-security 5; springdrift 10': {
    'mail:answered': 'A letter is one run and one answer under it, and what follows later knows the thread',
    'mail:strangers': 'A letter of somebody who is not listed, or not authenticated, starts nothing and is held',
    'mail:table': 'What becomes of a letter is the first row of one table that holds',
    'mail:once':
      'The same letter begins one run, however often it comes, wherever it lies, and whenever the process ends',
    'mail:crash-anywhere':
      'Wherever the record of a day with letters ends, each letter has one run and one answer, and no mail that a server may have had is sent again',
    'mail:unseen-until-durable': 'The server is told that a letter was seen after the record has it',
    'mail:renumbered': 'A mailbox that is numbered anew is read anew, and nothing is done twice',
    'mail:never-answered': 'Lists, bounces, strangers’ programs and the agent’s own letters are never answered',
    'mail:threads': 'An answer finds its thread by our Message-IDs, and only for the one whom the thread is with',
    'mail:released': 'A person lets a held letter begin a run, whose words stay a stranger’s',
    'mail:restored': 'After a restoring, a letter from before it waits for a person',
    'mail:forged': 'No crafted letter of an unauthenticated sender begins anything',
    'mail:fold': 'A hundred thousand letters are folded, and every one is known',
  },
} as const satisfies Requirements;
