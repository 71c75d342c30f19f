/** What the environment says to the end-to-end tests. */

const {
  KUBECONFIG,
  HOME,
  RETAINER_E2E_TAG,
  RETAINER_E2E_KEEP,
  RETAINER_E2E_KIND,
  RETAINER_E2E_KIND_NAME,
  RETAINER_E2E_MINUTES,
  CLUSTER_STATE,
} = process.env;

export const config = {
  /** A cluster to use. */
  kubeconfig: KUBECONFIG === '' ? undefined : KUBECONFIG,
  home: HOME ?? '.',
  /** Use kind, whatever else is there. */
  usesKind: RETAINER_E2E_KIND !== undefined,
  /** The cluster of kind that is used, and made where there is none of this name. */
  kindName: RETAINER_E2E_KIND_NAME ?? 'retainer',
  /** Tag of images that the nodes have or can pull; none are built then. */
  tag: RETAINER_E2E_TAG,
  /** Leave the installation, for the next run or to look at it. */
  keeps: RETAINER_E2E_KEEP !== undefined,
  /** How long the test of endurance takes; two hours where nothing is said. */
  minutes: RETAINER_E2E_MINUTES === undefined ? undefined : Number(RETAINER_E2E_MINUTES),
  /** Where the cluster of test/cluster keeps its state. */
  clusterState: CLUSTER_STATE ?? '/var/lib/retainer-cluster',
  /** What a program that is started gets. */
  environment: process.env,
} as const;
