/** The kubelet's report on an image that cannot be pulled, and the remedy. For agents and sandboxes. Pure. */

/** Why a container waits, in the kubelet's words. */
export interface Waiting {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** Source: Kubernetes, kubelet, `images/types.go`. */
const REASONS: ReadonlySet<string | undefined> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);

export function isImagePull({ reason }: Waiting): boolean {
  return REASONS.has(reason);
}

/**
 * The order matters: messages contain the image's name, which may contain any of these words. Container runtimes have no codes
 * for causes; these are the words of containerd, CRI-O and Go's network library.
 */
const ADVICE: readonly { readonly isIt: RegExp; readonly advice: (field: string) => string }[] = [
  {
    isIt: /^ErrImageNeverPull/,
    advice: () =>
      'the pull policy is Never and the node does not have the image: load it on the node, or set another policy',
  },
  { isIt: /^InvalidImageName/, advice: (field) => `this is not a valid image name: correct ${field}` },
  {
    isIt: /^RegistryUnavailable|dial tcp|failed to do request|no such host|connection refused|no route to host|timeout|deadline exceeded|\bEOF\b|x509|tls:|HTTP response to HTTPS/i,
    advice: (field) =>
      `the node does not reach the registry: check its name in ${field}, the registry, and the network of the node; the kubelet tries again`,
  },
  {
    isIt: /too ?many ?requests|internal server error|bad gateway|service unavailable/i,
    advice: () => 'the registry limits requests at the moment; the kubelet tries again',
  },
  {
    isIt: /unauthorized|authentication required|authorization|denied|forbidden/i,
    advice: (field) => `the registry refuses the pull: check the pull secrets, and the name in ${field}`,
  },
  {
    isIt: /not found|manifest unknown|no match for platform/i,
    advice: (field) => `the registry does not have the image: correct ${field}`,
  },
];

/** @param field  the field that names the image */
export function imagePullAdvice({ reason = '', message = '' }: Waiting, field: string): string {
  const found = ADVICE.find(({ isIt }) => isIt.test(`${reason} ${message}`));
  return found?.advice(field) ?? `check ${field}, its pull secrets, and the network from the node to the registry`;
}
