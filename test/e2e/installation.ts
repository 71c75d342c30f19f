/** One installation for all end-to-end tests: cluster, images, chart. vitest runs it before the first file and after the last. */
import type { TestProject } from 'vitest/node';
import { runTool } from '../../scripts/kubernetes-tools.ts';
import { chartDirectory, RELEASE, releaseNamespace } from '../../scripts/render-chart.ts';
import { buildImages } from './images.ts';
import { closeCluster, kubectlOf, openCluster, say, type ClusterDescription } from './cluster.ts';
import { config } from './config.ts';

export interface Release {
  readonly name: string;
  readonly namespace: string;
}

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

/** Of this run of vitest, which calls the set-up once for each project. */
interface SharedInstallation {
  readonly opened: Promise<Installation>;
  users: number;
}

const SHARED = Symbol.for('retainer.e2e.installation');

/** vitest's global set-up; what it returns is called at the end. Projects share one installation: the last one takes it away. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const holder = globalThis as { [SHARED]?: SharedInstallation };
  const shared = (holder[SHARED] ??= { opened: install(), users: 0 });
  shared.users += 1;
  const installation = await shared.opened;
  project.provide('installation', installation);
  return async () => {
    shared.users -= 1;
    if (shared.users === 0) await remove(installation);
  };
}

async function install(): Promise<Installation> {
  const cluster = await openCluster();
  const tag = await buildImages(cluster);
  await kubectlOf(cluster).apply([releaseNamespace]);
  await installChart({ cluster, tag });
  return { cluster, tag };
}

async function remove({ cluster, tag }: Installation): Promise<void> {
  if (config.keeps) return say('the installation stays, as RETAINER_E2E_KEEP asks');
  await uninstallChart({ cluster, tag });
  await kubectlOf(cluster).run(['delete', 'namespace', RELEASE.namespace, '--wait=false', '--ignore-not-found']);
  await closeCluster(cluster);
}

/** Installs, or upgrades what is there. Rejects unless all is ready in time. */
export async function installChart(
  { cluster, tag }: Installation,
  values: Readonly<Record<string, unknown>> = {},
  { name, namespace }: Release = RELEASE,
): Promise<void> {
  const all = { 'image.operator.tag': tag, 'image.agent.tag': tag, 'image.sandbox.tag': tag, ...values };
  const settings = Object.entries(all).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]);
  const place = ['--namespace', namespace, '--create-namespace', '--wait', '--timeout', INSTALL_TIMEOUT];
  say(`helm installs Retainer, and waits until it is ready: at most ${INSTALL_TIMEOUT}`);
  await runTool('helm', ['upgrade', '--install', name, chartDirectory, ...place, ...settings], cluster);
}

/** What is kept by its policy stays: definitions, agents, volumes. */
export async function uninstallChart({ cluster }: Installation, { name, namespace }: Release = RELEASE): Promise<void> {
  const place = ['--namespace', namespace, '--wait', '--ignore-not-found'];
  await runTool('helm', ['uninstall', name, ...place], cluster);
}
