import type { Requirements } from './requirement.ts';

export const runRequirements = {
  'Messages API (prompt caching)': {
    'run:requests-begin-alike':
      "All requests of a run to one model have the same first text: who the agent is, the Task and its criteria; and the same sorted tools, if the model can be told to call none, else only those that its role may call. The perceiver is shown no tools: what it understands counts as people's words.",
    'run:task-stands-once':
      'A request says the Task and each of its criteria once; where a role would repeat them, a line refers to them.',
  },
  'design 5': {
    'run:only-own-tools-run':
      'A tool in a request that the role may not call is refused before any gate, and nothing runs.',
    'run:older-records':
      'a run that an older version recorded, each message received by an event of its own, replays to the same bytes but for listed differences and is taken up from every prefix of its record',
  },
  'artoo A.3': {
    'run:perceiver-speaks-for-nobody':
      'What was understood names only things that stand in the words, the criteria, the answers or the turns before; else, and without a usable answer of perceiver or planner, the words of the people are the task.',
  },
  'artoo A.6; design 5': {
    'run:verdicts-need-evidence': 'a criterion counts as met only on the record of a call that ran and succeeded',
  },
  'artoo A.6': {
    'run:verdicts-by-index': 'verdicts are recomputed per criterion by index; missing or doubled ones are unmet',
    'run:validators-are-asked-again-later':
      'a validator that fails itself is asked again at most so often as the Agent allows, each time after a longer pause that outlives a crash; nothing of it is counted meanwhile',
  },
  'artoo A.6; reliability-security 4': {
    'run:evidence-cannot-be-forged':
      'no text of a model, a tool or a task can pose as a line of the evidence that the validator judges',
  },
  'artoo A.5': {
    'run:validator-input-is-bounded':
      'the validator’s input has an upper bound however many calls there were; what was cut is said',
  },
  'artoo A.2, D': {
    'run:any-message-fault':
      'any one message between roles dropped, doubled, delayed or reordered: the run ends as it would have, once, before its deadline',
  },
  'design 5; artoo A.2': {
    'run:passes-inline':
      'an input, the messages that follow from it and what the roles decide on them are one append, each message in it once, in the order of its number',
  },
  'artoo A.12': {
    'run:heard-whole':
      'every message of a run is told outside of the process in its order after it is in the journal, after a crash once more, whatever becomes of it there',
  },
  'artoo A.2, A.8': {
    'run:stale-is-dropped':
      'a word of a round that is over, or after the result, changes nothing; that it was dropped is on the record',
  },
  'artoo D; design 5': {
    'run:crash-anywhere':
      'a plain, a corrected, a replanned and an abandoned run go on from every prefix of their record: the same delivery, once',
  },
  'artoo A.4, A.17': {
    'run:blocked-is-refused':
      'a tool or target that the steering blocked is not used in that round, under whatever spelling',
  },
  'artoo A.2 (abort)': {
    'run:cancelled-at-once':
      'from the moment a run is cancelled nothing new begins and nothing is accepted, whatever is under way',
  },
  'design 7 (questions)': {
    'run:waiting-does-not-count':
      'time in which people are waited for counts neither as work nor against the wall clock',
  },
  'design 7 (a run’s clock)': {
    'run:driven-time':
      'a run’s clock counts the time in which a process drove it: no stop, sleep, outage or step of the machine’s clock; only the Task’s deadline goes on',
  },
  'artoo A.14, A.15 (law 2)': {
    'run:terminates':
      'whatever models answer, under whatever thresholds: a run ends within its rounds, time and tokens',
  },
  'design 3 (budgets)': {
    'run:budget-covers-all-cycles':
      'the budget of a Task bounds all cycles of its run together; a cycle gets what earlier ones left',
    'run:given-up-cycles-count':
      'what a cycle used before it was given up counts in the usage and the limits of its run',
  },
  'artoo A.2, A.4, D': {
    'run:share-nothing':
      'runs that overlap share no state, whatever they are called: the key of everything is the run’s id',
  },
  'artoo A.8, A.13': {
    'run:record-is-whole':
      'the record of a run holds its last decision, what that taught and the delivery, and leaves no zero out',
  },
  'artoo A.9, A.15 (law 0)': {
    'run:abandon-is-reported':
      'an abandoned run has one optional report of the planner, within 20 s and what is left of the budget; only what the record shows is told, and the outcome never waits or depends on it',
  },
  'artoo A.14': {
    'run:calls-in-sequence': 'a plain task takes at most six model calls that wait for one another',
  },
  'artoo A.7': {
    'run:subtasks-overlap': 'subtasks of one group that do not depend on one another are worked on side by side',
  },
  'artoo D': {
    'run:steering-is-simulated':
      'steering, plain repetition and nothing meet the same generated failures; under a judge that does not err no arm accepts what is not done',
  },
} as const satisfies Requirements;
