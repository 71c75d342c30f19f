import type { Requirements } from './requirement.ts';

export const auditBusRequirements = {
  'artoo A.12': {
    'audit-bus:gap':
      'A message that is on neither path, or on one of bus and journal only, is reported as an observation gap, whichever message of a run it is.',
    'audit-bus:differs':
      'A message that is altered between the two paths is reported, and so is one whose content has another hash.',
    'audit-bus:quiet': 'Without a fault nothing is reported, across a restart of the agent or the auditor too.',
    'audit-bus:boundary': 'A message that may not go where it went is reported, an unknown type included.',
    'audit-bus:report':
      'Every 5 minutes in which something happened, and on demand, it reports tasks, corrections, trends, violations, drifts, anomalies and the health of tools.',
  },
  'artoo A.12, C': {
    'audit-bus:shared': 'On a bus that is shared the auditor hears every message in a consumer group of its own.',
  },
  'artoo A.2, A.12': {
    'audit-bus:never-blocks': 'An auditor that is slow, gone or never there does not hold up the agent.',
  },
} as const satisfies Requirements;
