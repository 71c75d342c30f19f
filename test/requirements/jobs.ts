import type { Requirements } from './requirement.ts';

export const jobRequirements = {
  'springdrift 9; reliability-security 7': {
    'jobs:reminder-once':
      'A reminder to a person comes once, without a model, also where the process ended before its moment',
    'jobs:run': 'A moment of a job for the agent becomes a run, whose end stands in the job',
    'jobs:missed': 'What a sleeping machine missed follows catchUp, and each skipped moment is told',
    'jobs:local-schedule': 'The schedule of a Task makes its Tasks without a cluster, too',
    'jobs:once':
      'Whatever the clock and the process do, a moment is served at most once, and a job has one firing at a time',
    'jobs:crash-anywhere': 'From every prefix of its record an agent goes on: one run for a moment, and none lost',
    'jobs:daylight-saving': 'A daily job fires once on each day, also over changes of the clock',
    'jobs:clock-back': 'Set back by an hour, the wall clock makes nothing fire twice',
    'jobs:waits':
      'Recurring work waits for people, no longer than the Agent says, and for the hour of its budget; it says so',
    'jobs:own-slot': 'Self-made work runs one at a time, whatever people have under way',
    'jobs:required-tools': 'A run that did not call what its job demands fails for the job',
    'jobs:nothing-forgotten': 'What people ended does not come back, however many jobs end after it',
    'jobs:restored': 'After a restoring, no work that may have been done is done again, and words may come twice',
    'jobs:one-faulty': 'A firing that cannot begin fails alone, and the next ones come',
    'jobs:nothing-ends-it': 'Nothing that a run does ends a schedule',
    'jobs:person-words': 'A person pauses, resumes, cancels and runs a job by a durable word, once for each',
    'jobs:follow-up':
      'The same failure three times opens one job of the agent for it, with its reason and the runs that led to it',
    'jobs:follow-up-once':
      'A follow-up comes again only for new runs, a day later; where a person closed it, thirty days after the word',
    'jobs:follow-up-words': 'The words of a follow-up are those of the program, with ids and names of tools that ran',
    'jobs:follow-up-budget':
      'While the hour’s budget for work of its own is used up, or is 0, the agent opens no follow-up',
    'jobs:in-state':
      'A cycle is told the next moments, what is overdue, and what fired and was skipped since it was last told',
    'jobs:example': 'The example of docs/jobs.md does what the page says',
    'jobs:bounded': 'A thousand reminders at one moment all come, and a Task does not wait for them',
  },
  'springdrift 9': {
    'jobs:moment-text':
      'A moment is RFC 3339 with an offset, or a local time of a zone; a local time counts as a cron text would have it.',
    'jobs:manifest':
      'The jobs of the manifest are in the record from the next start on; what a person paused or cancelled stays so.',
    'jobs:ids':
      'No id of a job holds a word that a model or a stranger chose: ids stand in the sensorium, in Events and in a status.',
    'jobs:bad-input': 'What is no job gets one sentence with the field and what to do, and leaves nothing else.',
    'jobs:call-once':
      'A call that makes a job is known by its id: after a crash it is found, and no second job is made.',
    'jobs:complete-recurring': 'No call completes a recurring job; the answer names the tool that ends it.',
    'jobs:limits':
      'The agent has no more jobs than maxJobs, people’s included; with enabled false it gets none for itself.',
  },
  'springdrift 7': {
    'jobs:tools': 'Eleven tools make, change, end, list and show jobs, and tell the time.',
  },
  'reliability-security 4 (labels on every value)': {
    'jobs:of-people': 'The agent changes no job that people gave, whoever asked for the run.',
    'jobs:own-words':
      'What the agent wrote for itself is no word of people: a run of its job names only the addresses that people named where it was made.',
    'jobs:after-strangers':
      'After words of strangers a person approves each call that makes or changes a job, unless people’s words chose it; the job keeps the label.',
  },
  'reliability-security 4 (a no is a no)': {
    'jobs:never-what-was-refused':
      'No run of a job that the agent made repeats a call that a person refused; people may want it again.',
    'jobs:none-after-denial':
      'In a run in which a person refused a call, nothing is left by which the agent acts later.',
  },
} as const satisfies Requirements;
