/**
 * Starts a cluster with Retainer for trials and development: `npm run dev:cluster`.
 *
 * Uses the cluster of KUBECONFIG, else that of test/cluster (Linux, root, Go), else kind. Builds images from this tree. Run it
 * again after a change: it builds, loads and rolls out the changed parts.
 */
import { releaseNamespace } from './render-chart.ts';
import { kubectlOf, openCluster } from '../test/e2e/cluster.ts';
import { buildImages } from '../test/e2e/images.ts';
import { installChart } from '../test/e2e/installation.ts';

const cluster = await openCluster();
const tag = await buildImages(cluster);
await kubectlOf(cluster).apply([releaseNamespace]);
await installChart({ cluster, tag });
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
