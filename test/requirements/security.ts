import type { Requirements } from './requirement.ts';

export const securityRequirements = {
  'reliability-security 3': {
    'security:manifests-linted':
      'Rendered manifests meet every control of CIS 5, NSA, MITRE, polaris and kube-score that a manifest can meet',
  },
  'reliability-security 7; platforms 5': {
    'security:chart-linted': 'What the chart renders meets every rule of the linter, whatever the values',
  },
  'design 7 (rights)': {
    'security:agents-write-their-own':
      "An agent's account writes the status of its own Tasks, its own SandboxRuns and its own Lease, and nothing else",
  },
  'design 7 (approvals)': {
    'security:approvals-by-people':
      'A decision on an approval is taken from a person with the verb approve, under the own name, and never from an agent',
  },
  'design 7; reliability-security 3': {
    'security:sandbox-admission':
      'Where code runs, only the operator makes Jobs, and only such as keep every rule for pods',
  },
} as const satisfies Requirements;
