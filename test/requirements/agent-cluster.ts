import type { Requirements } from './requirement.ts';

export const agentClusterRequirements = {
  'design 3, 7; reliability-security 2': {
    'agent-cluster:task-life':
      'An admitted Task is in the durable inbox before anything is said about it, and gets one status write when its run starts and one at its end.',
  },
  'platforms 6': {
    'agent-cluster:lean-imports':
      'Programs of pods load HTTP of Node without undici, which they do not use and which takes megabytes of each.',
    'agent-cluster:told-at-end':
      'The write that ends a Task tells Ready too, in the words of the operator; where admission policies refuse that, the agent ends the Task without it and the operator tells Ready.',
  },
  'reliability-security 2, 7': {
    'agent-cluster:api-server-away':
      'While the API server is away the work goes on, and its result is delivered once it is back.',
  },
  'reliability-security 7': {
    'agent-cluster:restart':
      'Stopped or killed mid-task, the agent goes on from its record and finishes the Task once.',
  },
  'design 3 (CharacterSpec)': {
    'agent-cluster:boot-digest':
      'The agent refuses to start where a mounted document differs from the digest of its pod.',
  },
  'reliability-security 3': {
    'agent-cluster:secret': 'A Secret or key that is not there is named with what to create, and nothing is started.',
  },
  'reliability-security 1 (single writer), 2': {
    'agent-cluster:lease':
      'The Lease’s transition count is the epoch of the journal; without the Lease there are no effects, and another holder ends the process.',
  },
  'design 7 (approvals on a cluster)': {
    'agent-cluster:approval':
      'A call that needs leave is shown in the status, and a decision in the spec counts for exactly its arguments.',
  },
  'design 7 (questions); artoo A.3': {
    'agent-cluster:answer':
      'An open question is shown in the status, and an answer in the spec counts for exactly that question, once.',
  },
  'design 7 (approvals on a cluster, questions)': {
    'agent-cluster:wait-is-over':
      'Whether a Task waits for a person, and since when it does not any more, stays in its status while the run goes on: the operator’s watchdog counts from there.',
  },
  'design 3, 7; artoo A.9, A.8': {
    'agent-cluster:steering-in-status':
      'The status has loss, gradient, directive and replans of the last round; of an abandoned Task what there is and what is missing.',
  },
  'springdrift 4, 5; platforms 6': {
    'agent-cluster:memory-metrics':
      'The metrics tell how much is in memory and how much left it, how often it was asked and knew something, how often it compared words alone, and how long the archive of a run takes; no text is in them.',
  },
  'artoo A.9; platforms 6': {
    'agent-cluster:control-metrics':
      'Rounds, directives, corrections, loss, both gradients, and tokens and model calls by role are counted.',
  },
  'design 3, 7': {
    'agent-cluster:cancel': 'A Task that says cancel, is deleted, or was ended by somebody else ends its run.',
  },
  'design 3': {
    'agent-cluster:held-goes-on':
      'A Task held under a changed character names that character, and goes on when spec.continueUnder names exactly it.',
    'agent-cluster:character-changed':
      'A condition names what changed in the character, and how many earlier decisions it would have changed.',
  },
  'reliability-security 4': {
    'agent-cluster:mistyped-approval':
      'A decision that fits no request that waits is refused by the API server; one that was there before is named by condition and Event, and may be replaced.',
    'agent-cluster:decided-by':
      'The record says who cancelled a Task or let it go on, and why; the API server takes no name there but that of the requester.',
  },
  'design 3 (bounded results)': {
    'agent-cluster:bounded-status': 'Whatever a run says, its status fits the schema of the kind and 4 KiB of summary.',
  },
  'reliability-security 2': {
    'agent-cluster:readiness':
      'Ready is who holds the Lease, and can write and read on its volume; health and readiness say why not.',
  },
  'design 3 (Agent)': {
    'agent-cluster:seeds': 'Seeds are put into the workspace where they are absent, and never outside of it.',
    'agent-cluster:individual':
      'An individual gets a name that no other has at its first start, keeps it in its record, and names itself on its Lease.',
    'agent-cluster:pool-in-force':
      'An agent keeps as many programs running as its Agent’s pool.maxConcurrent says; serving leaves one of two or more for runs.',
  },
  'reliability-security 1': {
    'agent-cluster:tampered-record':
      'An agent whose record was changed ends with a message that names file, line and sequence, and writes nothing.',
  },
  'design 5': {
    'agent-cluster:lost-pod':
      'After a pod was forced away, the next one writes as soon as the old process has ended, and never before; nobody else waits for less than the Lease.',
  },
} as const satisfies Requirements;
