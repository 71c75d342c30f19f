/** Adds to the commands of a diagnosis the options that reach the diagnosed cluster. Pure. */
import type { Diagnosis } from './checks.ts';

export interface NamedCluster {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Repeats the doctor's own options, so that a copied command cannot change another cluster. */
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
