import type { Requirements } from './requirement.ts';

export const apiRequirements = {
  'api:every-rule-has-a-pair': {
    source: 'platforms 6.9',
    behavior: 'Every CEL rule of every kind has an accepted and a refused object in the tests.',
  },
} as const satisfies Requirements;
