import type { Requirements } from './requirement.ts';

export const apiRequirements = {
  'api:every-rule-has-a-pair': {
    source: 'platforms 6',
    behavior: 'Every CEL rule of every kind has an accepted and a refused object in the tests.',
  },
  'api:skill-as-published': {
    source: 'design 3',
    behavior:
      'A SKILL.md with name and description, and any body, becomes a Skill; what a Skill has no place for is told.',
  },
  'api:names-are-served': {
    source: 'platforms 2',
    behavior: 'Every kind has an unambiguous short name and the category retainer.',
  },
  'api:same-defaults-everywhere': {
    source: 'design 3',
    behavior: 'A manifest means the same on a cluster and on a local machine.',
  },
  'api:errors-say-where-and-what': {
    source: 'design 6',
    behavior: 'A bad manifest gets an error that names file, line, field path, what was found and what is allowed.',
  },
  'api:level-schemes': {
    source: 'springdrift 1',
    behavior: 'Three totally ordered level schemes, with the ordinals of their sources.',
  },
  'api:level-belongs-to-scheme': {
    source: 'design 7',
    behavior: 'A level of another scheme is refused, and the error says which scheme has it.',
  },
  'api:unknown-level-is-refused': {
    source: 'design 3',
    behavior: 'An unknown level or operator is refused at admission, never defaulted.',
  },
  'api:crds-are-generated': {
    source: 'design 4',
    behavior: 'The CRDs are what the generator makes of the schemas; they are never edited.',
  },
} as const satisfies Requirements;
