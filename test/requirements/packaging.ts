import type { Requirements } from './requirement.ts';

export const packagingRequirements = {
  'platforms 5': {
    'packaging:crds-kept':
      'CustomResourceDefinitions come and are upgraded with the chart, and are never deleted with it',
    'packaging:namespaced-install': 'An installation for named namespaces has no right in any other',
    'packaging:values-documented': 'Every value of the chart is described, and refused where it is impossible',
  },
  'design 4': {
    'packaging:manifests-equal-chart': 'The plain manifests are the default render of the chart',
  },
  'platforms 6': {
    'packaging:alerts-fire': 'Every alert fires on figures that deserve it and on no others, and has a runbook',
    'packaging:metrics-exist': 'Alerts and dashboards name only figures that some program writes',
  },
} as const satisfies Requirements;
