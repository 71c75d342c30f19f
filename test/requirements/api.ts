import type { Requirements } from './requirement.ts';

export const apiRequirements = {
  'platforms 6': {
    'api:every-rule-has-a-pair': 'Every CEL rule of every kind has an accepted and a refused object in the tests.',
  },
  'design 3': {
    'api:skill-as-published':
      'A SKILL.md with name and description, and any body, becomes a Skill; what a Skill has no place for is told.',
    'api:applied-twice-unchanged':
      'An object that is applied again as it is is not written, neither by the client nor by the server: no default stands inside a list.',
    'api:same-defaults-everywhere': 'A manifest means the same on a cluster and on a local machine.',
    'api:unknown-level-is-refused': 'An unknown level or operator is refused at admission, never defaulted.',
  },
  'platforms 2': {
    'api:names-are-served': 'Every kind has an unambiguous short name and the category retainer.',
  },
  'design 6': {
    'api:errors-say-where-and-what':
      'A bad manifest gets an error that names file, line, field path, what was found and what is allowed.',
  },
  'design 6; springdrift 9': {
    'api:schedule-faults':
      'A zone that does not exist, a cron text that cannot be read and one without a moment ever are faults of a manifest and of a Task or an Agent on a cluster, in the same words, with the field and what may stand there.',
  },
  'springdrift 1': {
    'api:level-schemes': 'Three totally ordered level schemes, with the ordinals of their sources.',
  },
  'design 7': {
    'api:level-belongs-to-scheme': 'A level of another scheme is refused, and the error says which scheme has it.',
  },
  'design 4': {
    'api:crds-are-generated': 'The CRDs are what the generator makes of the schemas; they are never edited.',
  },
} as const satisfies Requirements;
