import type { Requirements } from './requirement.ts';

export const useRequirements = {
  'design 1; reliability-security 4 (approvals are rare)': {
    'use:everyday': 'what people ask for every day ends as they expect, and they are asked at most once',
  },
  'design 1; reliability-security 4': {
    'use:untrusted-data': 'data of a stranger is analysed without a question, and what rests on it is marked',
  },
} satisfies Requirements;
