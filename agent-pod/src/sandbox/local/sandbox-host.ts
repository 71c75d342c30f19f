/** Detects the sandbox capabilities of this machine. The self-test decides whether they isolate. */
import { access, constants, lstat, readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { FOREIGN_NODE_PATH, hostTellingPaths, type Interpreters, type SystemPart } from './bubblewrap-arguments.ts';
import { cgroupPlaces, type CgroupPlace } from './cgroup-place.ts';
import type { Programs } from './launch-command.ts';
import type { Architecture } from './syscall-numbers.ts';

export interface SandboxHost {
  readonly programs: Programs;
  readonly system: readonly SystemPart[];
  readonly interpreters: Interpreters;
  /** Node's executable, if outside the system directories. */
  readonly nodeSource?: string;
  /** Existing files of /proc that reveal the host. */
  readonly maskedPaths: readonly string[];
  readonly cgroups: readonly CgroupPlace[];
  readonly architecture: Architecture;
  readonly isRoot: boolean;
}

/** Program directories of the distributions; the caller's PATH is not trusted. */
export const defaultProgramDirectories: readonly string[] = [
  '/usr/bin',
  '/bin',
  '/usr/sbin',
  '/sbin',
  '/usr/local/bin',
];

/** Why this machine has no sandbox: missing programs, or a processor without a system call filter. */
export type HostLack =
  | { readonly kind: 'ProgramsMissing'; readonly programs: readonly string[] }
  | { readonly kind: 'UnknownArchitecture'; readonly architecture: string };

export async function observeHost(programDirectories: readonly string[]): Promise<Result<SandboxHost, HostLack>> {
  const architecture = architectureOf(process.arch);
  if (architecture === undefined) return err({ kind: 'UnknownArchitecture', architecture: process.arch });
  const programs = await findPrograms(programDirectories);
  if (!programs.ok) return err({ kind: 'ProgramsMissing', programs: programs.error });
  const node = await realpath(process.execPath);
  const isSystemNode = node.startsWith('/usr/');
  const python = await findProgram('python3', ['/usr/bin', '/usr/local/bin']);
  return ok({
    programs: programs.value,
    system: await systemParts(),
    interpreters: {
      bash: programs.value.bash,
      javascript: isSystemNode ? node : FOREIGN_NODE_PATH,
      ...(python === undefined ? {} : { python }),
    },
    ...(isSystemNode ? {} : { nodeSource: node }),
    maskedPaths: await existing(hostTellingPaths),
    cgroups: cgroupPlaces(
      await readFile('/proc/self/mountinfo', 'utf8'),
      await readFile('/proc/self/cgroup', 'utf8').catch(() => ''),
    ),
    architecture,
    isRoot: process.getuid?.() === 0,
  });
}

function architectureOf(name: string): Architecture | undefined {
  return name === 'x64' || name === 'arm64' ? name : undefined;
}

async function findPrograms(directories: readonly string[]): Promise<Result<Programs, readonly string[]>> {
  const missing: string[] = [];
  const find = async (name: string): Promise<string> => {
    const path = await findProgram(name, directories);
    if (path === undefined) missing.push(name);
    return path ?? '';
  };
  const programs: Programs = {
    bwrap: await find('bwrap'),
    bash: await find('bash'),
    du: await find('du'),
    find: await find('find'),
    mkfifo: await find('mkfifo'),
    mount: await find('mount'),
    prlimit: await find('prlimit'),
    setpriv: await find('setpriv'),
    unshare: await find('unshare'),
  };
  return missing.length > 0 ? err(missing) : ok(programs);
}

async function findProgram(name: string, directories: readonly string[]): Promise<string | undefined> {
  for (const directory of directories) {
    const path = join(directory, name);
    const isProgram = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return path;
  }
  return undefined;
}

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
  return paths.filter((_, index) => found[index] !== undefined);
}

/** Programs and libraries, and the parts of /etc that locate them. */
const systemPaths = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/etc/ld.so.cache',
  '/etc/alternatives',
] as const;

async function systemParts(): Promise<readonly SystemPart[]> {
  const parts: SystemPart[] = [];
  for (const path of systemPaths) {
    const facts = await lstat(path).catch(() => undefined);
    if (facts?.isSymbolicLink() === true) parts.push({ kind: 'symlink', path, target: await readlink(path) });
    else if (facts !== undefined) parts.push({ kind: 'bind', path });
  }
  return parts;
}
