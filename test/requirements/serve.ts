import type { Requirements } from './requirement.ts';

export const serveRequirements = {
  'design 7 (Serve)': {
    'serve:reached-through-the-agent':
      'What code in a sandbox keeps open is reached below /serve/ID/NAME/ of its agent, upgrades too',
    'serve:ends-in-time':
      'After its deadline, its end or a stop nothing is reached, open connections end, and nothing is left',
  },
  'design 7 (Serve); reliability-security 3': {
    'serve:no-credentials':
      'Served code sees no cookie and no credential, sets none, and its pages have no origin of the agent',
  },
  'reliability-security 7': {
    'serve:bounded':
      'Bodies, answers, requests at once and the number of what serves are bounded, whatever the code does',
  },
  'springdrift 11': {
    'serve:side-by-side': 'A request that is not answered yet holds up no other one',
    'serve:tools':
      'serve_code and stop_serving exist where the Agent allows it; the reply says VERIFIED, UNVERIFIED or how it ended',
  },
  'design 5': {
    'serve:agent-crash':
      'An agent killed between any two steps finds what serves, or knows that it is lost; none is begun twice',
  },
} as const satisfies Requirements;
