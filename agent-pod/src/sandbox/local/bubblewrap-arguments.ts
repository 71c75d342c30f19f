/**
 * What a sandbox is made of, as the arguments of `bwrap`. Pure: the same view always gives the same arguments.
 *
 * I1  Everything is unshared, the network too; nothing here can share it again.
 * I2  What is not bound does not exist inside: no /home, /root, /var, /run, and of /etc only what this file makes.
 * I3  All but /workspace, /tmp and /dev/shm is mounted read-only, the two memory file systems with a size.
 * I4  The script, the filter and the small files come through descriptors, so no argument carries a script.
 */
import type { SandboxLanguage, SandboxLimits } from '../../ports/sandbox-run.ts';
import type { WorkspaceBind } from './read-only-paths.ts';

/** The user inside. On the host it is the same number when the agent is root: assigned to nobody by Debian and systemd. */
export const SANDBOX_UID = 65_533;

/** The open files that are handed to bubblewrap, by descriptor. All are consumed before the script starts. */
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

/** The contents of the files that this module makes below /etc. */
export const etcFiles = {
  passwd: `sandbox:x:${String(SANDBOX_UID)}:${String(SANDBOX_UID)}::/tmp:/bin/bash\n`,
  group: `sandbox:x:${String(SANDBOX_UID)}:\n`,
  nsswitch: 'passwd: files\ngroup: files\nhosts: files\n',
  hosts: '127.0.0.1 localhost\n::1 localhost\n',
} as const;

/** A part of the host's system that is shown inside. */
export type SystemPart =
  | { readonly kind: 'bind'; readonly path: string }
  | { readonly kind: 'symlink'; readonly path: string; readonly target: string };

export interface SandboxView {
  readonly language: SandboxLanguage;
  readonly system: readonly SystemPart[];
  /** Node's executable where it lies outside the system parts, as a host path. */
  readonly nodeSource?: string;
  /** The workspace as bubblewrap can reach it: a host path. */
  readonly workspaceSource: string;
  /** First the workspace itself, then parents before children. */
  readonly workspaceBinds: readonly WorkspaceBind[];
  readonly memoryBytes: number;
  /** Files of /proc that exist here and tell of the host. */
  readonly maskedPaths: readonly string[];
}

/** Files of /proc that no namespace separates, covered where they exist. */
export const hostTellingPaths: readonly string[] = [
  ...['/proc/config.gz', '/proc/diskstats', '/proc/kallsyms', '/proc/kcore', '/proc/key-users', '/proc/keys'],
  ...['/proc/kmsg', '/proc/latency_stats', '/proc/partitions', '/proc/sched_debug', '/proc/sysrq-trigger'],
  ...['/proc/timer_list', '/proc/timer_stats'],
];

/** Where Node is shown when it does not belong to the system. */
export const FOREIGN_NODE_PATH = '/opt/node/bin/node';

const MEGABYTE = 1024 * 1024;
/** Scratch files count as memory, so they may take half of it; more than this belongs into the workspace. */
const TEMPORARY_BYTES_MAX = 256 * MEGABYTE;
const SHARED_MEMORY_BYTES_MAX = 64 * MEGABYTE;

/** Everything up to the command that is to run inside. */
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

/** Standard input is a file inside: an open file of the host could be opened again for writing by its owner. */
const STDIN_PATH = '/script/stdin';

/** Gives standard input to the command that follows; a shell, because nothing smaller can redirect. */
export function inputArguments(bash: string): readonly string[] {
  return [bash, '-c', `exec "$@" < ${STDIN_PATH}`, 'input'];
}

/** What the script is called inside, as error messages show it. */
const scriptPaths: Readonly<Record<SandboxLanguage, string>> = {
  bash: '/script/main.sh',
  javascript: '/script/main.js',
  python: '/script/main.py',
};

function environment(hasForeignNode: boolean): readonly string[] {
  const system = '/usr/local/bin:/usr/bin:/bin';
  const variables = {
    PATH: hasForeignNode ? `/opt/node/bin:${system}` : system,
    HOME: '/tmp',
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    // The script does not lie in the workspace; its neighbours there are found all the same.
    PYTHONPATH: '/workspace',
    NODE_PATH: '/workspace/node_modules',
    PYTHONDONTWRITEBYTECODE: '1',
  };
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

/** Limits that the kernel keeps for each process, for what no control group does on this machine. */
export interface ProcessLimits {
  readonly limits: SandboxLimits;
  readonly isMemoryGrouped: boolean;
  readonly areProcessesGrouped: boolean;
  readonly isCpuGrouped: boolean;
}

/** Enough for any interpreter; bounds what sockets and pipes may hold in the kernel. */
const OPEN_FILES_MAX = 1024;
const MESSAGE_QUEUE_BYTES_MAX = 65_536;

/** Arguments of `prlimit`, up to the command. Counted per user namespace, so the host's processes do not count. */
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

/** Where each interpreter is found inside. */
export type Interpreters = Readonly<Partial<Record<SandboxLanguage, string>>>;

/** What Node needs beside its heap. V8 then reports a full heap as an error of the script, before the sandbox is ended. */
const BESIDE_HEAP_BYTES = 96 * MEGABYTE;

/** The command that runs the script, or undefined where this machine has no such interpreter. */
export function interpreterCommand(
  language: SandboxLanguage,
  interpreters: Interpreters,
  memoryBytes: number,
): readonly string[] | undefined {
  const interpreter = interpreters[language];
  if (interpreter === undefined) return undefined;
  const heapMegabytes = Math.floor(Math.max(memoryBytes / 2, memoryBytes - BESIDE_HEAP_BYTES) / MEGABYTE);
  const options: Readonly<Record<SandboxLanguage, readonly string[]>> = {
    bash: ['--noprofile', '--norc'],
    javascript: [`--max-old-space-size=${String(heapMegabytes)}`],
    python: [],
  };
  return [interpreter, ...options[language], scriptPaths[language]];
}
