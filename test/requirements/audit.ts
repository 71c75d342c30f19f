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
} as const satisfies Requirements;
