/**
 * The chain of programs from the agent to the script. Each step drops some rights before the next begins. Pure.
 *
 * bash (closes stray descriptors, enters the control groups) → as root: unshare and mount (stage paths for the unprivileged
 * user) → setpriv (drops root, privileges and the right to gain them) → bwrap → prlimit → interpreter. Every step execs the
 * next, so the process that the agent started becomes bubblewrap.
 */
import { descriptors, SANDBOX_UID } from './bubblewrap-arguments.ts';

/** Absolute paths on the host. */
export interface Programs {
  readonly bash: string;
  readonly bwrap: string;
  readonly du: string;
  readonly find: string;
  readonly mkfifo: string;
  readonly mount: string;
  readonly prlimit: string;
  readonly setpriv: string;
  readonly unshare: string;
}

/** A host path that root shows to the unprivileged user, whatever the permissions of its parent directories. */
export interface Staged {
  readonly source: string;
  readonly name: string;
}

export interface Launch {
  readonly programs: Pick<Programs, 'bash' | 'bwrap' | 'mount' | 'setpriv' | 'unshare'>;
  /** Files below the control groups that take a process id. */
  readonly cgroupEntries: readonly string[];
  /** Only when the agent is root. */
  readonly staging?: { readonly directory: string; readonly staged: readonly Staged[] };
  /** `bwrap` arguments with the command inside. */
  readonly bubblewrap: readonly string[];
}

const lastDescriptor = Math.max(...Object.values(descriptors));

/** Closes all other descriptors: one that the agent inherited by accident would be a hole in the sandbox. */
const enterScript = `
for entry in /proc/self/fd/*; do
  number=\${entry##*/}
  if [ "$number" -gt ${String(lastDescriptor)} ]; then eval "exec $number>&-"; fi
done
while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done
shift
exec "$@"`;

/** Runs in a mount namespace of its own, so the host sees none of these mounts and they end with it. */
const stageScript = `
set -e
mount=$1 directory=$2
shift 2
"$mount" -t tmpfs -o mode=0755,size=1m,nosuid,nodev sandbox "$directory"
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir "$directory/$2"; else : > "$directory/$2"; fi
  "$mount" --no-canonicalize --bind "$1" "$directory/$2"
  shift 2
done
shift
exec "$@"`;

export function launchCommand(launch: Launch): { readonly file: string; readonly args: readonly string[] } {
  const { programs, staging } = launch;
  const stage =
    staging === undefined
      ? []
      : [
          ...[programs.unshare, '--mount', '--propagation', 'private', '--', programs.bash, '-c', stageScript, 'stage'],
          ...[
            programs.mount,
            staging.directory,
            ...staging.staged.flatMap((entry) => [entry.source, entry.name]),
            '--',
          ],
        ];
  const dropRoot =
    staging === undefined
      ? []
      : [
          `--reuid=${String(SANDBOX_UID)}`,
          `--regid=${String(SANDBOX_UID)}`,
          '--clear-groups',
          '--bounding-set=-all',
          '--inh-caps=-all',
        ];
  return {
    file: programs.bash,
    args: [
      ...['-c', enterScript, 'enter', ...launch.cgroupEntries, '--'],
      ...stage,
      ...[programs.setpriv, ...dropRoot, '--no-new-privs', '--', programs.bwrap],
      ...launch.bubblewrap,
    ],
  };
}

/** Present on every system and empty on most. */
const stagingCandidates = ['/mnt', '/media', '/srv', '/run', '/opt'] as const;

/** A directory that a mount can cover without hiding a source; undefined if there is none. */
export function stagingDirectory(sources: readonly string[]): string | undefined {
  return stagingCandidates.find(
    (candidate) => !sources.some((source) => source === candidate || source.startsWith(`${candidate}/`)),
  );
}
