/** Adds to the commands of a diagnosis the options that reach the diagnosed cluster. Pure. */
import type { Diagnosis } from './checks.ts';

export interface NamedCluster {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Whoever copies a command at night must not mend another cluster: what was said to the doctor is said again. */
export function forCluster(diagnosis: Diagnosis, { kubeconfig, context }: NamedCluster): Diagnosis {
  const options = [
    ...(kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig]),
    ...(context === undefined ? [] : ['--context', context]),
  ].join(' ');
  if (options === '') return diagnosis;
  const complete = (line: string): string => line.replace(/^(kubectl|retainer install) /, `$1 ${options} `);
  const findings = diagnosis.findings.map(({ fix = [], ...finding }) => ({ ...finding, fix: fix.map(complete) }));
  return { ...diagnosis, findings };
}
