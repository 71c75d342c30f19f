/** Renders the chart with the real helm, as a cluster gets it. */
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { helm } from './kubernetes-tools.ts';

export const chartDirectory = fileURLToPath(new URL('../charts/retainer', import.meta.url));

/** Names of the default installation. */
export const RELEASE = { name: 'retainer', namespace: 'retainer-system' } as const;

/** Namespace of the release, as the plain manifests make it; helm users label their own. */
export const releaseNamespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: RELEASE.namespace,
    labels: {
      'app.kubernetes.io/part-of': 'retainer',
      'pod-security.kubernetes.io/enforce': 'restricted',
      'pod-security.kubernetes.io/enforce-version': 'v1.34',
    },
  },
} as const;

export interface RenderedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** @param values  as `--set-json` takes them, by path */
export async function renderChart(values: Readonly<Record<string, unknown>> = {}): Promise<readonly RenderedObject[]> {
  const settings = Object.entries(values).flatMap(([path, value]) => [
    '--set-json',
    `${path}=${JSON.stringify(value)}`,
  ]);
  return parseObjects(
    await helm('template', RELEASE.name, chartDirectory, '--namespace', RELEASE.namespace, ...settings),
  );
}

export function parseObjects(text: string): readonly RenderedObject[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as RenderedObject | null)
    .filter((object) => object !== null);
}
