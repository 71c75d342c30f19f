import type { Requirements } from './requirement.ts';

export const auditViewRequirements = {
  'springdrift 13; design 7': {
    'audit-view:summary':
      'Day by day, runs, cycles, outcomes, answers, tokens, calls with their failures, verdicts by gate and sizes of stores are those that the lines of the record have, and the sum is that of the days.',
  },
  'springdrift 13; design 1': {
    'audit-view:cycle':
      'One cycle is shown in full: its place in the tree of its run, every verdict with its trail, every call with its end.',
  },
  'design 1, 5': {
    'audit-view:cycle-requests':
      'Every request of a cycle to a model is shown with the bytes that its line, or the blob of its line, holds.',
  },
  'design 1; springdrift 13': {
    'audit-view:map':
      'Every call of effect class 1 or higher and every delivery has one row: who wanted it, who decided by which rule and version, who approved, who checked, what it took.',
  },
  'design 1': {
    'audit-view:map-findings':
      'An effect of an ended run without a full row is a finding: no admission, no verdict or one on other arguments, no approval of exactly it, nobody who judged it.',
    'audit-view:picture':
      'The accountability map is drawn as a well-formed SVG: a box for each answer, missing ones marked, every text within its box and in full in its title.',
  },
  'design 6 (errors name what there is)': {
    'audit-view:unknown-id': 'An unknown id of a cycle or a run is named, with what there is instead; exit code 1.',
  },
  'design 1, 7': {
    'audit-view:search':
      'A text is found in every record that has it, in either case, with store, sequence, run, cycle and member; at most so many records, and it says when there are more.',
  },
  'springdrift 12, 13': {
    'audit-view:skills':
      'Each skill is told with the runs whose models were shown it and their outcomes, and that no cause is claimed is said in words.',
  },
  'springdrift 4, 13': {
    'audit-view:springdrift':
      'The summary of logs of the system of the paper counts, day by day, what grep and awk count in them.',
    'audit-view:springdrift-malformed':
      'A malformed line of a foreign log is counted and told with its file and its number; the others count.',
  },
  'design 7 (offline: every audit view works on a copied data directory)': {
    'audit-view:offline': 'Every view works on a copy that cannot be written, and changes nothing in it.',
  },
  'springdrift 4; reliability-security 4 (labels on every value)': {
    'audit-view:import':
      'The narrative of another system is taken over by a named person, labelled untrusted, each entry once; it is found when asked for and changes no figure of the agent.',
  },
} as const satisfies Requirements;
