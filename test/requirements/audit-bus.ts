import type { Requirements } from './requirement.ts';

export const auditBusRequirements = {
  'audit-bus:gap': {
    source: 'artoo A.12',
    behavior:
      'A message that is on neither path, or on one of bus and journal only, is reported as an observation gap, whichever message of a run it is.',
  },
  'audit-bus:differs': {
    source: 'artoo A.12',
    behavior:
      'A message that is altered between the two paths is reported, and so is one whose content has another hash.',
  },
  'audit-bus:quiet': {
    source: 'artoo A.12',
    behavior: 'Without a fault nothing is reported, across a restart of the agent or the auditor too.',
  },
  'audit-bus:boundary': {
    source: 'artoo A.12',
    behavior: 'A message that may not go where it went is reported, an unknown type included.',
  },
  'audit-bus:report': {
    source: 'artoo A.12',
    behavior:
      'Every 5 minutes in which something happened, and on demand, it reports tasks, corrections, trends, violations, drifts, anomalies and the health of tools.',
  },
  'audit-bus:shared': {
    source: 'artoo A.12, C',
    behavior: 'On a bus that is shared the auditor hears every message in a consumer group of its own.',
  },
  'audit-bus:never-blocks': {
    source: 'artoo A.2, A.12',
    behavior: 'An auditor that is slow, gone or never there does not hold up the agent.',
  },
} as const satisfies Requirements;
