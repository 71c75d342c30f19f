import type { Requirements } from './requirement.ts';

export const e2eRequirements = {
  'platforms 5': {
    'e2e:examples-in-any-order': 'Any order of creation converges: the examples become Ready and end as they should',
    'e2e:pod-deleted-mid-task': 'A Task whose agent loses its pod goes on and ends once',
    'e2e:uninstall-keeps-memory': 'Uninstalling leaves agents, pods and volumes; installed again, they go on',
  },
  'design 1': {
    'e2e:task-runs-in-a-sandbox': 'A Task given by kubectl runs code in a sandbox Job and completes with its result',
  },
  'platforms 6': {
    'e2e:kubectl-reads-well': 'What kubectl get, describe and explain print says what is, why, and what to do',
    'e2e:unknown-agent-heals': 'A Task for an unknown agent waits with a reason and heals when the agent appears',
    'e2e:documented-commands':
      'Every command that a page for users prints is typed into a shell, on a real cluster if it needs one, and shows what it is printed for',
    'e2e:told-commands':
      'Each subcommand and option of retainer that a program or a page names exists, and each command of kubectl that a program tells is typed by a test',
    'e2e:script-invalid': 'An agent with a script that cannot be read says so with a reason of its own and the field',
    'e2e:memory-at-rest':
      'The memory that agent and auditor have resident in their pod is read there and told beside its goal, 100 and 64 MiB; it is held to 140 and 72',
    'e2e:two-releases':
      'Two releases for different namespaces work side by side; one that would take what another has is not installed',
    'e2e:upgrade-keeps-memory': 'An upgrade of the chart loses no memory',
    'e2e:alerts':
      'The alerts of the chart fire under a real Prometheus while a fault is really made, and rest without it',
  },
  'design 3': {
    'e2e:unknown-level-refused': 'What a kind does not allow is refused by the API server, with the field',
    'e2e:character-changed': 'An agent restarts under the digest of a changed character, with its memory',
    'e2e:suspend-and-resume': 'A suspended agent has no pod and keeps its volumes; resumed, it goes on',
    'e2e:deleted-and-created-again':
      'Deleting an Agent leaves its volumes alone; created again under its name, it remembers',
    'e2e:release-in-waves':
      'A release that does not come up touches one agent, which returns to its image and is Ready; the others get it after a person resumed it',
  },
  'design 6': {
    'e2e:first-day':
      'On the first day with an installation: code runs in a sandbox, what is forbidden is refused, a person gives leave, and memory outlives a kill, an upgrade and a deletion',
  },
  'platforms 5; artoo A.2': {
    'e2e:killed-in-each-role':
      'The process of an agent is killed while it is in each role of the control loop: every run goes on, ends once and delivers what it would have',
  },
  'design 7 (questions); artoo A.3': {
    'e2e:question-answered':
      'A question stays in the status of its Task until a person answers it, and the run goes on with the answer',
  },
  'design 7 (approvals on a cluster)': {
    'e2e:approval-stays-visible':
      'A call that needs leave stays in the status of its Task until a person decides, over a restart too',
  },
  'design 7 (people on a cluster)': {
    'e2e:plugin-of-kubectl': 'The command line is a plugin of kubectl, and then means the cluster',
  },
  'reliability-security 3': {
    'e2e:record-read-only':
      "The agent's image has a reader of the record that verifies it, can open no secret and can change nothing",
    'e2e:missing-right-named': 'A person without a right is told it with the commands that grant it, and they do',
    'e2e:account-renewed':
      'An agent whose ServiceAccount was deleted restarts with a token of the new one, and says why',
  },
  'reliability-security 3, 4': {
    'e2e:word-over-exec':
      "On a real cluster a person's word on memory reaches the agent by the program in its container; a decision left there decides nothing",
  },
  'artoo C; reliability-security 3': {
    'e2e:redis-bus':
      'On a cluster a Redis carries the messages of a run under a user with no other right; its URL is a mounted file and nowhere else',
  },
  'reliability-security 2': {
    'e2e:operator-killed-mid-task': 'A Task goes on and ends while no operator lives',
  },
  'reliability-security 7': {
    'e2e:api-server-away-mid-task':
      'A Task goes on while the API server is away for 30 s; no pod restarts because of it',
    'e2e:endurance':
      'Hours of Tasks under faults of operator, API server, network policies, pods and node: each Task ends once, no code runs with an open network, and nothing writes at rest.',
  },
  'reliability-security 4': {
    'e2e:character-edited':
      'A Task that waits for a person goes on when the CharacterSpec is edited; where a rule changed, the person is asked again',
    'e2e:character-held':
      'With onCharacterChange: Hold a Task waits under an edited CharacterSpec until a person types retainer task continue, or cancel',
  },
  'platforms 6; reliability-security 2': {
    'e2e:few-writes':
      'What operator and agent write for one Task stands in the audit log of the API server, and each write has a reason: 4 without code, 8 with code in a cold sandbox, 7 in a warm one',
  },
  'design 5': {
    'e2e:lost-pod': 'After a forced deletion of its pod, an agent writes again within 15 s, as the same individual.',
    'e2e:tampered-record':
      'A record changed in its container is an alarm on the Agent; the agent stops, and its condition says where.',
    'e2e:record-repaired': 'The command line verifies and repairs a record on a cluster, and leaves nothing behind.',
  },
} as const satisfies Requirements;
