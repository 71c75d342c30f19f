/** What the labels of a namespace hold its pods to. Source: Kubernetes documentation, Pod Security Admission. */

/** Namespace label that Pod Security Admission enforces. */
export const ENFORCE_LABEL = 'pod-security.kubernetes.io/enforce';
const VERSION_LABEL = `${ENFORCE_LABEL}-version`;

/** From the loosest. */
const STANDARDS = ['privileged', 'baseline', 'restricted'] as const;
export type SandboxStandard = Exclude<(typeof STANDARDS)[number], 'privileged'>;

/** Older versions of the restricted standard let more pass: v1.25 was the last that a check was added to. */
const MINOR_MIN = 25;

type Labels = Readonly<Record<string, string>>;

export interface LooseLabel {
  readonly fault: string;
  /** A command that puts it right. */
  readonly fix: string;
}

/** @returns each label by which the namespace is held to less than the standard */
export function looseLabels(name: string, labels: Labels, standard: SandboxStandard): readonly LooseLabel[] {
  const level = labels[ENFORCE_LABEL] ?? 'nothing';
  const version = labels[VERSION_LABEL] ?? 'latest';
  const isHeld = STANDARDS.some((known, index) => known === level && index >= STANDARDS.indexOf(standard));
  return [
    ...(isHeld ? [] : [loose(`enforces ${level}, not ${standard}`, name, [ENFORCE_LABEL, standard])]),
    ...(isCurrent(version) ? [] : [loose(`enforces the standard of ${version}`, name, [VERSION_LABEL, 'latest'])]),
  ];
}

function loose(fault: string, namespace: string, [label, value]: readonly [string, string]): LooseLabel {
  return {
    fault: `namespace ${namespace} ${fault}`,
    fix: `kubectl label --overwrite namespace ${namespace} ${label}=${value}`,
  };
}

function isCurrent(version: string): boolean {
  const minor = /^v1\.(\d{1,3})$/.exec(version)?.[1];
  return version === 'latest' || Number(minor) >= MINOR_MIN;
}
