import type { Requirements } from './requirement.ts';

export const runRequirements = {
  'run:requests-begin-alike': {
    source: 'Messages API (prompt caching)',
    behavior:
      "All requests of a run to one model have the same sorted tools and the same first text: who the agent is, the Task and its criteria. The perceiver alone is shown no tools: what it understands counts as people's words.",
  },
  'run:task-stands-once': {
    source: 'Messages API (prompt caching)',
    behavior:
      'A request says the Task and each of its criteria once; where a role would repeat them, a line refers to them.',
  },
  'run:only-own-tools-run': {
    source: 'design 5',
    behavior: 'A tool in a request that the role may not call is refused before any gate, and nothing runs.',
  },
  'run:verdicts-need-evidence': {
    source: 'artoo A.6; design 5',
    behavior: 'a criterion counts as met only on the record of a call that ran and succeeded',
  },
  'run:verdicts-by-index': {
    source: 'artoo A.6',
    behavior: 'verdicts are recomputed per criterion by index; missing or doubled ones are unmet',
  },
  'run:evidence-cannot-be-forged': {
    source: 'artoo A.6; reliability-security 4',
    behavior: 'no text of a model, a tool or a task can pose as a line of the evidence that the validator judges',
  },
  'run:validator-input-is-bounded': {
    source: 'artoo A.5',
    behavior: 'the validator’s input has an upper bound however many calls there were; what was cut is said',
  },
  'run:any-message-fault': {
    source: 'artoo A.2, D',
    behavior:
      'any one message between roles dropped, doubled, delayed or reordered: the run ends as it would have, once, before its deadline',
  },
  'run:passes-inline': {
    source: 'design 5; artoo A.2',
    behavior:
      'an input, the messages that follow from it and what the roles decide on them are one append, each message in it once, in the order of its number',
  },
  'run:heard-whole': {
    source: 'artoo A.12',
    behavior:
      'every message of a run is told outside of the process in its order after it is in the journal, after a crash once more, whatever becomes of it there',
  },
  'run:older-records': {
    source: 'design 5',
    behavior:
      'a run that an older version recorded, each message received by an event of its own, replays to the same bytes and is taken up from every prefix of its record',
  },
  'run:stale-is-dropped': {
    source: 'artoo A.2, A.8',
    behavior:
      'a word of a round that is over, or after the result, changes nothing; that it was dropped is on the record',
  },
  'run:crash-anywhere': {
    source: 'artoo D; design 5',
    behavior:
      'a plain, a corrected, a replanned and an abandoned run go on from every prefix of their record: the same delivery, once',
  },
  'run:blocked-is-refused': {
    source: 'artoo A.4, A.17',
    behavior: 'a tool or target that the steering blocked is not used in that round, under whatever spelling',
  },
  'run:cancelled-at-once': {
    source: 'artoo A.2 (abort)',
    behavior: 'from the moment a run is cancelled nothing new begins and nothing is accepted, whatever is under way',
  },
  'run:waiting-does-not-count': {
    source: 'design 7 (questions)',
    behavior: 'time in which people are waited for counts neither as work nor against the wall clock',
  },
  'run:terminates': {
    source: 'artoo A.14, A.15 (law 2)',
    behavior: 'whatever models answer, under whatever thresholds: a run ends within its rounds, time and tokens',
  },
  'run:budget-covers-all-cycles': {
    source: 'design 3 (budgets)',
    behavior: 'the budget of a Task bounds all cycles of its run together; a cycle gets what earlier ones left',
  },
  'run:share-nothing': {
    source: 'artoo A.2, A.4, D',
    behavior: 'runs that overlap share no state, whatever they are called: the key of everything is the run’s id',
  },
  'run:record-is-whole': {
    source: 'artoo A.8, A.13',
    behavior: 'the record of a run holds its last decision, what that taught and the delivery, and leaves no zero out',
  },
  'run:abandon-is-reported': {
    source: 'artoo A.9, A.15 (law 0)',
    behavior:
      'an abandoned run has one optional report of the planner, within 20 s and what is left of the budget; only what the record shows is told, and the outcome never waits or depends on it',
  },
  'run:validators-are-asked-again-later': {
    source: 'artoo A.6',
    behavior:
      'a validator that fails itself is asked again at most so often as the Agent allows, each time after a longer pause that outlives a crash; nothing of it is counted meanwhile',
  },
  'run:given-up-cycles-count': {
    source: 'design 3 (budgets)',
    behavior: 'what a cycle used before it was given up counts in the usage and the limits of its run',
  },
  'run:calls-in-sequence': {
    source: 'artoo A.14',
    behavior: 'a plain task takes at most six model calls that wait for one another',
  },
  'run:subtasks-overlap': {
    source: 'artoo A.7',
    behavior: 'subtasks of one group that do not depend on one another are worked on side by side',
  },
  'run:steering-is-simulated': {
    source: 'artoo D',
    behavior:
      'steering, plain repetition and nothing meet the same generated failures; under a judge that does not err no arm accepts what is not done',
  },
} as const satisfies Requirements;
