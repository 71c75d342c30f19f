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
} as const satisfies Requirements;
