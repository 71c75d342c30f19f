import type { Requirements } from './requirement.ts';

export const calculusRequirements = {
  'calculus:kinds': {
    source: 'springdrift 1',
    behavior:
      '14 levels, 3 operators and 2 modalities make 84 kinds of norms in the default scheme; levels are totally ordered.',
  },
  'calculus:unknown-word-refused': {
    source: 'springdrift 1, 17; design 7',
    behavior:
      'An unknown level, operator or modality is refused with what is allowed; a level of another scheme with the schemes that have it.',
  },
  'calculus:rule-order': {
    source: 'springdrift 1',
    behavior: 'Each of the eight rules fires where its condition holds and none before it does.',
  },
  'calculus:distribution': {
    source: 'springdrift 1, 17',
    behavior:
      'Of 7,056 pairs the rules fire 3528, 1176, 1092, 1040, 84, 56, 54 and 26 times; the severities are 5880, 1066, 56 and 54.',
  },
  'calculus:total-and-deterministic': {
    source: 'springdrift 1, 17',
    behavior:
      'Every pair of every scheme is resolved, by the first rule in the order, and the same pair always the same way.',
  },
  'calculus:monotone-in-system': {
    source: 'springdrift 1, 17',
    behavior: 'Strengthening the system’s norm lowers the severity of no pair.',
  },
  'calculus:antitone-in-active-user': {
    source: 'springdrift 1, 17',
    behavior:
      'Strengthening an active norm of the user raises the severity of no pair; all 21,210 rises come from leaving inertness.',
  },
  'calculus:inert-user-only': {
    source: 'springdrift 1',
    behavior:
      'Futility and indifference look at the user’s norm alone: 364 Superordinate pairs have an indifferent system norm, 588 conflicts an impossible one.',
  },
  'calculus:inert-commitments': {
    source: 'springdrift 1',
    behavior: 'Impossible and indifferent commitments of a character are left out of every judgement and named.',
  },
  'calculus:floors': {
    source: 'springdrift 1, 17',
    behavior: 'Each of the eight floors decides alone, with its verdict; thresholds are reached by equality.',
  },
  'calculus:floor-priorities': {
    source: 'springdrift 1, 17',
    behavior: 'Of floors that hold together the first decides: 1 beats 3, 2 beats 6, and so for every two.',
  },
  'calculus:floors-of-schemes': {
    source: 'design 7',
    behavior: 'Floors follow the ordinals of the chosen scheme.',
  },
  'calculus:trails': {
    source: 'springdrift 1',
    behavior: 'The trail has one line for each pair, user-major; the short trail is each of its rules once, by name.',
  },
  'calculus:whole-trail': {
    source: 'springdrift 1',
    behavior: 'The record of a verdict holds every pair of the trail, and whether no commitment conflicts (axiom 6.5).',
  },
  'calculus:b6': {
    source: 'springdrift 1, 17',
    behavior: 'B.6 is Prohibited by floor 2 with six pairs: one Coordinate, five Superordinate.',
  },
  'calculus:b7': {
    source: 'springdrift 1, 17',
    behavior:
      'B.7 below the modify threshold is accepted and no calculus runs; with an indifferent user it flourishes by floor 8; forced through it is Prohibited by floor 2.',
  },
  'calculus:fast-path': {
    source: 'springdrift 1; design 5',
    behavior: 'Below the modify threshold no pair is resolved; at it the calculus runs.',
  },
  'calculus:magnitudes': {
    source: 'springdrift 1',
    behavior:
      'Magnitudes are read on the scale of three; 2 claims as Ought, 3 as Required, less claims nothing; the modality is always possible.',
  },
  'calculus:claim-apart-from-norm': {
    source: 'springdrift 1',
    behavior:
      'The level of a claim is the policy’s claimLevel, else the lowest of the scheme, whatever norm is at stake.',
  },
  'calculus:veto': {
    source: 'springdrift 1',
    behavior:
      'A critical feature at its maximum is at least Constrained, a feature at its floor at least what the policy says, also on the fast path; a veto only makes a verdict stricter.',
  },
  'calculus:harm-never-outweighed': {
    source: 'springdrift 1',
    behavior:
      'No pair of a harm ends without conflict, whatever the user’s claim; the published rule stays in the trail.',
  },
  'calculus:harm-context': {
    source: 'springdrift 1',
    behavior: 'Impact is the mean magnitude; a critical feature at its maximum is catastrophic.',
  },
  'calculus:drift': {
    source: 'springdrift 1, 17',
    behavior:
      'Over the last 20 of at least 5 verdicts the first of four signals is found: prohibitions, constraints, one axiom again and again, over-restriction.',
  },
  'calculus:worksheets': {
    source: 'springdrift 2, 17',
    behavior:
      'The worksheets of the paper give 22/200 = 0.11 and 64/125 = 0.512; the weighted scale divides by the weights.',
  },
  'calculus:table-printed': {
    source: 'springdrift 1',
    behavior: 'The whole table of a scheme is printed: each rule with its count, each pair, each floor.',
  },
  'calculus:pair-told': {
    source: 'springdrift 1',
    behavior: 'A pair that a person names is resolved, with the rules that were asked and the one that fired.',
  },
  'calculus:norms-tried': {
    source: 'springdrift 1; design 5',
    behavior:
      'The norms of a character judge a file of forecasts: verdict, what decided, every pair, drift; the exit code tells the worst verdict.',
  },
  'calculus:forecast-faults': {
    source: 'springdrift 2; design 3',
    behavior:
      'Every fault of a forecast file is told with file, line, field, what was found and what is allowed, and nothing is judged.',
  },
} as const satisfies Requirements;
