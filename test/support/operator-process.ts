/** The operator's real program, as built. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { OPERATOR_NAMESPACE, SANDBOX_NAMESPACE } from './operator-world/world-objects.ts';

const program = fileURLToPath(new URL('../../operator/dist/main.js', import.meta.url));

export interface OperatorSetup {
  /** Path of a file. */
  readonly kubeconfig: string;
  readonly podName: string;
  readonly healthPort: number;
  readonly metricsPort: number;
  /** Besides what every operator is told. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdio?: StdioOptions;
  /** Path of a module that is loaded before the program. */
  readonly preload?: string;
}

/** Listens for health and metrics, and stands by for the Lease. The caller ends it. */
export function startOperator(setup: OperatorSetup): ChildProcess {
  const { kubeconfig, podName, healthPort, metricsPort, environment = {}, preload } = setup;
  return spawn(process.execPath, [...(preload === undefined ? [] : ['--import', preload]), program], {
    stdio: setup.stdio ?? ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      KUBECONFIG: kubeconfig,
      RETAINER_NAMESPACE: OPERATOR_NAMESPACE,
      RETAINER_POD_NAME: podName,
      RETAINER_SANDBOX_NAMESPACE: SANDBOX_NAMESPACE,
      RETAINER_AGENT_IMAGE: 'example.org/agent:1',
      RETAINER_SANDBOX_IMAGE: 'example.org/sandbox:1',
      RETAINER_HEALTH_PORT: String(healthPort),
      RETAINER_METRICS_PORT: String(metricsPort),
      ...environment,
    },
  });
}
