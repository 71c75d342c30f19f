/** One installation for all end-to-end tests: cluster, images, chart. vitest runs it before the first file and after the last. */
import type { TestProject } from 'vitest/node';
import { runTool } from '../../scripts/kubernetes-tools.ts';
import { chartDirectory, RELEASE, releaseNamespace } from '../../scripts/render-chart.ts';
import { buildImages } from './images.ts';
import { closeCluster, kubectlOf, openCluster, say, type ClusterDescription } from './cluster.ts';
import { config } from './config.ts';

export interface Installation {
  readonly cluster: ClusterDescription;
  readonly tag: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    installation: Installation;
  }
}

/** An agent's pod, its volumes and its first images: everything has been seen to be there in a third of this. */
const INSTALL_TIMEOUT = '180s';

/** vitest's global set-up; what it returns is called at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await openCluster();
  const tag = await buildImages(cluster);
  const kubectl = kubectlOf(cluster);
  await kubectl.apply([releaseNamespace]);
  await installChart({ cluster, tag });
  project.provide('installation', { cluster, tag });
  return async () => {
    if (config.keeps) return say('the installation stays, as RETAINER_E2E_KEEP asks');
    await uninstallChart({ cluster, tag });
    await kubectl.run(['delete', 'namespace', RELEASE.namespace, '--wait=false', '--ignore-not-found']);
    await closeCluster(cluster);
  };
}

/** Installs, or upgrades what is there. Rejects unless all is ready in time. */
export async function installChart(
  { cluster, tag }: Installation,
  values: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const all = { 'image.operator.tag': tag, 'image.agent.tag': tag, 'image.sandbox.tag': tag, ...values };
  const settings = Object.entries(all).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]);
  const place = ['--namespace', RELEASE.namespace, '--wait', '--timeout', INSTALL_TIMEOUT];
  await runTool('helm', ['upgrade', '--install', RELEASE.name, chartDirectory, ...place, ...settings], cluster);
}

/** What is kept by its policy stays: definitions, agents, volumes. */
export async function uninstallChart({ cluster }: Installation): Promise<void> {
  const place = ['--namespace', RELEASE.namespace, '--wait', '--ignore-not-found'];
  await runTool('helm', ['uninstall', RELEASE.name, ...place], cluster);
}
