import type { Requirements } from './requirement.ts';

export const auditRequirements = {
  'audit:head-lag': {
    source: 'reliability-security 1.2',
    behavior: 'The auditor keeps a head every 1,000 records or 60 s, of acknowledged records only.',
  },
  'audit:reads-only': {
    source: 'design 5.10',
    behavior: 'The auditor writes, creates and locks nothing below the journal that it follows.',
  },
  'audit:forks-detected': {
    source: 'reliability-security 7',
    behavior:
      'Row 6: a rewritten suffix, a cut tail or a restored old copy is found whenever it changes what is older than the last head.',
  },
  'audit:apart-from-the-agent': {
    source: 'reliability-security 7',
    behavior:
      "Row 6: the auditor's user cannot write the agent's data, and the agent's user cannot write or read the auditor's.",
  },
} as const satisfies Requirements;
