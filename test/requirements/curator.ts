import type { Requirements } from './requirement.ts';

export const curatorRequirements = {
  'sensorium:sections': {
    source: 'springdrift 3 (sensorium); artoo C (sensorium)',
    behavior:
      'a cycle is told of clock, situation, run, vitals, budgets, approvals, gates, sandbox, delegations, events, tasks, integrity, recommendations and memory, computed by code; a section with nothing to say is left out',
  },
  'sensorium:figures': {
    source: 'springdrift 3 (computed signals), 17 (M4)',
    behavior:
      'the success rate is of the last 50 runs, with their number beside it; the cost trend compares halves; novelty is 1 without a history and 0 for the same words',
  },
  'sensorium:thread': {
    source: 'springdrift 3 (situation)',
    behavior:
      'a cycle is told the thread that a run joined last, by its name only if the run that began it had read no text of a stranger',
  },
  'sensorium:recommendations': {
    source: 'springdrift 3 (meta_recommendations)',
    behavior:
      'a cycle is told what to heed, in fixed words, if less than half of the newest runs reached their goal, if its subject is unlike theirs, or if the observer has tightened the gates',
  },
  'sensorium:bounded': {
    source: 'springdrift 3 (never shed), 17 (M6)',
    behavior: 'the fullest sensorium fits into the smallest budget that a manifest may set',
  },
  'curator:slots': {
    source: 'springdrift 3 (slots and priorities), 17 (M6); artoo C (context)',
    behavior:
      'slots are filled in the order of their priority within the budget; name and sensorium are never cut, others at the end of an item, and the sensorium names what was cut',
  },
  'curator:inert': {
    source: 'springdrift 3, 17 (M7)',
    behavior: 'braces, conditions and tags in a value change nothing but its own escaped text',
  },
  'curator:template': {
    source: 'springdrift 3 (template)',
    behavior: 'a template is parsed once; an unknown slot or condition is refused; a zero at the end of a line counts',
  },
  'curator:roles': {
    source: 'artoo C (context); springdrift 3',
    behavior: 'perceiver, planner and workers are told of the agent itself; who judges is told nothing',
  },
  'curator:trust': {
    source: 'reliability-security 4 (memory poisoning); springdrift 4',
    behavior: 'of runs the slots hold what code wrote, of facts only trusted ones',
  },
  'curator:prefix': {
    source: 'Messages API (prompt caching); springdrift 3',
    behavior:
      'what is added when a cycle begins stands in its record, behind the texts that a provider keeps, whose bytes stay',
  },
} as const satisfies Requirements;
