import type { Requirements } from './requirement.ts';

export const useRequirements = {
  'use:everyday': {
    source: 'design 1; reliability-security 4 (approvals are rare)',
    behavior: 'what people ask for every day ends as they expect, and they are asked at most once',
  },
  'use:untrusted-data': {
    source: 'design 1; reliability-security 4',
    behavior: 'data of a stranger is analysed without a question, and what rests on it is marked',
  },
} satisfies Requirements;
