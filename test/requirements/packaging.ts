import type { Requirements } from './requirement.ts';

export const packagingRequirements = {
  'packaging:crds-kept': {
    source: 'platforms 5',
    behavior: 'CustomResourceDefinitions come and are upgraded with the chart, and are never deleted with it',
  },
  'packaging:namespaced-install': {
    source: 'platforms 5',
    behavior: 'An installation for named namespaces has no right in any other',
  },
  'packaging:values-documented': {
    source: 'platforms 5',
    behavior: 'Every value of the chart is described, and refused where it is impossible',
  },
  'packaging:manifests-equal-chart': {
    source: 'design 4',
    behavior: 'The plain manifests are the default render of the chart',
  },
  'packaging:alerts-fire': {
    source: 'platforms 6',
    behavior: 'Every alert fires on figures that deserve it and on no others, and has a runbook',
  },
  'packaging:metrics-exist': {
    source: 'platforms 6',
    behavior: 'Alerts and dashboards name only figures that some program writes',
  },
} as const satisfies Requirements;
