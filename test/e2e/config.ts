/** What the environment says to the end-to-end tests. */

const { KUBECONFIG, HOME, RETAINER_E2E_TAG, RETAINER_E2E_KEEP, RETAINER_E2E_SEED } = process.env;

export const config = {
  /** A cluster to use. */
  kubeconfig: KUBECONFIG === '' ? undefined : KUBECONFIG,
  home: HOME ?? '.',
  /** Tag of images that the nodes have or can pull; none are built then. */
  tag: RETAINER_E2E_TAG,
  /** Leave the installation, for the next run or to look at it. */
  keeps: RETAINER_E2E_KEEP !== undefined,
  /** Of a random order that is to be repeated. */
  seed: RETAINER_E2E_SEED,
} as const;
