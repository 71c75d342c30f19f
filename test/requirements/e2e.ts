import type { Requirements } from './requirement.ts';

export const e2eRequirements = {
  'e2e:examples-in-any-order': {
    source: 'platforms 5',
    behavior: 'Any order of creation converges: the examples become Ready and end as they should',
  },
  'e2e:task-runs-in-a-sandbox': {
    source: 'design 1',
    behavior: 'A Task given by kubectl runs code in a sandbox Job and completes with its result',
  },
  'e2e:kubectl-reads-well': {
    source: 'platforms 6',
    behavior: 'What kubectl get, describe and explain print says what is, why, and what to do',
  },
  'e2e:unknown-agent-heals': {
    source: 'platforms 6',
    behavior: 'A Task for an unknown agent waits with a reason and heals when the agent appears',
  },
  'e2e:unknown-level-refused': {
    source: 'design 3',
    behavior: 'What a kind does not allow is refused by the API server, with the field',
  },
  'e2e:pod-deleted-mid-task': {
    source: 'platforms 5',
    behavior: 'A Task whose agent loses its pod goes on and ends once',
  },
  'e2e:killed-in-each-role': {
    source: 'platforms 5; artoo A.2',
    behavior:
      'The process of an agent is killed while it is in each role of the control loop: every run goes on, ends once and delivers what it would have',
  },
  'e2e:question-answered': {
    source: 'design 7 (questions); artoo A.3',
    behavior:
      'A question stays in the status of its Task until a person answers it, and the run goes on with the answer',
  },
  'e2e:approval-stays-visible': {
    source: 'design 7 (approvals on a cluster)',
    behavior: 'A call that needs leave stays in the status of its Task until a person decides, over a restart too',
  },
  'e2e:redis-bus': {
    source: 'artoo C; reliability-security 3',
    behavior:
      'On a cluster a Redis carries the messages of a run under a user with no other right; its URL is a mounted file and nowhere else',
  },
  'e2e:operator-killed-mid-task': {
    source: 'reliability-security 2',
    behavior: 'A Task goes on and ends while no operator lives',
  },
  'e2e:api-server-away-mid-task': {
    source: 'reliability-security 7',
    behavior: 'A Task goes on while the API server is away for 30 s; no pod restarts because of it',
  },
  'e2e:character-changed': {
    source: 'design 3',
    behavior: 'An agent restarts under the digest of a changed character, with its memory',
  },
  'e2e:suspend-and-resume': {
    source: 'design 3',
    behavior: 'A suspended agent has no pod and keeps its volumes; resumed, it goes on',
  },
  'e2e:deleted-and-created-again': {
    source: 'design 3',
    behavior: 'Deleting an Agent leaves its volumes alone; created again under its name, it remembers',
  },
  'e2e:upgrade-keeps-memory': { source: 'platforms 6', behavior: 'An upgrade of the chart loses no memory' },
  'e2e:uninstall-keeps-memory': {
    source: 'platforms 5',
    behavior: 'Uninstalling leaves agents, pods and volumes; installed again, they go on',
  },
} as const satisfies Requirements;
