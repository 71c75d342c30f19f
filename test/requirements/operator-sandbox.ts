import type { Requirements } from './requirement.ts';

export const operatorSandboxRequirements = {
  'reliability-security 3, 7': {
    'operator-sandbox:pod-rules':
      'Every pod of a sandbox, pool or canary keeps all pod rules, whatever an Agent or a run asks for',
    'operator-sandbox:opened':
      'Where anybody but the operator changes NetworkPolicies or labels of a namespace of sandboxes, what runs is ended, and nothing starts before a new proof.',
    'operator-sandbox:network-proved':
      'Code starts only after a canary that was reached from outside found every forbidden flow closed',
  },
  'design 3': {
    'operator-sandbox:run-within-agent':
      'A run that wants more than its Agent or the installation allows is refused with the field that forbids it',
  },
  'platforms 6': {
    'operator-sandbox:other-version':
      'A run that does not fit the schema, for another version of the CRDs let it in, is over with the field, and holds up no other',
    'operator-sandbox:narrowed':
      'An operator that was narrowed ends what it had made for Agents of other namespaces, and tells on its own Deployment which namespaces those are, by Event and by a condition that stays.',
  },
  'platforms 3': {
    'operator-sandbox:waits-and-heals':
      'A run whose Agent is missing or suspended, or whose network is not proved closed, waits with a reason and goes on by itself',
    'operator-sandbox:max-concurrent':
      'An Agent never has more sandboxes in use than pool.maxConcurrent; the others get theirs in order of creation',
  },
  'platforms 3; reliability-security 2': {
    'operator-sandbox:one-sandbox-per-run':
      'No run is given two sandboxes and no sandbox two runs, under any interleaving, lag and restart',
    'operator-sandbox:pool-follows':
      'A pool follows its Agent by a new Job, and the old one stays until the runs that hold its pods have ended',
  },
  'reliability-security 7': {
    'operator-sandbox:unfinished-bounded':
      'Of one Agent only so many unfinished runs wait; later ones are refused at once, far ones looked at less often',
  },
  'platforms 4': {
    'operator-sandbox:few-writes':
      'A cold run costs at most four writes in its life, a warm one at most three, and nothing at rest',
  },
  'design 3; platforms 3': {
    'operator-sandbox:tells-the-end':
      'Every end of a sandbox becomes one bounded reason: the runner’s word, else what Kubernetes says',
  },
  'reliability-security 2': {
    'operator-sandbox:cleans-up':
      'A run that is gone is killed at once, one of the same name is not touched, finished ones go after their time',
  },
  'design 7 (sandbox transport)': {
    'operator-sandbox:signing-key':
      'One Ed25519 key for an installation, made once; its public half is published, its private half never leaves the Secret',
  },
} as const satisfies Requirements;
