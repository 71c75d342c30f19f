/**
 * The local sandbox: runs each script in a bubblewrap container of its own. Implements `SandboxPort`.
 *
 * I1  Nothing runs before `probe` has proven isolation on this machine. No flag disables this.
 * I2  A key runs at most once: a second request with the same key gets the first one's result.
 * I3  A result is on disk before it is returned.
 * I4  A run leaves behind only its result and what it wrote to its workspace.
 *
 * I5  A script works on a copy of what it sees (`View`). What it changed there reaches the workspace after its result is kept;
 *     an agent that was killed in between goes on with it at its next start.
 *
 * Scripts run as an unprivileged user, to whom an agent that is root gives the copies. If the agent is an ordinary user, scripts
 * run as that user under another number.
 *
 * Source: reliability-security 3, 7; springdrift 11. Differs: springdrift's sandbox has a network
 * and runs one script at a time for all.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, readlink, realpath, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { SandboxPort, SandboxUnavailable } from '../../ports/ports.ts';
import type { SandboxLanguage, SandboxLimits, SandboxRequest, SandboxResult } from '../../ports/sandbox-run.ts';
import { Cgroup, sweepCgroups } from './cgroup.ts';
import { ResultStore } from '../result-store.ts';
import { runScript, type FinishedScript, type WorkspaceGrowth } from './run-script.ts';
import { defaultProgramDirectories, observeHost, type SandboxHost } from './sandbox-host.ts';
import { SandboxRefusal } from '../sandbox-refusal.ts';
import { judgeSelfTest, namespaceKinds, selfTestScript } from './self-test.ts';
import { hostUnavailable, isolationUnavailable, versionUnavailable, type MachineFacts } from './unavailable.ts';
import { finishTaking, TAKE_PREFIX } from './take-changes.ts';
import { clearAway, Views, VIEWS_DIRECTORY } from './views.ts';

export interface BubblewrapSandboxOptions {
  /** Created if missing. Also holds the files of running scripts. Private to the agent, never inside a workspace. */
  readonly resultDirectory: string;
  /** Removes secrets from stored output. */
  readonly redact?: (text: string) => string;
  /** Defaults to {@link defaultProgramDirectories}. */
  readonly programDirectories?: readonly string[];
  /** Defaults to {@link defaultWorkspaceGrowth}. */
  readonly workspaceGrowth?: WorkspaceGrowth;
}

/** Room for real data, yet small on the volume that also holds the journal. */
export const defaultWorkspaceGrowth: WorkspaceGrowth = { sizeBytes: 1024 * 1024 * 1024, files: 100_000 };

const selfTestLimits: SandboxLimits = {
  timeoutMs: 20_000,
  memoryBytes: 256 * 1024 * 1024,
  processes: 64,
  outputBytes: 64 * 1024,
  fileBytes: 1024 * 1024,
};

interface Ready {
  readonly host: SandboxHost;
  readonly languages: readonly SandboxLanguage[];
}

/** Neither starts nor checks anything: call `probe` first. */
export function createBubblewrapSandbox(options: BubblewrapSandboxOptions): SandboxPort {
  return new BubblewrapSandbox(options);
}

class BubblewrapSandbox implements SandboxPort {
  readonly #options: BubblewrapSandboxOptions;
  readonly #results: ResultStore;
  readonly #views = new Views();
  readonly #running = new Map<string, Promise<SandboxResult>>();
  #ready: Ready | undefined;

  constructor(options: BubblewrapSandboxOptions) {
    this.#options = options;
    this.#results = new ResultStore(join(options.resultDirectory, 'results'), options.redact);
  }

  async probe(): Promise<
    Result<{ readonly description: string; readonly languages: readonly SandboxLanguage[] }, SandboxUnavailable>
  > {
    this.#ready = undefined;
    const facts = await machineFacts();
    const host = await observeHost(this.#options.programDirectories ?? defaultProgramDirectories);
    if (!host.ok) return err(hostUnavailable(host.error, facts));
    const version = await bubblewrapVersion(host.value);
    const tooOld = versionUnavailable(version, facts);
    if (tooOld !== undefined) return err(tooOld);
    if (this.#running.size === 0) await this.#sweep(host.value);
    const tested = await this.#selfTest(host.value);
    if (!tested.ok) return err(isolationUnavailable(tested.error, facts));
    this.#ready = { host: host.value, languages: tested.value };
    return ok({ description: await describeHost(host.value, version), languages: tested.value });
  }

  /** @throws SandboxRefusal  nothing ran */
  async run(request: SandboxRequest, signal: AbortSignal): Promise<SandboxResult> {
    const running = this.#running.get(request.idempotencyKey);
    if (running !== undefined) return running;
    const run = this.#runOnce(request, signal).finally(() => this.#running.delete(request.idempotencyKey));
    this.#running.set(request.idempotencyKey, run);
    return run;
  }

  lookup(idempotencyKey: string): Promise<SandboxResult | undefined> {
    return this.#results.read(idempotencyKey);
  }

  async #runOnce(request: SandboxRequest, signal: AbortSignal): Promise<SandboxResult> {
    const known = await this.#results.read(request.idempotencyKey);
    if (known !== undefined) return known;
    const ready = this.#ready;
    if (ready === undefined) throw new SandboxRefusal('no isolation has been proven on this machine: nothing runs');
    if (!ready.languages.includes(request.language))
      throw new SandboxRefusal(`${request.language} is not installed on this machine`);
    const finished = await this.#execute(ready.host, request, signal);
    await this.#results.write(request.idempotencyKey, finished.result);
    await finished.carryOut();
    return finished.result;
  }

  async #execute(host: SandboxHost, request: SandboxRequest, signal: AbortSignal): Promise<FinishedScript> {
    const directory = await this.#ownDirectory();
    const growth = this.#options.workspaceGrowth ?? defaultWorkspaceGrowth;
    return runScript({ host, directory, growth, views: this.#views }, request, signal);
  }

  async #ownDirectory(): Promise<string> {
    await mkdir(this.#options.resultDirectory, { recursive: true, mode: 0o700 });
    return realpath(this.#options.resultDirectory);
  }

  /** Runs like every later script, and must not reach a listener on the host. */
  async #selfTest(host: SandboxHost): Promise<Result<readonly SandboxLanguage[], string>> {
    const directory = await this.#ownDirectory();
    const workspaceDirectory = await mkdtemp(join(directory, 'probe-'));
    const listener = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    try {
      await once(listener, 'listening');
      const address = listener.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      await reach(port);
      const script = selfTestScript(port, host.interpreters);
      const request = {
        idempotencyKey: '',
        language: 'bash',
        script,
        stdin: '',
        workspaceDirectory,
        readOnlyPaths: [],
        limits: selfTestLimits,
      } as const;
      const finished = await this.#execute(host, request, AbortSignal.timeout(selfTestLimits.timeoutMs));
      await finished.carryOut();
      const { result } = finished;
      if (result.end !== 'Exited') return err(`the self-test was ended by ${result.reason ?? 'a signal'}`);
      return judgeSelfTest(result.stdout, { namespaces: await ownNamespaces() });
    } catch (error) {
      // A machine without isolation usually fails at the start of the sandbox.
      return err(error instanceof Error ? error.message : String(error));
    } finally {
      listener.close();
      await this.#views.forget(workspaceDirectory, host.programs.find);
      await rm(workspaceDirectory, { recursive: true, force: true });
    }
  }

  /** Removes the leftovers of a killed agent. */
  async #sweep(host: SandboxHost): Promise<void> {
    const directory = await this.#ownDirectory();
    await this.#results.sweep(Date.now());
    await sweepCgroups(host.cgroups, Date.now());
    const isKept = async (key: string): Promise<boolean> => (await this.#results.read(key)) !== undefined;
    for (const name of await readdir(directory)) {
      if (name.startsWith(TAKE_PREFIX)) await finishTaking(join(directory, name), isKept);
      if (name === VIEWS_DIRECTORY) await clearAway(join(directory, name), host.programs.find);
      if (/^(?:run|probe)-/.test(name)) await rm(join(directory, name), { recursive: true, force: true });
    }
  }
}

/** Empty when bubblewrap fails to print it. */
async function bubblewrapVersion(host: SandboxHost): Promise<string> {
  const asked = promisify(execFile)(host.programs.bwrap, ['--version'], { env: {} });
  return asked.then(
    ({ stdout }) => stdout,
    () => '',
  );
}

/** A listener that the host cannot reach would prove nothing about the sandbox. */
async function reach(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}

async function ownNamespaces(): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(
    await Promise.all(namespaceKinds.map(async (kind) => [kind, await readlink(`/proc/self/ns/${kind}`)] as const)),
  );
}

async function describeHost(host: SandboxHost, version: string): Promise<string> {
  const group = await Cgroup.create(host.cgroups, selfTestLimits);
  const kept = group.controllers.length === 0 ? 'resource limits' : `control groups (${group.controllers.join(', ')})`;
  await group.remove();
  return `${version.trim()}, ${host.isRoot ? 'unprivileged user' : 'own user'}, no network, seccomp, ${kept}`;
}

async function machineFacts(): Promise<MachineFacts> {
  const text = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
  return {
    osRelease: await text('/etc/os-release'),
    isRoot: process.getuid?.() === 0,
    usernsClone: await text('/proc/sys/kernel/unprivileged_userns_clone'),
    maxUserNamespaces: await text('/proc/sys/user/max_user_namespaces'),
    apparmorRestriction: await text('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'),
  };
}
