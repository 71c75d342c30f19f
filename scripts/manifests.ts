/** Writes `manifests/base`: the default render of the chart as plain manifests, for people without helm. `npm run manifests`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { RELEASE, releaseNamespace, renderChart } from './render-chart.ts';

const directory = fileURLToPath(new URL('../manifests/base', import.meta.url));
const HEAD = '# Generated from charts/retainer by `npm run manifests`. Do not edit.\n';

const text = (objects: readonly unknown[]) =>
  HEAD + objects.map((object) => `---\n${stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })}`).join('');

const objects = await renderChart();
mkdirSync(directory, { recursive: true });
writeFileSync(join(directory, 'namespace.yaml'), text([releaseNamespace]));
writeFileSync(
  join(directory, 'retainer.yaml'),
  text(objects.filter(({ kind }) => kind !== 'CustomResourceDefinition')),
);
writeFileSync(
  join(directory, 'kustomization.yaml'),
  `${HEAD}apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
# Namespace ${RELEASE.namespace} for the operator, retainer-sandboxes for code.
resources:
  - ../../crds
  - namespace.yaml
  - retainer.yaml
`,
);
