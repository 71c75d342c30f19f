import type { Requirements } from './requirement.ts';

export const jobsClusterRequirements = {
  'design 3; platforms 6': {
    'jobs-cluster:stalled':
      'A job stands still when a firing is open longer than its run may take by the clock of the run, or when a moment waits longer than people, the budget of an hour and the told wait for a budget may hold it; what people chose is no stall.',
    'jobs-cluster:note':
      'An agent notes on its Lease how many jobs it has, the next moment, the last firing and what stands still; it names jobs, those that strangers may have named by their ids, and holds no word of a job or a result.',
    'jobs-cluster:status':
      'The status of an Agent has what the agent notes of its jobs: one write when it changed, none at rest; the last word stands while the agent is not at work, and a note that holds more than names and counts is not believed.',
  },
  'reliability-security 2; springdrift 9': {
    'e2e:jobs':
      'On a cluster a job of the manifest fires without a Task; the status of its Agent, an Event and the command line tell it, one that never fires is named in a condition, and words of a person pause and cancel it.',
    'e2e:job-api-away':
      'On a cluster a job whose moment comes while the API server is killed fires and ends meanwhile; an Event and the status tell it afterwards.',
    'jobs-cluster:events':
      'On a cluster the result of a job and the words of a reminder lie whole in the outbox; an Event of the Agent says so, with the command that shows them and without a word of them.',
    'jobs-cluster:no-task':
      'A run of a job has no Task on a cluster: the agent asks the API server for none, reports none, and no list of Tasks ends the run.',
    'jobs-cluster:no-leave':
      'A call of a job that asks for leave on a cluster, where only a Task carries decisions, is told in an Event of the Agent; it is refused when its time is over, and a word that cancels the job ends the run.',
    'jobs-cluster:api-server-away':
      'A job fires while the API server is away, and its outcome is told once it is back: in an Event and in the note on the Lease.',
  },
} as const satisfies Requirements;
