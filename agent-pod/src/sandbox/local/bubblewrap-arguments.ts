/**
 * Describes a sandbox as arguments of `bwrap`. Pure.
 *
 * I1  All namespaces are unshared, the network too; no argument shares one again.
 * I2  Only bound paths exist inside: no /home, /root, /var, /run, and of /etc only the files made here and the system parts.
 * I3  Everything but /workspace, /tmp and /dev/shm is read-only; the two memory file systems have a size.
 * I4  Script, filter and small files come through descriptors, so no argument carries a script.
 */
import {
  interpreterArguments,
  PACKAGES_DIRECTORY,
  programEnvironment,
  type ProgramLanguage,
} from '@retainer/contract/wire/program-start';
import type { SandboxLanguage, SandboxLimits } from '../../ports/sandbox-run.ts';
import type { WorkspaceBind } from './read-only-paths.ts';

/** The user inside, and on the host if the agent is root. Debian and systemd assign the number to nobody. */
export const SANDBOX_UID = 65_533;

/** Descriptors passed to bubblewrap. All are consumed before the script starts. */
export const descriptors = {
  seccomp: 3,
  status: 4,
  script: 5,
  passwd: 6,
  group: 7,
  nsswitch: 8,
  hosts: 9,
  stdin: 10,
} as const;

export const etcFiles = {
  passwd: `sandbox:x:${String(SANDBOX_UID)}:${String(SANDBOX_UID)}::/tmp:/bin/bash\n`,
  group: `sandbox:x:${String(SANDBOX_UID)}:\n`,
  nsswitch: 'passwd: files\ngroup: files\nhosts: files\n',
  hosts: '127.0.0.1 localhost\n::1 localhost\n',
} as const;

export type SystemPart =
  | { readonly kind: 'bind'; readonly path: string }
  | { readonly kind: 'symlink'; readonly path: string; readonly target: string };

export interface SandboxView {
  readonly language: SandboxLanguage;
  readonly system: readonly SystemPart[];
  /** Host path of Node's executable, if outside the system parts. */
  readonly nodeSource?: string;
  /** Host path at which bubblewrap reaches the workspace. */
  readonly workspaceSource: string;
  /** First the workspace itself, then parents before children. */
  readonly workspaceBinds: readonly WorkspaceBind[];
  readonly memoryBytes: number;
  /** Existing files of /proc that reveal the host. */
  readonly maskedPaths: readonly string[];
}

/** Files of /proc that no namespace separates; masked if they exist. */
export const hostTellingPaths: readonly string[] = [
  ...['/proc/config.gz', '/proc/diskstats', '/proc/kallsyms', '/proc/kcore', '/proc/key-users', '/proc/keys'],
  ...['/proc/kmsg', '/proc/latency_stats', '/proc/partitions', '/proc/sched_debug', '/proc/sysrq-trigger'],
  ...['/proc/timer_list', '/proc/timer_stats'],
];

/** Path inside of a Node from outside the system. */
export const FOREIGN_NODE_PATH = '/opt/node/bin/node';

const MEGABYTE = 1024 * 1024;
/** Scratch files count as memory, so they may take half of it. Larger data belongs in the workspace. */
const TEMPORARY_BYTES_MAX = 256 * MEGABYTE;
const SHARED_MEMORY_BYTES_MAX = 64 * MEGABYTE;

/** All arguments before the command. */
export function bubblewrapArguments(view: SandboxView): readonly string[] {
  return [
    ...isolation,
    ...environment(view.nodeSource !== undefined),
    ...view.system.flatMap(systemArguments),
    ...etcArguments,
    ...(view.nodeSource === undefined ? [] : ['--ro-bind', view.nodeSource, FOREIGN_NODE_PATH]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--size', String(Math.min(SHARED_MEMORY_BYTES_MAX, Math.floor(view.memoryBytes / 4))), '--tmpfs', '/dev/shm'],
    ...['--size', String(Math.min(TEMPORARY_BYTES_MAX, Math.floor(view.memoryBytes / 2))), '--tmpfs', '/tmp'],
    ...['--symlink', '../tmp', '/var/tmp'],
    ...['--perms', '0444', '--ro-bind-data', String(descriptors.script), scriptPaths[view.language]],
    ...['--perms', '0444', '--ro-bind-data', String(descriptors.stdin), STDIN_PATH],
    ...['--symlink', `${WORKSPACE_PATH}/${PACKAGES_DIRECTORY}`, `/script/${PACKAGES_DIRECTORY}`],
    ...maskArguments(view.maskedPaths),
    ...view.workspaceBinds.flatMap((bind) => bindArguments(view.workspaceSource, bind)),
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--chdir', '/workspace', '--'],
  ];
}

const isolation = [
  '--unshare-all',
  ...['--die-with-parent', '--new-session'],
  ...['--uid', String(SANDBOX_UID), '--gid', String(SANDBOX_UID), '--hostname', 'sandbox'],
  ...['--cap-drop', 'ALL'],
  ...['--seccomp', String(descriptors.seccomp), '--json-status-fd', String(descriptors.status)],
] as const;

const etcArguments = [
  ...['--perms', '0444', '--ro-bind-data', String(descriptors.passwd), '/etc/passwd'],
  ...['--perms', '0444', '--ro-bind-data', String(descriptors.group), '/etc/group'],
  ...['--perms', '0444', '--ro-bind-data', String(descriptors.nsswitch), '/etc/nsswitch.conf'],
  ...['--perms', '0444', '--ro-bind-data', String(descriptors.hosts), '/etc/hosts'],
] as const;

/** Standard input is a file inside, because its owner could reopen an open host file for writing. */
const STDIN_PATH = '/script/stdin';

/** Redirects standard input for the command that follows; only a shell can. */
export function inputArguments(bash: string): readonly string[] {
  return [bash, '-c', `exec "$@" < ${STDIN_PATH}`, 'input'];
}

const WORKSPACE_PATH = '/workspace';

/** Script paths inside, as shown in error messages. */
const scriptPaths: Readonly<Record<SandboxLanguage, string>> = {
  bash: '/script/main.sh',
  javascript: '/script/main.js',
  python: '/script/main.py',
};

function environment(hasForeignNode: boolean): readonly string[] {
  const system = '/usr/local/bin:/usr/bin:/bin';
  const variables = programEnvironment({
    tmpDirectory: '/tmp',
    path: hasForeignNode ? `/opt/node/bin:${system}` : system,
  });
  return ['--clearenv', ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value])];
}

function maskArguments(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => ['--ro-bind', '/dev/null', path]);
}

function systemArguments(part: SystemPart): readonly string[] {
  return part.kind === 'symlink' ? ['--symlink', part.target, part.path] : ['--ro-bind', part.path, part.path];
}

function bindArguments(source: string, bind: WorkspaceBind): readonly string[] {
  const suffix = bind.path === '' ? '' : `/${bind.path}`;
  return [bind.access === 'read-only' ? '--ro-bind' : '--bind', `${source}${suffix}`, `/workspace${suffix}`];
}

/** Kernel limits per process, for limits that no control group enforces on this machine. */
export interface ProcessLimits {
  readonly limits: SandboxLimits;
  readonly isMemoryGrouped: boolean;
  readonly areProcessesGrouped: boolean;
  readonly isCpuGrouped: boolean;
}

/** Enough for any interpreter; bounds kernel memory for sockets and pipes. */
const OPEN_FILES_MAX = 1024;
const MESSAGE_QUEUE_BYTES_MAX = 65_536;

/** Arguments of `prlimit` before the command. The kernel counts per user namespace, without the host's processes. */
export function processLimitArguments(from: ProcessLimits): readonly string[] {
  const { limits } = from;
  const seconds = Math.ceil(limits.timeoutMs / 1000) + 1;
  return [
    ...[
      '--core=0',
      `--fsize=${String(limits.fileBytes)}`,
      `--nofile=${String(OPEN_FILES_MAX)}`,
      `--msgqueue=${String(MESSAGE_QUEUE_BYTES_MAX)}`,
    ],
    ...(from.areProcessesGrouped ? [] : [`--nproc=${String(limits.processes)}`]),
    ...(from.isMemoryGrouped ? [] : [`--data=${String(limits.memoryBytes)}`]),
    ...(from.isCpuGrouped ? [] : [`--cpu=${String(seconds)}:${String(seconds + 1)}`]),
    '--',
  ];
}

const PROGRAM_LANGUAGES: Readonly<Record<SandboxLanguage, ProgramLanguage>> = {
  bash: 'Bash',
  javascript: 'JavaScript',
  python: 'Python',
};

export type Interpreters = Readonly<Partial<Record<SandboxLanguage, string>>>;

/** Node's memory beside its heap. V8 then reports a full heap as an error before the limit ends the sandbox. */
const BESIDE_HEAP_BYTES = 96 * MEGABYTE;

/** Undefined without this interpreter. */
export function interpreterCommand(
  language: SandboxLanguage,
  interpreters: Interpreters,
  memoryBytes: number,
): readonly string[] | undefined {
  const interpreter = interpreters[language];
  if (interpreter === undefined) return undefined;
  const heapMegabytes = Math.floor(Math.max(memoryBytes / 2, memoryBytes - BESIDE_HEAP_BYTES) / MEGABYTE);
  const heap = language === 'javascript' ? [`--max-old-space-size=${String(heapMegabytes)}`] : [];
  return [
    interpreter,
    ...heap,
    ...interpreterArguments(PROGRAM_LANGUAGES[language], scriptPaths[language], WORKSPACE_PATH),
  ];
}
