/**
 * Starts a cluster with Retainer for trials and development: `npm run dev:cluster`.
 *
 * Uses the cluster of KUBECONFIG, else that of test/cluster (Linux, root, Go), else kind; `npm run dev:kind` always kind, in a cluster
 * named by RETAINER_E2E_KIND_NAME. Builds images from this tree. Run it again after a change: it builds, loads and rolls out the
 * changed parts.
 */
import { releaseNamespace } from './render-chart.ts';
import { kubectlOf, openCluster, type ClusterDescription } from '../test/e2e/cluster.ts';
import { config } from '../test/e2e/config.ts';
import { buildImages } from '../test/e2e/images.ts';
import { installChart } from '../test/e2e/installation.ts';

const cluster = await install().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
process.stdout.write(`Retainer is installed. Next:

  export KUBECONFIG=${cluster.kubeconfig}
  kubectl apply -f manifests/examples
  kubectl get retainer
`);
if (cluster.kind === 'Own') {
  process.stdout.write(`
No kubectl? alias kubectl=${process.cwd()}/test/cluster/cluster\\ kubectl
The end of it: test/cluster/cluster down; test/cluster/engine down
`);
}
if (cluster.kind === 'Kind') {
  process.stdout.write(`
The end of it: kind delete cluster --name ${config.kindName} --kubeconfig ${cluster.kubeconfig}
`);
}

async function install(): Promise<ClusterDescription> {
  const opened = await openCluster();
  const tag = await buildImages(opened);
  await kubectlOf(opened).apply([releaseNamespace]);
  await installChart({ cluster: opened, tag });
  return opened;
}
