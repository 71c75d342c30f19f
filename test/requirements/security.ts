import type { Requirements } from './requirement.ts';

export const securityRequirements = {
  'security:manifests-linted': {
    source: 'reliability-security 3',
    behavior:
      'Rendered manifests meet every control of CIS 5, NSA, MITRE, polaris and kube-score that a manifest can meet',
  },
  'security:chart-linted': {
    source: 'reliability-security 7; platforms 5',
    behavior: 'What the chart renders meets every rule of the linter, whatever the values',
  },
  'security:agents-write-their-own': {
    source: 'design 7 (rights)',
    behavior:
      "An agent's account writes the status of its own Tasks, its own SandboxRuns and its own Lease, and nothing else",
  },
  'security:approvals-by-people': {
    source: 'design 7 (approvals)',
    behavior:
      'A decision on an approval is taken from a person with the verb approve, under the own name, and never from an agent',
  },
  'security:sandbox-admission': {
    source: 'design 7; reliability-security 3',
    behavior: 'Where code runs, only the operator makes Jobs, and only such as keep every rule for pods',
  },
} as const satisfies Requirements;
