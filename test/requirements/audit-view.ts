import type { Requirements } from './requirement.ts';

export const auditViewRequirements = {
  'audit-view:summary': {
    source: 'springdrift 13; design 7',
    behavior:
      'Day by day, runs, cycles, outcomes, answers, tokens, calls with their failures, verdicts by gate and sizes of stores are those that the lines of the record have, and the sum is that of the days.',
  },
  'audit-view:cycle': {
    source: 'springdrift 13; design 1',
    behavior:
      'One cycle is shown in full: its place in the tree of its run, every verdict with its trail, every call with its end.',
  },
  'audit-view:cycle-requests': {
    source: 'design 1, 5',
    behavior:
      'Every request of a cycle to a model is shown with the bytes that its line, or the blob of its line, holds.',
  },
  'audit-view:map': {
    source: 'design 1; springdrift 13',
    behavior:
      'Every call of effect class 1 or higher and every delivery has one row: who wanted it, who decided by which rule and version, who approved, who checked, what it took.',
  },
  'audit-view:map-findings': {
    source: 'design 1',
    behavior:
      'An effect of an ended run without a full row is a finding: no admission, no verdict or one on other arguments, no approval of exactly it, nobody who judged it.',
  },
  'audit-view:picture': {
    source: 'design 1',
    behavior:
      'The accountability map is drawn as a well-formed SVG: a box for each answer, missing ones marked, every text within its box and in full in its title.',
  },
  'audit-view:unknown-id': {
    source: 'design 6 (errors name what there is)',
    behavior: 'An unknown id of a cycle or a run is named, with what there is instead; exit code 1.',
  },
  'audit-view:search': {
    source: 'design 1, 7',
    behavior:
      'A text is found in every record that has it, in either case, with store, sequence, run, cycle and member; at most so many records, and it says when there are more.',
  },
  'audit-view:skills': {
    source: 'springdrift 12, 13',
    behavior:
      'Each skill is told with the runs whose models were shown it and their outcomes, and that no cause is claimed is said in words.',
  },
  'audit-view:springdrift': {
    source: 'springdrift 4, 13',
    behavior: 'The summary of logs of the system of the paper counts, day by day, what grep and awk count in them.',
  },
  'audit-view:springdrift-malformed': {
    source: 'springdrift 4, 13',
    behavior: 'A malformed line of a foreign log is counted and told with its file and its number; the others count.',
  },
  'audit-view:offline': {
    source: 'design 7 (offline: every audit view works on a copied data directory)',
    behavior: 'Every view works on a copy that cannot be written, and changes nothing in it.',
  },
  'audit-view:import': {
    source: 'springdrift 4; reliability-security 4 (labels on every value)',
    behavior:
      'The narrative of another system is taken over by a named person, labelled untrusted, each entry once; it is found when asked for and changes no figure of the agent.',
  },
} as const satisfies Requirements;
