/** A real operator process against a real API server, as its own service account, and what it says of itself. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const main = join(import.meta.dirname, '../../operator/dist/main.js');
/** Long enough for a first list of everything on a busy machine. */
const readyMsMax = 120_000;
const pollMs = 50;

/**
 * Runs a command with a service account where a pod has it, seen by nobody else. With a kubeconfig the operator would load the
 * client library, some 80 MB that it never loads in a pod.
 */
const asInPod = `mount -t tmpfs none /run && mkdir -p /run/secrets/kubernetes.io &&
  ln -s "$ACCOUNT_DIRECTORY" /run/secrets/kubernetes.io/serviceaccount && exec "$@"`;

export interface OperatorProcessOptions {
  /** With `token`, `ca.crt` and `namespace` of an account that has the rights of the shipped roles. */
  readonly accountDirectory: string;
  readonly server: URL;
  readonly healthPort: number;
  readonly metricsPort: number;
  readonly nodeOptions: string;
  readonly namespaces: { readonly operator: string; readonly sandboxes: string };
}

export class OperatorProcess {
  readonly #child: ChildProcess;
  readonly #options: OperatorProcessOptions;
  readonly #startedMs = performance.now();

  constructor(options: OperatorProcessOptions) {
    this.#options = options;
    const { accountDirectory, server, healthPort, metricsPort, nodeOptions, namespaces } = options;
    this.#child = spawn('unshare', ['--mount', 'sh', '-c', asInPod, 'sh', process.execPath, main], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        PATH: process.env['PATH'] ?? '',
        NODE_OPTIONS: nodeOptions,
        ACCOUNT_DIRECTORY: accountDirectory,
        KUBERNETES_SERVICE_HOST: server.hostname,
        KUBERNETES_SERVICE_PORT: server.port,
        RETAINER_NAMESPACE: namespaces.operator,
        RETAINER_POD_NAME: 'bench-operator',
        RETAINER_POD_IP: '127.0.0.1',
        RETAINER_SANDBOX_NAMESPACE: namespaces.sandboxes,
        RETAINER_AGENT_IMAGE: 'retainer/agent:bench',
        RETAINER_SANDBOX_IMAGE: 'retainer/sandbox:bench',
        RETAINER_HEALTH_PORT: String(healthPort),
        RETAINER_METRICS_PORT: String(metricsPort),
      },
    });
  }

  /** Milliseconds from the start until it leads with complete caches and nothing is left in its queues. */
  async untilConverged(): Promise<number> {
    while (performance.now() - this.#startedMs < readyMsMax) {
      if (this.#hasEnded) throw new Error('the operator ended; its log says why');
      if (await this.#isAtRest().catch(() => false)) return performance.now() - this.#startedMs;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
    throw new Error(`the operator did not converge in ${readyMsMax / 1000} s`);
  }

  /** Resident memory, bytes. */
  resident(): { readonly nowBytes: number; readonly peakBytes: number } {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    const bytesOf = (field: RegExp): number => Number(field.exec(status)?.[1] ?? Number.NaN) * 1024;
    return { nowBytes: bytesOf(/VmRSS:\s+(\d+)/), peakBytes: bytesOf(/VmHWM:\s+(\d+)/) };
  }

  async figures(): Promise<Figures> {
    const answer = await fetch(`http://127.0.0.1:${this.#options.metricsPort}/metrics`);
    return new Figures(await answer.text());
  }

  /** Resolves with its exit code. */
  stop(): Promise<number | null> {
    if (this.#hasEnded) return Promise.resolve(this.#child.exitCode);
    return new Promise((resolve) => {
      this.#child.once('exit', resolve);
      this.#child.kill('SIGTERM');
    });
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** In this order: whoever stands by is ready, and queues are empty before the caches are complete. */
  async #isAtRest(): Promise<boolean> {
    const leads = (await this.figures()).sum('leader_election_master_status') === 1;
    if (!leads || !(await this.#isReady())) return false;
    const figures = await this.figures();
    return figures.sum('workqueue_depth') === 0 && figures.sum('controller_runtime_active_workers') === 0;
  }

  async #isReady(): Promise<boolean> {
    return (await fetch(`http://127.0.0.1:${this.#options.healthPort}/readyz`)).ok;
  }
}

/** One scrape. */
export class Figures {
  readonly #lines: readonly string[];

  constructor(text: string) {
    this.#lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  }

  /** Over all series of a metric; undefined where there is none. */
  sum(name: string, label = ''): number | undefined {
    const values = this.#lines
      .filter((line) => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && line.includes(label))
      .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
    return values.length === 0 ? undefined : values.reduce((total, value) => total + value, 0);
  }

  /** Of a label, as the series have it. */
  values(name: string, label: string): readonly string[] {
    const values = this.#lines.filter((line) => line.startsWith(`${name}{`)).map((line) => labelOf(line, label));
    return [...new Set(values)].filter((value) => value !== undefined);
  }

  /** The upper bound of the bucket that holds the quantile, over all series with the label, seconds. */
  quantile(histogram: string, quantile: number, label = ''): number {
    const bounds = new Map<number, number>();
    for (const line of this.#lines.filter((it) => it.startsWith(`${histogram}_bucket{`) && it.includes(label))) {
      const bound = Number((/le="([^"]+)"/.exec(line)?.[1] ?? '').replace('+Inf', 'Infinity'));
      bounds.set(bound, (bounds.get(bound) ?? 0) + Number(line.slice(line.lastIndexOf(' ') + 1)));
    }
    const ordered = [...bounds].toSorted(([a], [b]) => a - b);
    const total = ordered.at(-1)?.[1] ?? 0;
    return ordered.find(([, count]) => count >= total * quantile)?.[0] ?? Number.NaN;
  }
}

function labelOf(line: string, label: string): string | undefined {
  return new RegExp(`[{,]${label}="([^"]*)"`).exec(line)?.[1];
}
