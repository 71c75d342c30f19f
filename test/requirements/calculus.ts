import type { Requirements } from './requirement.ts';

export const calculusRequirements = {
  'springdrift 1': {
    'calculus:kinds':
      '14 levels, 3 operators and 2 modalities make 84 kinds of norms in the default scheme; levels are totally ordered.',
    'calculus:rule-order': 'Each of the eight rules fires where its condition holds and none before it does.',
    'calculus:inert-user-only':
      'Futility and indifference look at the user’s norm alone: 364 Superordinate pairs have an indifferent system norm, 588 conflicts an impossible one.',
    'calculus:inert-commitments':
      'Impossible and indifferent commitments of a character are left out of every judgement and named.',
    'calculus:trails':
      'The trail has one line for each pair, user-major; the short trail is each of its rules once, by name.',
    'calculus:whole-trail':
      'The record of a verdict holds every pair of the trail, and whether no commitment conflicts (axiom 6.5).',
    'calculus:magnitudes':
      'Magnitudes are read on the scale of three; 2 claims as Ought, 3 as Required, less claims nothing; the modality is always possible.',
    'calculus:claim-apart-from-norm':
      'The level of a claim is the policy’s claimLevel, else the lowest of the scheme, whatever norm is at stake.',
    'calculus:veto':
      'A critical feature at its maximum is at least Constrained, a feature at its floor at least what the policy says, also on the fast path; a veto only makes a verdict stricter.',
    'calculus:harm-never-outweighed':
      'No pair of a harm ends without conflict, whatever the user’s claim; the published rule stays in the trail.',
    'calculus:harm-context': 'Impact is the mean magnitude; a critical feature at its maximum is catastrophic.',
    'calculus:table-printed':
      'The whole table of a scheme is printed: each rule with its count, each pair, each floor.',
    'calculus:pair-told':
      'A pair that a person names is resolved, with the rules that were asked and the one that fired.',
  },
  'springdrift 1, 17; design 7': {
    'calculus:unknown-word-refused':
      'An unknown level, operator or modality is refused with what is allowed; a level of another scheme with the schemes that have it.',
  },
  'springdrift 1, 17': {
    'calculus:distribution':
      'Of 7,056 pairs the rules fire 3528, 1176, 1092, 1040, 84, 56, 54 and 26 times; the severities are 5880, 1066, 56 and 54.',
    'calculus:total-and-deterministic':
      'Every pair of every scheme is resolved, by the first rule in the order, and the same pair always the same way.',
    'calculus:monotone-in-system': 'Strengthening the system’s norm lowers the severity of no pair.',
    'calculus:antitone-in-active-user':
      'Strengthening an active norm of the user raises the severity of no pair; all 21,210 rises come from leaving inertness.',
    'calculus:floors': 'Each of the eight floors decides alone, with its verdict; thresholds are reached by equality.',
    'calculus:floor-priorities':
      'Of floors that hold together the first decides: 1 beats 3, 2 beats 6, and so for every two.',
    'calculus:b6': 'B.6 is Prohibited by floor 2 with six pairs: one Coordinate, five Superordinate.',
    'calculus:b7':
      'B.7 below the modify threshold is accepted and no calculus runs; with an indifferent user it flourishes by floor 8; forced through it is Prohibited by floor 2.',
    'calculus:drift':
      'Over the last 20 of at least 5 verdicts the first of four signals is found: prohibitions, constraints, one axiom again and again, over-restriction.',
  },
  'design 7': {
    'calculus:floors-of-schemes': 'Floors follow the ordinals of the chosen scheme.',
  },
  'springdrift 1; design 5': {
    'calculus:fast-path': 'Below the modify threshold no pair is resolved; at it the calculus runs.',
    'calculus:norms-tried':
      'The norms of a character judge a file of forecasts: verdict, what decided, every pair, drift; the exit code tells the worst verdict.',
  },
  'springdrift 2, 17': {
    'calculus:worksheets':
      'The worksheets of the paper give 22/200 = 0.11 and 64/125 = 0.512; the weighted scale divides by the weights.',
  },
  'springdrift 2; design 3': {
    'calculus:forecast-faults':
      'Every fault of a forecast file is told with file, line, field, what was found and what is allowed, and nothing is judged.',
  },
} as const satisfies Requirements;
