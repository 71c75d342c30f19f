import type { Requirements } from './requirement.ts';

export const cliClusterRequirements = {
  'cli-cluster:rollout': {
    source: 'design 3',
    behavior:
      'The command line tells where a release stands and who halted it, and ends exactly the halt that it read.',
  },
  'cli-cluster:doctor-well': {
    source: 'platforms 5',
    behavior: 'The doctor finds nothing wrong with a healthy installation and says so.',
  },
  'cli-cluster:doctor-says-what-to-do': {
    source: 'platforms 5',
    behavior:
      'The doctor names everything that is wrong with an installation, each with what was seen and what to type.',
  },
  'cli-cluster:doctor-reads-only': {
    source: 'reliability-security 3',
    behavior: 'The doctor writes nothing and lets no content of a Secret leave the API server.',
  },
  'cli-cluster:doctor-names-missing-rights': {
    source: 'reliability-security 3',
    behavior: 'What the doctor may not look at is said with the right that is missing; the other checks go on.',
  },
  'cli-cluster:narrowed': {
    source: 'platforms 6',
    behavior:
      'Agents that a narrowed installation leaves without an operator are told by their condition, by install and by doctor',
  },
  'cli-cluster:install-arguments': {
    source: 'platforms 5',
    behavior: 'Each option of install becomes what helm takes; an upgrade keeps what was set before.',
  },
  'cli-cluster:install-without-helm': {
    source: 'design 1',
    behavior: 'Without a helm that is new enough install changes nothing and says how to get one.',
  },
  'cli-cluster:install-renders': {
    source: 'platforms 5',
    behavior: 'A dry run prints the manifests that the real helm renders, and asks no cluster.',
  },
  'cli-cluster:install-and-doctor': {
    source: 'platforms 5',
    behavior:
      'On a real cluster install makes an installation that doctor finds well; scaled to 0, doctor fails and names it.',
  },
  'cli-cluster:decides-under-own-name': {
    source: 'design 7 (approvals on a cluster)',
    behavior:
      "On a cluster a person's decision, answer or cancellation is written to the Task with that person's own rights and own user name.",
  },
  'cli-cluster:whole-call-shown': {
    source: 'reliability-security 4',
    behavior: 'What waits on a cluster is listed with the whole text of the call, or with what is missing to read it.',
  },
  'cli-cluster:record-read-beside-agent': {
    source: 'design 7 (offline); reliability-security 3',
    behavior:
      'The record of an agent on a cluster is read by the command line in its container; output and exit code are handed on.',
  },
  'cli-cluster:backup-beside-agent': {
    source: 'design 5 (git)',
    behavior:
      'The backup of an agent on a cluster is listed and compared beside the agent, and fetched to be restored here, with the right of whoever types; what cannot work there says why.',
  },
  'cli-cluster:word-beside-agent': {
    source: 'reliability-security 3, 4; design 7 (people on a cluster)',
    behavior:
      "A person's word on memory, files and refusals reaches an agent on a cluster by a program in its container that can write its spool and nothing else; the record says that it came over pods/exec, under a name that nothing compared. Nothing that needs a right at the API server is taken there.",
  },
  'cli-cluster:missing-right-named': {
    source: 'reliability-security 3',
    behavior: 'Without a right, the command names the verbs, the resource and the role to bind, and changes nothing.',
  },
  'cli-cluster:one-place': {
    source: 'design 7 (people on a cluster)',
    behavior:
      'A command means a data directory or a cluster, as its options say, tells which, and takes no other place instead.',
  },
  'cli-cluster:record-pod': {
    source: 'reliability-security 3',
    behavior:
      'A record on a cluster is verified, shown and repaired in a restricted pod without token and network, which is gone afterwards; never beside its writer.',
  },
} as const satisfies Requirements;
