import type { Requirements } from './requirement.ts';

export const operatorAgentRequirements = {
  'aesthetics 3': {
    'operator-agent:children-are-deterministic':
      'The same observation gives the same children, and observing them gives the same once more.',
  },
  'reliability-security 3': {
    'operator-agent:pod-rules': 'The agent’s pod meets every pod rule, whatever its spec says.',
    'operator-agent:reserved-keys':
      'Labels and annotations of a user never stand in the place of ours, nor take away what the pod’s fields forbid.',
    'operator-agent:default-deny':
      'An agent’s traffic is denied both ways but for named flows; metadata addresses are in none of them.',
    'operator-agent:account-renewed':
      'A pod whose ServiceAccount was deleted and made anew restarts in its turn, for a token that the API server takes; the condition says so.',
  },
  'design 7': {
    'operator-agent:rights': 'An agent’s account may do what the agent does and nothing else; its Lease is named.',
  },
  'platforms 3': {
    'operator-agent:heals-in-any-order':
      'Agent, character and skills converge in whatever order they are created, without a nudge.',
  },
  'reliability-security 2': {
    'operator-agent:last-good-state':
      'B12: under a bad change the pod goes on with what it had; a condition says what is wrong and what to do.',
    'operator-agent:no-writes-at-rest': 'B18: a pass over an Agent that is as it should be writes nothing.',
    'operator-agent:name-reuse': 'B5: an object of another owner is never adopted, and no pod stands on it.',
    'operator-agent:immutable-fields':
      'B14: a greater volume raises the claim, a smaller one is refused in words; claim templates never change.',
    'operator-agent:heals-documents':
      'A mounted document whose labels were taken is known by its name, and gets them back.',
  },
  'design 3': {
    'operator-agent:one-restart-at-a-time':
      'A change that restarts agents reaches one working agent after the other; one that does not work gets it at once.',
    'operator-agent:waves':
      'A release reaches 1 agent, then 5 %, then 25 %, then all; each wave begins when every agent of the one before is Ready.',
    'operator-agent:halt':
      'The first agent that does not come up with a release halts it for all others and returns to the image with which it was Ready; a new leader keeps the halt, and only a person or another release ends it.',
    'operator-agent:people-beside-a-release':
      'A person’s change of one Agent takes effect during a rollout and during a halt, and brings no release along.',
    'operator-agent:skills-by-digest': 'A skill’s text that is not the pinned one is not mounted.',
    'operator-agent:characters-are-judged':
      'A character whose patterns, levels or thresholds are not valid is refused with the field that is wrong.',
  },
  'platforms 6': {
    'operator-agent:conditions-are-figures':
      'The operator tells the conditions of every Agent and the states of all Tasks as metrics of bounded number, without a text of anybody.',
    'operator-agent:old-documents':
      'Documents of earlier versions are deleted only once the pod runs with the new ones.',
    'operator-agent:status-says-why':
      'Every state of the pod has a condition with a stable reason and a message that says what to do.',
  },
  'reliability-security 3 (secrets as files); artoo C': {
    'operator-agent:redis-by-file':
      'The URL of the Redis of an Agent’s bus is a mounted file for agent and auditor, in no variable and with no other secret.',
  },
  'design 5, 7': {
    'operator-agent:auditor-mounts':
      'The auditor’s container has the record and the character read-only, a volume of its own, and no secret but the bus’s.',
  },
  'design 3 (conditions); reliability-security 7': {
    'operator-agent:fields-in-effect':
      'What an Agent, a CharacterSpec or a Skill sets without effect is named in its condition FieldsInEffect: one write, and none at rest.',
  },
  'design 3; springdrift 9': {
    'operator-agent:faulty-jobs':
      'A job of an Agent that never fires, for its zone or its cron text, is named in FieldsInEffect with its field and what may stand there; the agent goes on with the others.',
  },
  'design 3 (Agent)': {
    'operator-agent:record-intact':
      'The Agent knows which individual it is, and its condition RecordIntact names another one on its volume, and what the auditor found.',
    'operator-agent:backup-current':
      'The condition BackupCurrent says whether the second copy keeps up, by what the agent notes on its Lease, and what to do if not; status.backup has the moments, which do not move while nothing happens; the last verdict stands while the agent is not at work.',
    'operator-agent:remote-reached':
      'The policy of an agent lets it reach the remote of its second copy: public addresses on its port, or the ranges of spec.pod.egressCidrs; the egress proxy takes https, and BackupCurrent says so where the address is one of ssh.',
    'operator-agent:lease-looks':
      'The Lease of a working agent is read once each gitCommitInterval, at most each minute, after a restart of the operator spread over that time; a look that finds nothing new writes nothing, and an Event tells a copy that is late or diverged, and its end.',
    'operator-agent:record-told':
      'An Event tells when a record turns out changed or another individual’s, and when it is intact again; a start tells nothing.',
  },
} as const satisfies Requirements;
