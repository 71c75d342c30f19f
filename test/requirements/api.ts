import type { Requirements } from './requirement.ts';

export const apiRequirements = {
  'api:every-rule-has-a-pair': {
    source: 'platforms 6.9',
    behavior: 'Every CEL rule of every kind has an accepted and a refused object in the tests.',
  },
  'api:names-are-served': {
    source: 'platforms 2.5',
    behavior: 'Every kind has an unambiguous short name and the category retainer.',
  },
  'api:same-defaults-everywhere': {
    source: 'design 3',
    behavior: 'A manifest means the same on a cluster and on a local machine.',
  },
} as const satisfies Requirements;
