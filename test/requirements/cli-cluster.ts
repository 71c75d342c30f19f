import type { Requirements } from './requirement.ts';

export const cliClusterRequirements = {
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
} as const satisfies Requirements;
