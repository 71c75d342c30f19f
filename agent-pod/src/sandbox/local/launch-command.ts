/**
 * The chain of programs from the agent to the script: each step gives up something before the next begins. Pure.
 *
 * bash (closes stray descriptors, enters the control groups) → as root: unshare and mount (shows the unprivileged user
 * what it may see) → setpriv (gives up root, privileges and the right to gain them) → bwrap → prlimit → interpreter.
 * Every step replaces the one before, so the process that the agent started is bubblewrap in the end.
 */
import { descriptors, SANDBOX_UID } from './bubblewrap-arguments.ts';

/** Absolute paths on the host. */
export interface Programs {
  readonly bash: string;
  readonly bwrap: string;
  readonly chown: string;
  readonly du: string;
  readonly find: string;
  readonly mkfifo: string;
  readonly mount: string;
  readonly prlimit: string;
  readonly setpriv: string;
  readonly unshare: string;
}

/** A host path that root shows to the unprivileged user, whatever directories lie above it. */
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

/** A descriptor that the agent inherited by accident would be a hole in the sandbox, so all others are closed. */
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

/** The program to start and its arguments. */
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

/** Empty on most systems and always there; never where one of the sources lies. */
const stagingCandidates = ['/mnt', '/media', '/srv', '/run', '/opt'] as const;

/** A directory that can be covered without hiding any source; undefined when every candidate would. */
export function stagingDirectory(sources: readonly string[]): string | undefined {
  return stagingCandidates.find(
    (candidate) => !sources.some((source) => source === candidate || source.startsWith(`${candidate}/`)),
  );
}
