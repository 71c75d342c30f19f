import type { Requirements } from './requirement.ts';

export const agentClusterRequirements = {
  'agent-cluster:task-life': {
    source: 'design 3, 7; reliability-security 2',
    behavior:
      'An admitted Task is in the durable inbox before anything is said about it, and gets one status write when its run starts and one at its end.',
  },
  'agent-cluster:lean-imports': {
    source: 'platforms 6',
    behavior:
      'Programs of pods load HTTP of Node without undici, which they do not use and which takes megabytes of each.',
  },
  'agent-cluster:told-at-end': {
    source: 'platforms 6',
    behavior:
      'The write that ends a Task tells Ready too, in the words of the operator; where admission policies refuse that, the agent ends the Task without it and the operator tells Ready.',
  },
  'agent-cluster:api-server-away': {
    source: 'reliability-security 2, 7',
    behavior: 'While the API server is away the work goes on, and its result is delivered once it is back.',
  },
  'agent-cluster:restart': {
    source: 'reliability-security 7',
    behavior: 'Stopped or killed mid-task, the agent goes on from its record and finishes the Task once.',
  },
  'agent-cluster:boot-digest': {
    source: 'design 3 (CharacterSpec)',
    behavior: 'The agent refuses to start where a mounted document differs from the digest of its pod.',
  },
  'agent-cluster:secret': {
    source: 'reliability-security 3',
    behavior: 'A Secret or key that is not there is named with what to create, and nothing is started.',
  },
  'agent-cluster:lease': {
    source: 'reliability-security 1 (single writer), 2',
    behavior:
      'The Lease’s transition count is the epoch of the journal; without the Lease there are no effects, and another holder ends the process.',
  },
  'agent-cluster:approval': {
    source: 'design 7 (approvals on a cluster)',
    behavior:
      'A call that needs leave is shown in the status, and a decision in the spec counts for exactly its arguments.',
  },
  'agent-cluster:answer': {
    source: 'design 7 (questions); artoo A.3',
    behavior:
      'An open question is shown in the status, and an answer in the spec counts for exactly that question, once.',
  },
  'agent-cluster:wait-is-over': {
    source: 'design 7 (approvals on a cluster, questions)',
    behavior:
      'Whether a Task waits for a person, and since when it does not any more, stays in its status while the run goes on: the operator’s watchdog counts from there.',
  },
  'agent-cluster:steering-in-status': {
    source: 'design 3, 7; artoo A.9, A.8',
    behavior:
      'The status has loss, gradient, directive and replans of the last round; of an abandoned Task what there is and what is missing.',
  },
  'agent-cluster:memory-metrics': {
    source: 'springdrift 4, 5; platforms 6',
    behavior:
      'The metrics tell how much is in memory and how much left it, how often it was asked and knew something, how often it compared words alone, and how long the archive of a run takes; no text is in them.',
  },
  'agent-cluster:control-metrics': {
    source: 'artoo A.9; platforms 6',
    behavior: 'Rounds, directives, corrections, loss, both gradients, and tokens and model calls by role are counted.',
  },
  'agent-cluster:cancel': {
    source: 'design 3, 7',
    behavior: 'A Task that says cancel, is deleted, or was ended by somebody else ends its run.',
  },
  'agent-cluster:held-goes-on': {
    source: 'design 3',
    behavior:
      'A Task held under a changed character names that character, and goes on when spec.continueUnder names exactly it.',
  },
  'agent-cluster:character-changed': {
    source: 'design 3',
    behavior: 'A condition names what changed in the character, and how many earlier decisions it would have changed.',
  },
  'agent-cluster:mistyped-approval': {
    source: 'reliability-security 4',
    behavior:
      'A decision that fits no request that waits is refused by the API server; one that was there before is named by condition and Event, and may be replaced.',
  },
  'agent-cluster:bounded-status': {
    source: 'design 3 (bounded results)',
    behavior: 'Whatever a run says, its status fits the schema of the kind and 4 KiB of summary.',
  },
  'agent-cluster:readiness': {
    source: 'reliability-security 2',
    behavior: 'Ready is who holds the Lease, and can write and read on its volume; health and readiness say why not.',
  },
  'agent-cluster:seeds': {
    source: 'design 3 (Agent)',
    behavior: 'Seeds are put into the workspace where they are absent, and never outside of it.',
  },
  'agent-cluster:individual': {
    source: 'design 3 (Agent)',
    behavior: 'An individual gets its name at its first start, keeps it in its record, and names itself on its Lease.',
  },
  'agent-cluster:tampered-record': {
    source: 'reliability-security 1',
    behavior:
      'An agent whose record was changed ends with a message that names file, line and sequence, and writes nothing.',
  },
  'agent-cluster:pool-in-force': {
    source: 'design 3 (Agent)',
    behavior:
      'An agent keeps as many programs running as its Agent’s pool.maxConcurrent says; serving leaves one of two or more for runs.',
  },
  'agent-cluster:decided-by': {
    source: 'reliability-security 4',
    behavior:
      'The record says who cancelled a Task or let it go on, and why; the API server takes no name there but that of the requester.',
  },
  'agent-cluster:lost-pod': {
    source: 'design 5',
    behavior:
      'After a pod was forced away, the next one writes as soon as the old process has ended, and never before; nobody else waits for less than the Lease.',
  },
} as const satisfies Requirements;
