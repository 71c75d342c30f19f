import type { Requirements } from './requirement.ts';

export const cliClusterRequirements = {
  'design 3': {
    'cli-cluster:rollout':
      'The command line tells where a release stands and who halted it, and ends exactly the halt that it read.',
  },
  'platforms 5': {
    'cli-cluster:doctor-well': 'The doctor finds nothing wrong with a healthy installation and says so.',
    'cli-cluster:doctor-says-what-to-do':
      'The doctor names everything that is wrong with an installation, each with what was seen and what to type.',
    'cli-cluster:doctor-backups':
      'The doctor names each Agent whose BackupCurrent is False, with reason, age and what to do, and the command that shows more.',
    'cli-cluster:doctor-jobs':
      'The doctor names each Agent with jobs that stand still or whose last firing failed, with the last firing of all and the command that shows more.',
    'cli-cluster:install-arguments':
      'Each option of install becomes what helm takes; an upgrade keeps what was set before.',
    'cli-cluster:install-renders': 'A dry run prints the manifests that the real helm renders, and asks no cluster.',
    'cli-cluster:install-and-doctor':
      'On a real cluster install makes an installation that doctor finds well; scaled to 0, doctor fails and names it.',
  },
  'reliability-security 3': {
    'cli-cluster:doctor-reads-only': 'The doctor writes nothing and lets no content of a Secret leave the API server.',
    'cli-cluster:doctor-names-missing-rights':
      'What the doctor may not look at is said with the right that is missing; the other checks go on.',
    'cli-cluster:missing-right-named':
      'Without a right, the command names the verbs, the resource and the role to bind, and changes nothing.',
    'cli-cluster:record-pod':
      'A record on a cluster is verified, shown and repaired in a restricted pod without token and network, which is gone afterwards; never beside its writer.',
  },
  'platforms 6': {
    'cli-cluster:narrowed':
      'Agents that a narrowed installation leaves without an operator are told by their condition, by install and by doctor',
    'cli-cluster:tended-twice':
      'Two releases whose operators tend one namespace, as manifests rendered without a cluster allow, are named by doctor',
  },
  'design 1': {
    'cli-cluster:install-without-helm':
      'Without a helm that is new enough install changes nothing and says how to get one.',
  },
  'design 7 (approvals on a cluster)': {
    'cli-cluster:decides-under-own-name':
      "On a cluster a person's decision, answer or cancellation is written to the Task with that person's own rights and own user name.",
  },
  'reliability-security 4': {
    'cli-cluster:whole-call-shown':
      'What waits on a cluster is listed with the whole text of the call, or with what is missing to read it.',
  },
  'design 7 (offline); reliability-security 3': {
    'cli-cluster:record-read-beside-agent':
      'The record of an agent on a cluster is read by the command line in its container; output and exit code are handed on.',
  },
  'springdrift 3 (sensorium); design 7 (offline)': {
    'cli-cluster:state-beside-agent':
      'What an agent on a cluster sees of itself is told in its container, also as it changes; when nobody looks any more, nothing stays there.',
  },
  'design 5 (git)': {
    'cli-cluster:backup-beside-agent':
      'The backup of an agent on a cluster is listed and compared beside the agent, and fetched to be restored here, with the right of whoever types; what cannot work there says why.',
  },
  'reliability-security 3, 4; design 7 (people on a cluster)': {
    'cli-cluster:word-beside-agent':
      "A person's word on memory, files and refusals reaches an agent on a cluster by a program in its container that can write its spool and nothing else; the record says that it came over pods/exec, under a name that nothing compared. Nothing that needs a right at the API server is taken there.",
  },
  'design 7 (people on a cluster)': {
    'cli-cluster:one-place':
      'A command means a data directory or a cluster, as its options say, tells which, and takes no other place instead.',
  },
} as const satisfies Requirements;
