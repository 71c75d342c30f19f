/** The commands to type after an installation. Pure. */

/** @param doctor  the options for cluster and namespace that install got */
export function nextSteps(doctor: readonly string[]): readonly string[] {
  return [
    'Next:',
    '  kubectl apply -f manifests/examples   # a character, skills, an agent and six Tasks',
    '  kubectl get retainer                  # all objects: Ready or not, and why',
    `  ${['retainer doctor', ...doctor].join(' ')}   # faults, and how to fix them`,
  ];
}
