/** A sandbox on this machine for the tests that try to break out of it, and what they must not reach. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBubblewrapSandbox } from '@retainer/agent-pod/sandbox/local/bubblewrap-sandbox';
import type { BubblewrapSandboxOptions } from '@retainer/agent-pod/sandbox/local/bubblewrap-sandbox';
import type { SandboxPort } from '@retainer/agent-pod/ports/ports';
import type { SandboxLanguage, SandboxLimits, SandboxResult } from '@retainer/agent-pod/ports/sandbox-run';

export const megabyte = 1024 * 1024;

export const ordinaryLimits: SandboxLimits = {
  // No script needs a tenth of it, except on a machine that others use as well.
  timeoutMs: 60_000,
  memoryBytes: 256 * megabyte,
  processes: 64,
  outputBytes: megabyte,
  fileBytes: 64 * megabyte,
};

export interface RunOptions {
  readonly limits?: Partial<SandboxLimits>;
  readonly readOnlyPaths?: readonly string[];
  readonly keptPaths?: readonly string[];
  readonly shownPaths?: readonly string[];
  readonly isTrusted?: boolean;
  readonly runId?: string;
  readonly stdin?: string;
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
  readonly workspace?: string;
}

/** In every place that a script must not see: a file, an argument and a variable of another process. */
export const canary = 'canary-5c1f0e7b';

export interface Fixture {
  readonly sandbox: SandboxPort;
  readonly languages: readonly SandboxLanguage[];
  readonly description: string;
  readonly base: string;
  readonly workspace: string;
  /** Beside the workspace; everybody may read and write it, so only isolation keeps a script out. */
  readonly outside: string;
  /** Runs on the host as the scripts' own user would, with the canary in its arguments and environment. */
  readonly bystander: ChildProcess;
  readonly run: (language: SandboxLanguage, script: string, options?: RunOptions) => Promise<SandboxResult>;
  readonly close: () => Promise<void>;
}

/** Fails where this machine cannot isolate: these tests then say what to install, and never pass for nothing. */
export async function openFixture(options: Partial<BubblewrapSandboxOptions> = {}): Promise<Fixture> {
  const base = await mkdtemp(join(tmpdir(), 'retainer-sandbox-'));
  await chmod(base, 0o755);
  const workspace = join(base, 'workspace');
  const outside = join(base, 'outside');
  for (const directory of [workspace, outside]) await mkdir(directory);
  await chmod(outside, 0o777);
  await writeFile(join(outside, 'secret.txt'), canary);
  await chmod(join(outside, 'secret.txt'), 0o666);
  const sandbox = createBubblewrapSandbox({ resultDirectory: join(base, 'results'), ...options });
  const probe = await sandbox.probe();
  if (!probe.ok) {
    await rm(base, { recursive: true });
    throw new Error(`${probe.error.reason}; ${probe.error.fix}`);
  }
  const bystander = spawn(
    process.execPath,
    ['-e', 'process.stdout.write("ready");setInterval(() => 0, 1000)', canary],
    {
      env: { CANARY: canary },
      stdio: ['ignore', 'pipe', 'inherit'],
      ...(process.getuid?.() === 0 ? { uid: 65_533, gid: 65_533 } : {}),
    },
  );
  await once(bystander.stdout, 'data');
  let runs = 0;
  return {
    ...{
      sandbox,
      languages: probe.value.languages,
      description: probe.value.description,
      base,
      workspace,
      outside,
      bystander,
    },
    run: (language, script, run = {}) => {
      runs += 1;
      const request = {
        idempotencyKey: run.idempotencyKey ?? `run ${String(runs)}`,
        ...{ language, script, stdin: run.stdin ?? '' },
        workspaceDirectory: run.workspace ?? workspace,
        readOnlyPaths: run.readOnlyPaths ?? [],
        ...(run.keptPaths === undefined ? {} : { keptPaths: run.keptPaths }),
        ...(run.shownPaths === undefined ? {} : { shownPaths: run.shownPaths }),
        ...(run.isTrusted === undefined ? {} : { isTrusted: run.isTrusted }),
        ...(run.runId === undefined ? {} : { runId: run.runId }),
        limits: { ...ordinaryLimits, ...run.limits },
      };
      return sandbox.run(request, run.signal ?? new AbortController().signal);
    },
    close: async () => {
      bystander.kill('SIGKILL');
      await rm(base, { recursive: true, force: true });
    },
  };
}
