/** The agent's side of a sandbox on a cluster, connected to an API server of a test. */
import type { Clock } from '@retainer/contract/std/clock';
import type { SandboxPort } from '@retainer/agent-pod/ports/ports';
import type { SandboxRequest } from '@retainer/agent-pod/ports/sandbox-run';
import type { ServeRequest } from '@retainer/agent-pod/ports/serving-port';
import { createSandboxRunSandbox } from '@retainer/agent-pod/sandbox/cluster/sandbox-run-sandbox';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { KubeClient } from '@retainer/kube/kube-client';

export interface SandboxAgentOptions {
  readonly client: KubeClient;
  readonly directory: string;
  readonly clock?: Clock;
  readonly startTimeoutMs?: number;
  readonly sandboxNamespace?: string | undefined;
  /** Runs at the same time. */
  readonly besideMax?: number;
  /** The Agent may keep so many open. */
  readonly servedMax?: number;
}

export function sandboxAgent(options: SandboxAgentOptions): SandboxPort {
  const { client, directory, clock = systemClock, startTimeoutMs, besideMax, servedMax } = options;
  return createSandboxRunSandbox({
    owner: { namespace: 'default', name: 'ada', uid: 'agent-uid', egress: [], root: false },
    client,
    // Silent: who waits must ask, too. It is told soon enough here.
    watch: { watchRun: () => () => undefined },
    clock: quick(clock),
    sandboxNamespace: 'sandboxNamespace' in options ? options.sandboxNamespace : 'retainer-sandboxes',
    languages: ['bash', 'javascript'],
    directory,
    ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
    ...(besideMax === undefined ? {} : { besideMax }),
    ...(servedMax === undefined ? {} : { servedMax }),
  });
}

/** Asks every 20 ms where an agent asks every 10 s. */
function quick(clock: Clock): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    sleep: (durationMs, signal) => clock.sleep(durationMs === 10_000 ? 20 : durationMs, signal),
  };
}

/** A request to keep one port open. */
export function serveRequest(
  workspaceDirectory: string,
  script: string,
  port: number,
  change: Parameters<typeof sandboxRequest>[2] = {},
): ServeRequest {
  const request = sandboxRequest(workspaceDirectory, script, { language: 'javascript', ...change });
  return { ...request, ports: [{ name: 'web', port }] };
}

export function sandboxRequest(
  workspaceDirectory: string,
  script: string,
  change: Partial<Omit<SandboxRequest, 'limits'>> & { readonly timeoutMs?: number } = {},
): SandboxRequest {
  const { timeoutMs = 60_000, ...rest } = change;
  return {
    idempotencyKey: 'call-1',
    language: 'bash',
    script,
    stdin: '',
    workspaceDirectory,
    readOnlyPaths: [],
    limits: { timeoutMs, memoryBytes: 2 ** 29, processes: 128, outputBytes: 65_536, fileBytes: 2 ** 28 },
    ...rest,
  };
}
