import type { Requirements } from './requirement.ts';

export const mailClusterRequirements = {
  'design 3 (channels.email); reliability-security 5': {
    'mail-cluster:credentials':
      'Name and password of the mail servers come from the mounted Secret and are read again at each connection; the password stays out of the record, and what is missing is told by field, Secret and key.',
    'mail-cluster:local-credentials':
      'Without a cluster, name and password of the mail servers come from the environment or from two files, and never from a manifest; what is missing, halved or said twice is told with what to set.',
    'mail-cluster:authorities':
      'Authorities of mail servers come from the ConfigMap that the Agent names, are read again at each connection, and are trusted beside the usual ones.',
    'mail-cluster:egress':
      'With the egress proxy, both mail servers are reached through it with the grant of the operator; one at a private address or within the cluster is reached directly, as far as pod.egressCidrs lets the pod out.',
    'mail-cluster:note':
      'An agent notes on its Lease how its mail servers stand since when, and counts of letters and mails; it holds no address and no word of a letter, and rests while a server stays as it is.',
    'mail-cluster:status':
      'The status of an Agent has what the agent notes of its mail: one write when it changed, none at rest; a note that holds anything but states, words of code and counts is not believed, and without the channel there is none.',
    'mail-cluster:condition':
      'MailReady tells by a stable word which mail server is not reached, and what to do; it stands beside Ready, keeps its last word while the agent is not at work, and is absent without mail.',
    'mail-cluster:up': 'A gauge tells for each mail server that was asked whether the agent reaches it.',
    'mail-cluster:events':
      'On a cluster an Event of the Agent tells at once that two agents went in circles by mail, and that the fate of a mail is unknown, with the command that shows it and without a word or an address of a letter.',
    'e2e:mail':
      'On a cluster, under the NetworkPolicies, a letter begins a run whose code runs in a sandbox, and its sender gets one answer that mail programs show under it; a letter of a stranger begins nothing until a person releases it, and MailReady tells a wrong password and heals with a new Secret.',
  },
} as const satisfies Requirements;
