import type { Requirements } from './requirement.ts';

export const agentClusterRequirements = {
  'agent-cluster:task-life': {
    source: 'design 3, 7; reliability-security 2',
    behavior:
      'An admitted Task is in the durable inbox before anything is said about it, and gets one status write when its run starts and one at its end.',
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
  'agent-cluster:control-metrics': {
    source: 'artoo A.9; platforms 6',
    behavior: 'Rounds, directives, corrections, loss, both gradients, and tokens and model calls by role are counted.',
  },
  'agent-cluster:cancel': {
    source: 'design 3, 7',
    behavior: 'A Task that says cancel, is deleted, or was ended by somebody else ends its run.',
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
} as const satisfies Requirements;
