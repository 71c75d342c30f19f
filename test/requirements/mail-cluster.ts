import type { Requirements } from './requirement.ts';

export const mailClusterRequirements = {
  'design 3 (channels.email); reliability-security 5': {
    'mail-cluster:credentials':
      'Name and password of the mail servers come from the mounted Secret and are read again at each connection; the password stays out of the record, and what is missing is told by field, Secret and key.',
    'mail-cluster:local-credentials':
      'Without a cluster, name and password of the mail servers come from the environment or from two files, and never from a manifest; what is missing, halved or said twice is told with what to set.',
    'mail-cluster:authorities':
      'Authorities of mail servers come from the ConfigMap that the Agent names, are read again at each connection, and are trusted beside the usual ones.',
  },
} as const satisfies Requirements;
