import type { Requirements } from './requirement.ts';

export const operatorSandboxRequirements = {
  'operator-sandbox:pod-rules': {
    source: 'reliability-security 3, 7',
    behavior: 'Every pod of a sandbox, pool or canary keeps all pod rules, whatever an Agent or a run asks for',
  },
  'operator-sandbox:run-within-agent': {
    source: 'design 3',
    behavior:
      'A run that wants more than its Agent or the installation allows is refused with the field that forbids it',
  },
  'operator-sandbox:other-version': {
    source: 'platforms 6',
    behavior:
      'A run that does not fit the schema, for another version of the CRDs let it in, is over with the field, and holds up no other',
  },
  'operator-sandbox:waits-and-heals': {
    source: 'platforms 3',
    behavior:
      'A run whose Agent is missing or suspended, or whose network is not proved closed, waits with a reason and goes on by itself',
  },
  'operator-sandbox:one-sandbox-per-run': {
    source: 'platforms 3; reliability-security 2',
    behavior: 'No run is given two sandboxes and no sandbox two runs, under any interleaving, lag and restart',
  },
  'operator-sandbox:max-concurrent': {
    source: 'platforms 3',
    behavior:
      'An Agent never has more sandboxes in use than pool.maxConcurrent; the others get theirs in order of creation',
  },
  'operator-sandbox:unfinished-bounded': {
    source: 'reliability-security 7',
    behavior:
      'Of one Agent only so many unfinished runs wait; later ones are refused at once, far ones looked at less often',
  },
  'operator-sandbox:few-writes': {
    source: 'platforms 4',
    behavior: 'A cold run costs at most four writes in its life, a warm one at most three, and nothing at rest',
  },
  'operator-sandbox:tells-the-end': {
    source: 'design 3; platforms 3',
    behavior: 'Every end of a sandbox becomes one bounded reason: the runner’s word, else what Kubernetes says',
  },
  'operator-sandbox:cleans-up': {
    source: 'reliability-security 2',
    behavior:
      'A run that is gone is killed at once, one of the same name is not touched, finished ones go after their time',
  },
  'operator-sandbox:narrowed': {
    source: 'platforms 6',
    behavior:
      'An operator that was narrowed ends what it had made for Agents of other namespaces, and tells on its own Deployment which namespaces those are.',
  },
  'operator-sandbox:opened': {
    source: 'reliability-security 3, 7',
    behavior:
      'Where anybody but the operator changes NetworkPolicies or labels of a namespace of sandboxes, what runs is ended, and nothing starts before a new proof.',
  },
  'operator-sandbox:network-proved': {
    source: 'reliability-security 3, 7',
    behavior: 'Code starts only after a canary that was reached from outside found every forbidden flow closed',
  },
  'operator-sandbox:pool-follows': {
    source: 'platforms 3; reliability-security 2',
    behavior:
      'A pool follows its Agent by a new Job, and the old one stays until the runs that hold its pods have ended',
  },
  'operator-sandbox:signing-key': {
    source: 'design 7 (sandbox transport)',
    behavior:
      'One Ed25519 key for an installation, made once; its public half is published, its private half never leaves the Secret',
  },
} as const satisfies Requirements;
