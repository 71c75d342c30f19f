import type { Requirements } from './requirement.ts';

export const operatorAgentRequirements = {
  'operator-agent:children-are-deterministic': {
    source: 'aesthetics 3',
    behavior: 'The same observation gives the same children, and observing them gives the same once more.',
  },
  'operator-agent:pod-rules': {
    source: 'reliability-security 3',
    behavior: 'The agent’s pod meets every pod rule, whatever its spec says.',
  },
  'operator-agent:reserved-keys': {
    source: 'reliability-security 3',
    behavior:
      'Labels and annotations of a user never stand in the place of ours, nor take away what the pod’s fields forbid.',
  },
  'operator-agent:default-deny': {
    source: 'reliability-security 3',
    behavior: 'An agent’s traffic is denied both ways but for named flows; metadata addresses are in none of them.',
  },
  'operator-agent:rights': {
    source: 'design 7',
    behavior: 'An agent’s account may do what the agent does and nothing else; its Lease is named.',
  },
  'operator-agent:heals-in-any-order': {
    source: 'platforms 3',
    behavior: 'Agent, character and skills converge in whatever order they are created, without a nudge.',
  },
  'operator-agent:last-good-state': {
    source: 'reliability-security 2',
    behavior:
      'B12: under a bad change the pod goes on with what it had; a condition says what is wrong and what to do.',
  },
  'operator-agent:no-writes-at-rest': {
    source: 'reliability-security 2',
    behavior: 'B18: a pass over an Agent that is as it should be writes nothing.',
  },
  'operator-agent:name-reuse': {
    source: 'reliability-security 2',
    behavior: 'B5: an object of another owner is never adopted, and no pod stands on it.',
  },
  'operator-agent:immutable-fields': {
    source: 'reliability-security 2',
    behavior:
      'B14: a greater volume raises the claim, a smaller one is refused in words; claim templates never change.',
  },
  'operator-agent:one-restart-at-a-time': {
    source: 'design 3',
    behavior:
      'A change that restarts agents reaches one working agent after the other; one that does not work gets it at once.',
  },
  'operator-agent:waves': {
    source: 'design 3',
    behavior:
      'A release reaches 1 agent, then 5 %, then 25 %, then all; each wave begins when every agent of the one before is Ready.',
  },
  'operator-agent:halt': {
    source: 'design 3',
    behavior:
      'The first agent that does not come up with a release halts it for all others and returns to the image with which it was Ready; a new leader keeps the halt, and only a person or another release ends it.',
  },
  'operator-agent:people-beside-a-release': {
    source: 'design 3',
    behavior:
      'A person’s change of one Agent takes effect during a rollout and during a halt, and brings no release along.',
  },
  'operator-agent:conditions-are-figures': {
    source: 'platforms 6',
    behavior:
      'The operator tells the conditions of every Agent and the states of all Tasks as metrics of bounded number, without a text of anybody.',
  },
  'operator-agent:redis-by-file': {
    source: 'reliability-security 3 (secrets as files); artoo C',
    behavior:
      'The URL of the Redis of an Agent’s bus is a mounted file for agent and auditor, in no variable and with no other secret.',
  },
  'operator-agent:old-documents': {
    source: 'platforms 6',
    behavior: 'Documents of earlier versions are deleted only once the pod runs with the new ones.',
  },
  'operator-agent:heals-documents': {
    source: 'reliability-security 2',
    behavior: 'A mounted document whose labels were taken is known by its name, and gets them back.',
  },
  'operator-agent:status-says-why': {
    source: 'platforms 6',
    behavior: 'Every state of the pod has a condition with a stable reason and a message that says what to do.',
  },
  'operator-agent:account-renewed': {
    source: 'reliability-security 3',
    behavior:
      'A pod whose ServiceAccount was deleted and made anew restarts in its turn, for a token that the API server takes; the condition says so.',
  },
  'operator-agent:skills-by-digest': {
    source: 'design 3',
    behavior: 'A skill’s text that is not the pinned one is not mounted.',
  },
  'operator-agent:auditor-mounts': {
    source: 'design 5, 7',
    behavior:
      'The auditor’s container has the record and the character read-only, a volume of its own, and no secret but the bus’s.',
  },
  'operator-agent:fields-in-effect': {
    source: 'design 3 (conditions); reliability-security 7',
    behavior:
      'What an Agent, a CharacterSpec or a Skill sets without effect is named in its condition FieldsInEffect: one write, and none at rest.',
  },
  'operator-agent:characters-are-judged': {
    source: 'design 3',
    behavior: 'A character whose patterns, levels or thresholds are not valid is refused with the field that is wrong.',
  },
  'operator-agent:record-intact': {
    source: 'design 3 (Agent)',
    behavior:
      'The Agent knows which individual it is, and its condition RecordIntact names another one on its volume, and what the auditor found.',
  },
} as const satisfies Requirements;
