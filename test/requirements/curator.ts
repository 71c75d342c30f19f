import type { Requirements } from './requirement.ts';

export const curatorRequirements = {
  'springdrift 3 (sensorium); artoo C (sensorium)': {
    'sensorium:sections':
      'a cycle is told of clock, situation, run and its limits, vitals, budgets, approvals, questions, gates, patterns, place, sandbox, delegations, events, tasks, integrity, recommendations and memory, computed by code; a section with nothing to say is left out',
    'sensorium:place':
      'a cycle is told where it stands, from its manifest as far as it holds: network, root, hosts, limits and languages of the sandbox, whether code runs there, which pages it may read, the time zone',
  },
  'springdrift 3; design 6': {
    'state:page': 'docs/state.md shows an example that the program writes, and tells of every section in its order',
  },
  'springdrift 3 (events); design 5': {
    'sensorium:events':
      'a cycle is told what happened to the agent in the last day, in words of code, and which of it since the last cycle: a restart, a full disk, lost records, a clock that was set, a person’s answer, a job that fired, a dropped reply, and what became of the gates',
  },
  'springdrift 1 (drift), 2 (stall), 7 (patterns)': {
    'sensorium:patterns':
      'a cycle is told of repeated failures, failing tools, cost outliers, drift and a stall, each with how many show it of how many; the words of a domain are told to nobody',
  },
  'springdrift 3 (computed signals), 17 (M4)': {
    'sensorium:figures':
      'the success rate is of the last 50 runs, with their number beside it; the cost trend compares halves; novelty is 1 without a history and 0 for the same words',
  },
  'springdrift 3 (never from a model), 17; design 5 (one record)': {
    'sensorium:recounted':
      'whatever a cycle is told of the agent equals the record before it, recounted by code that shares nothing with the agent’s own',
    'sensorium:replayed': 'a fold of the record before a cycle tells it again, byte for byte',
    'sensorium:restart': 'an agent that is killed after any record tells its next cycle what it would have told it',
  },
  'springdrift 3 (situation)': {
    'sensorium:thread':
      'a cycle is told the thread that a run joined last, by its name only if the label of the name is trusted',
  },
  'springdrift 3 (meta_recommendations)': {
    'sensorium:recommendations':
      'a cycle is told what to heed, in fixed words, if less than half of the newest runs reached their goal, if its subject is unlike theirs, or if the observer has tightened the gates',
  },
  'springdrift 3 (awareness without a tool call)': {
    'sensorium:acted-on':
      'the next request of an agent whose sandbox is down or fails, whose budget is nearly spent or whose person is away says so, so that a model which reads it asks, stops or takes another way',
  },
  'reliability-security 4 (memory poisoning); springdrift 3': {
    'sensorium:taint':
      'no word that a model, a page or a person wrote is told as the agent’s own: of all of them, a cycle’s start holds the names of Tasks, and what labels trust as values of memory',
  },
  'springdrift 3 (never shed), 17 (M6)': {
    'sensorium:bounded': 'the fullest sensorium fits into the smallest budget that counts',
  },
  'springdrift 3 (slots and priorities), 17 (M6); artoo C (context)': {
    'curator:slots':
      'slots are filled in the order of their priority within the budget; name and sensorium are never cut, others at the end of an item, and the sensorium names what was cut',
  },
  'springdrift 3, 17 (M7)': {
    'curator:inert': 'braces, conditions and tags in a value change nothing but its own escaped text',
  },
  'springdrift 3 (template)': {
    'curator:template':
      'a template is parsed once; an unknown slot or condition is refused; a zero at the end of a line counts',
  },
  'artoo C (context); springdrift 3': {
    'curator:roles': 'perceiver, planner and workers are told of the agent itself; who judges is told nothing',
  },
  'reliability-security 4 (memory poisoning); springdrift 4': {
    'curator:trust': 'of runs the slots hold what code wrote, of facts only trusted ones',
  },
  'platforms 6 (own metrics); springdrift 3 (slots)': {
    'curator:metrics':
      'the metrics tell the characters of each slot and the items that were cut from it, with a series for each slot from the start',
  },
  'Messages API (prompt caching); springdrift 3': {
    'curator:prefix':
      'what is added when a cycle begins stands in its record, behind the texts that a provider keeps, whose bytes stay',
  },
} as const satisfies Requirements;
