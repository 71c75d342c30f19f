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
    advice: () => 'the pull policy is Never and the node has no such image: load it there, or set another policy',
  },
  { isIt: /^InvalidImageName/, advice: (field) => `this is no name of an image: correct ${field}` },
  {
    isIt: /^RegistryUnavailable|dial tcp|failed to do request|no such host|connection refused|no route to host|timeout|deadline exceeded|\bEOF\b|x509|tls:|HTTP response to HTTPS/i,
    advice: (field) =>
      `the node does not reach the registry: check its name in ${field}, the registry, and the way there from the node; the pull is tried again`,
  },
  {
    isIt: /too ?many ?requests|internal server error|bad gateway|service unavailable/i,
    advice: () => 'the registry takes no more at the moment; the pull is tried again',
  },
  {
    isIt: /unauthorized|authentication required|authorization|denied|forbidden/i,
    advice: (field) => `the registry refuses it: check the pull secrets, and the name in ${field}`,
  },
  {
    isIt: /not found|manifest unknown|no match for platform/i,
    advice: (field) => `the registry has no such image: correct ${field}`,
  },
];

/** @param field  the field that names the image */
export function imagePullAdvice({ reason = '', message = '' }: Waiting, field: string): string {
  const found = ADVICE.find(({ isIt }) => isIt.test(`${reason} ${message}`));
  return found?.advice(field) ?? `check ${field}, its pull secrets, and the way from the node to the registry`;
}
