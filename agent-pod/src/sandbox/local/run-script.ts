/** One script from request to result: fill a view, make the sandbox, wait for its end, clear it away. */
import { join } from 'node:path';
import type { SandboxRequest, SandboxResult } from '../../ports/sandbox-run.ts';
import {
  bubblewrapArguments,
  inputArguments,
  interpreterCommand,
  processLimitArguments,
  SANDBOX_UID,
} from './bubblewrap-arguments.ts';
import { Cgroup } from './cgroup.ts';
import { launchCommand, stagingDirectory, type Staged } from './launch-command.ts';
import { LimitWatch } from './limit-watch.ts';
import { workspaceBinds, type WorkspaceBind } from './read-only-paths.ts';
import { RunFiles } from './run-files.ts';
import type { SandboxHost } from './sandbox-host.ts';
import { SandboxProcess, CANCELLED_REASON } from './sandbox-process.ts';
import { ProtectedPaths } from '../protected-paths.ts';
import { madeFor } from '../run-room.ts';
import { SandboxRefusal } from '../sandbox-refusal.ts';
import { sandboxResult } from './sandbox-result.ts';
import { seccompFilter } from './seccomp-filter.ts';
import { stageChanges } from './take-changes.ts';
import { VIEWS_DIRECTORY, type Views } from './views.ts';
import { checkedWorkspace, prepareBinds } from './workspace-preparation.ts';

/** Limit on what one script may add to its workspace. */
export interface WorkspaceGrowth {
  readonly sizeBytes: number;
  readonly files: number;
}

export interface ScriptSetting {
  readonly host: SandboxHost;
  /** Real path of the sandbox's own directory. */
  readonly directory: string;
  readonly growth: WorkspaceGrowth;
  readonly views: Views;
}

/** Bubblewrap does not start with less; smaller limits are raised to this. */
export const MEMORY_BYTES_MIN = 32 * 1024 * 1024;

/** A script that has ended. Its changes reach the workspace when they are carried out. */
export interface FinishedScript {
  readonly result: SandboxResult;
  carryOut(): Promise<void>;
}

/** Resolves with the result whatever the script does. @throws SandboxRefusal  the script could not start */
export async function runScript(
  setting: ScriptSetting,
  request: SandboxRequest,
  signal: AbortSignal,
): Promise<FinishedScript> {
  const binds = workspaceBinds(request.readOnlyPaths);
  if (!binds.ok) throw new SandboxRefusal(binds.error);
  const { directory, host, views } = setting;
  const workspace = await checkedWorkspace(request.workspaceDirectory, directory);
  const view = await views.lend(workspace, join(directory, VIEWS_DIRECTORY), host.isRoot ? SANDBOX_UID : undefined);
  const giveBack = (isSettled: boolean): Promise<void> =>
    views.giveBack(workspace, view, isSettled, host.programs.find);
  try {
    const room = views.rooms.of(request.runId, request.added);
    const { isTrusted = false } = request;
    const shownPaths = request.shownPaths && [...request.shownPaths, ...madeFor(room, isTrusted)];
    await view.fill(workspace, shownPaths);
    await prepareBinds(view.directory, binds.value);
    const result = await runPrepared(setting, request, { view: view.directory, binds: binds.value, signal });
    // A caller that gave up does not wait, and would not know what was written.
    if (signal.aborted) return { result, carryOut: () => giveBack(false) };
    const staged = await stageChanges(directory, request.idempotencyKey, {
      view,
      workspace,
      protectedPaths: new ProtectedPaths([...request.readOnlyPaths, ...(request.keptPaths ?? [])]),
      shown: shownPaths === undefined ? undefined : new Set(shownPaths),
      ...{ room, isTrusted },
    });
    // It may have been given up while its files were copied, and its turn in the workspace may be over.
    if (signal.aborted) {
      await staged.drop();
      return { result, carryOut: () => giveBack(false) };
    }
    return {
      result: { ...result, changes: staged.changes },
      carryOut: async () => giveBack(await staged.carryOut()),
    };
  } catch (error) {
    await giveBack(false);
    throw error;
  }
}

const cancelledResult: SandboxResult = {
  ...{ end: 'Killed', exitCode: 137, reason: CANCELLED_REASON },
  ...{ stdout: '', stderr: '', droppedBytes: 0, durationMs: 0 },
};

interface Prepared {
  /** Stands for the workspace inside. */
  readonly view: string;
  readonly binds: readonly WorkspaceBind[];
  readonly signal: AbortSignal;
}

async function runPrepared(
  setting: ScriptSetting,
  request: SandboxRequest,
  prepared: Prepared,
): Promise<SandboxResult> {
  const { host, growth } = setting;
  const limits = { ...request.limits, memoryBytes: Math.max(MEMORY_BYTES_MIN, request.limits.memoryBytes) };
  const seccomp = seccompFilter(host.architecture);
  const files = await RunFiles.create(setting.directory, host.programs.mkfifo, {
    script: request.script,
    stdin: request.stdin,
    seccomp,
  });
  const cgroup = await Cgroup.create(host.cgroups, limits);
  const command = scriptCommand(host, { ...request, limits }, prepared, cgroup);
  const plan = { command, files, cgroup, timeoutMs: limits.timeoutMs, outputBytes: limits.outputBytes };
  const sandbox = new SandboxProcess(plan);
  const watch = new LimitWatch({
    workspace: prepared.view,
    du: host.programs.du,
    cgroup,
    limits: {
      memoryBytes: limits.memoryBytes,
      workspaceGrowthBytes: growth.sizeBytes,
      workspaceGrowthFiles: growth.files,
    },
    firstProcess: () => files.status().firstProcess,
  });
  try {
    if (prepared.signal.aborted) return cancelledResult;
    await watch.prepare();
    watch.start((reason) => sandbox.stop({ end: 'Killed', reason }));
    const end = await sandbox.run(prepared.signal);
    const counts = { memoryKills: await cgroup.memoryKills(), processRefusals: await cgroup.processRefusals() };
    const result = sandboxResult(end, { limits, ...counts });
    if (!result.ok) throw new SandboxRefusal(`the sandbox did not start: ${result.error}`);
    return result.value;
  } finally {
    watch.stop();
    await cgroup.kill();
    await cgroup.remove();
    await files.remove();
  }
}

function scriptCommand(
  host: SandboxHost,
  request: SandboxRequest,
  prepared: Prepared,
  cgroup: Cgroup,
): ReturnType<typeof launchCommand> {
  const { limits } = request;
  const interpreter = interpreterCommand(request.language, host.interpreters, limits.memoryBytes);
  if (interpreter === undefined) throw new SandboxRefusal(`${request.language} is not installed on this machine`);
  const staged: readonly Staged[] = [
    { source: prepared.view, name: 'workspace' },
    ...(host.nodeSource === undefined ? [] : [{ source: host.nodeSource, name: 'node' }]),
  ];
  const directory = host.isRoot ? stagingDirectory(staged.map(({ source }) => source)) : undefined;
  if (host.isRoot && directory === undefined) throw new SandboxRefusal('no directory is left to show the workspace in');
  const seen = (name: 'workspace' | 'node', source: string): string =>
    directory === undefined ? source : `${directory}/${name}`;
  const view = bubblewrapArguments({
    language: request.language,
    system: host.system,
    ...(host.nodeSource === undefined ? {} : { nodeSource: seen('node', host.nodeSource) }),
    workspaceSource: seen('workspace', prepared.view),
    workspaceBinds: prepared.binds,
    memoryBytes: limits.memoryBytes,
    maskedPaths: host.maskedPaths,
  });
  const processLimits = processLimitArguments({
    limits,
    isMemoryGrouped: cgroup.controllers.includes('memory'),
    areProcessesGrouped: cgroup.controllers.includes('pids'),
    isCpuGrouped: cgroup.controllers.includes('cpu'),
  });
  return launchCommand({
    programs: host.programs,
    cgroupEntries: cgroup.entries,
    ...(directory === undefined ? {} : { staging: { directory, staged } }),
    bubblewrap: [
      ...view,
      ...inputArguments(host.programs.bash),
      host.programs.prlimit,
      ...processLimits,
      ...interpreter,
    ],
  });
}
