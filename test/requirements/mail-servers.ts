import type { Requirements } from './requirement.ts';

export const mailServerRequirements = {
  'springdrift 10; reliability-security 5': {
    'mail-servers:read': 'A letter is read as it came, and of all letters only their flag \\Seen is ever changed',
    'mail-servers:told':
      'A server with IDLE tells of a new letter by itself; one without is asked each pollInterval, and says so',
    'mail-servers:sizes-first': 'Of a letter that is too large the head alone is fetched, and its body costs nothing',
    'mail-servers:own-words':
      'Each fault of a mail server has its own words, which quote nothing of a server, a letter or a Secret',
    'mail-servers:heals':
      'After each fault of the server for incoming mail the next letter is read, and health says that all is well',
    'mail-servers:half-open': 'A connection over which nothing comes back is noticed and made again',
    'mail-servers:numbered-anew':
      'Where a server numbers its letters anew, an old number is no letter, and health says so',
    'mail-servers:tls':
      'No login goes to a server whose certificate is over, is for another name or is signed by nobody who is trusted',
    'mail-servers:credentials':
      'Credentials are read at each connection, and other ones than those that were refused are tried at once',
    'mail-servers:pauses':
      'Tries that fail come after pauses that grow, also where a server takes a connection and drops it',
    'mail-servers:proxy':
      'With a proxy both servers are reached through it alone, and its refusals have their own words',
    'mail-servers:in-sent': 'A letter is found in Sent by its Message-ID, whatever the mailbox is called',
    'mail-servers:sent-once':
      'What came of a letter is sent, refused or unknown: unknown from its first byte until the server answers',
    'mail-servers:all-or-nobody': 'A letter goes to all of its recipients, or to none',
    'mail-servers:lazy': 'The libraries of mail are loaded at the first connection, by one room alone',
    'mail-servers:closes': 'A closed mailbox and a closed sender leave nothing that keeps the process alive',
  },
} as const satisfies Requirements;
