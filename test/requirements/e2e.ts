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
  'e2e:first-day': {
    source: 'design 6',
    behavior:
      'On the first day with an installation: code runs in a sandbox, what is forbidden is refused, a person gives leave, and memory outlives a kill, an upgrade and a deletion',
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
  'e2e:documented-commands': {
    source: 'platforms 6',
    behavior:
      'Every command that a page for operators prints is typed into a shell on a real cluster and shows what it is printed for',
  },
  'e2e:plugin-of-kubectl': {
    source: 'design 7 (people on a cluster)',
    behavior: 'The command line is a plugin of kubectl, and then means the cluster',
  },
  'e2e:record-read-only': {
    source: 'reliability-security 3',
    behavior:
      "The agent's image has a reader of the record that verifies it, can open no secret and can change nothing",
  },
  'e2e:word-over-exec': {
    source: 'reliability-security 3, 4',
    behavior:
      "On a real cluster a person's word on memory reaches the agent by the program in its container; a decision left there decides nothing",
  },
  'e2e:missing-right-named': {
    source: 'reliability-security 3',
    behavior: 'A person without a right is told it with the commands that grant it, and they do',
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
  'e2e:character-edited': {
    source: 'reliability-security 4',
    behavior:
      'A Task that waits for a person goes on when the CharacterSpec is edited; where a rule changed, the person is asked again',
  },
  'e2e:character-held': {
    source: 'reliability-security 4',
    behavior:
      'With onCharacterChange: Hold a Task waits under an edited CharacterSpec until a person types retainer task continue, or cancel',
  },
  'e2e:character-changed': {
    source: 'design 3',
    behavior: 'An agent restarts under the digest of a changed character, with its memory',
  },
  'e2e:suspend-and-resume': {
    source: 'design 3',
    behavior: 'A suspended agent has no pod and keeps its volumes; resumed, it goes on',
  },
  'e2e:account-renewed': {
    source: 'reliability-security 3',
    behavior: 'An agent whose ServiceAccount was deleted restarts with a token of the new one, and says why',
  },
  'e2e:script-invalid': {
    source: 'platforms 6',
    behavior: 'An agent with a script that cannot be read says so with a reason of its own and the field',
  },
  'e2e:deleted-and-created-again': {
    source: 'design 3',
    behavior: 'Deleting an Agent leaves its volumes alone; created again under its name, it remembers',
  },
  'e2e:few-writes': {
    source: 'platforms 6; reliability-security 2',
    behavior:
      'What operator and agent write for one Task stands in the audit log of the API server, and each write has a reason: 4 without code, 8 with code in a cold sandbox, 7 in a warm one',
  },
  'e2e:memory-at-rest': {
    source: 'platforms 6',
    behavior:
      'The memory that agent and auditor have resident in their pod is read there and told beside its goal, 100 and 64 MiB; it is held to 140 and 72',
  },
  'e2e:two-releases': {
    source: 'platforms 6',
    behavior:
      'Two releases for different namespaces work side by side; one that would take what another has is not installed',
  },
  'e2e:upgrade-keeps-memory': { source: 'platforms 6', behavior: 'An upgrade of the chart loses no memory' },
  'e2e:release-in-waves': {
    source: 'design 3',
    behavior:
      'A release that does not come up touches one agent, which returns to its image and is Ready; the others get it after a person resumed it',
  },
  'e2e:alerts': {
    source: 'platforms 6',
    behavior: 'The alerts of the chart fire under a real Prometheus while a fault is really made, and rest without it',
  },
  'e2e:uninstall-keeps-memory': {
    source: 'platforms 5',
    behavior: 'Uninstalling leaves agents, pods and volumes; installed again, they go on',
  },
  'e2e:endurance': {
    source: 'reliability-security 7',
    behavior:
      'Hours of Tasks under faults of operator, API server, network policies, pods and node: each Task ends once, no code runs with an open network, and nothing writes at rest.',
  },
  'e2e:lost-pod': {
    source: 'design 5',
    behavior: 'After a forced deletion of its pod, an agent writes again within 15 s, as the same individual.',
  },
  'e2e:tampered-record': {
    source: 'design 5',
    behavior:
      'A record changed in its container is an alarm on the Agent; the agent stops, and its condition says where.',
  },
  'e2e:record-repaired': {
    source: 'design 5',
    behavior: 'The command line verifies and repairs a record on a cluster, and leaves nothing behind.',
  },
} as const satisfies Requirements;
