import type { Requirements } from './requirement.ts';

export const serveRequirements = {
  'serve:reached-through-the-agent': {
    source: 'design 7 (Serve)',
    behavior: 'What code in a sandbox keeps open is reached below /serve/ID/NAME/ of its agent, upgrades too',
  },
  'serve:ends-in-time': {
    source: 'design 7 (Serve)',
    behavior: 'After its deadline, its end or a stop nothing is reached, open connections end, and nothing is left',
  },
  'serve:no-credentials': {
    source: 'design 7 (Serve); reliability-security 3',
    behavior: 'Served code sees no cookie and no credential, sets none, and its pages have no origin of the agent',
  },
  'serve:bounded': {
    source: 'reliability-security 7',
    behavior: 'Bodies, answers, requests at once and the number of what serves are bounded, whatever the code does',
  },
  'serve:side-by-side': {
    source: 'springdrift 11',
    behavior: 'A request that is not answered yet holds up no other one',
  },
  'serve:agent-crash': {
    source: 'design 5',
    behavior: 'An agent killed between any two steps finds what serves, or knows that it is lost; none is begun twice',
  },
  'serve:tools': {
    source: 'springdrift 11',
    behavior:
      'serve_code and stop_serving exist where the Agent allows it; the reply says VERIFIED, UNVERIFIED or how it ended',
  },
} as const satisfies Requirements;
