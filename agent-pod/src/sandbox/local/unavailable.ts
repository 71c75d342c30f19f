/** Turns a fault of this machine into a reason and a command that fixes it. Pure. */
import type { SandboxUnavailable } from '../../ports/ports.ts';
import type { HostLack } from './sandbox-host.ts';

/** Facts about the machine, as texts of files; empty if a file does not exist. */
export interface MachineFacts {
  /** `/etc/os-release` */
  readonly osRelease: string;
  readonly isRoot: boolean;
  /** `/proc/sys/kernel/unprivileged_userns_clone` */
  readonly usernsClone: string;
  /** `/proc/sys/user/max_user_namespaces` */
  readonly maxUserNamespaces: string;
  /** `/proc/sys/kernel/apparmor_restrict_unprivileged_userns` */
  readonly apparmorRestriction: string;
}

/** By the `ID` and `ID_LIKE` of os-release; first match wins. */
const installCommands: readonly (readonly [distribution: string, command: string])[] = [
  ['debian', 'apt-get install -y bubblewrap util-linux'],
  ['ubuntu', 'apt-get install -y bubblewrap util-linux'],
  ['fedora', 'dnf install -y bubblewrap util-linux'],
  ['rhel', 'dnf install -y bubblewrap util-linux'],
  ['arch', 'pacman -S --needed bubblewrap util-linux'],
  ['suse', 'zypper install -y bubblewrap util-linux'],
  ['opensuse', 'zypper install -y bubblewrap util-linux'],
  ['alpine', 'apk add bubblewrap util-linux setpriv bash coreutils findutils'],
];

export function installCommand(facts: Pick<MachineFacts, 'osRelease' | 'isRoot'>): string {
  const ids = [...facts.osRelease.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(
    ([, value]) => value?.split(' ') ?? [],
  );
  const command = installCommands.find(([distribution]) => ids.includes(distribution))?.[1];
  if (command === undefined) return 'install the packages bubblewrap (0.7 or newer) and util-linux';
  return facts.isRoot ? command : `sudo ${command}`;
}

export function hostUnavailable(lack: HostLack, facts: MachineFacts): SandboxUnavailable {
  switch (lack.kind) {
    case 'ProgramsMissing':
      return { reason: `no isolating sandbox: ${lack.programs.join(', ')} not found`, fix: installCommand(facts) };
    case 'UnknownArchitecture':
      return {
        reason: `no system call filter for ${lack.architecture} processors`,
        fix: 'run the agent on x86-64 or arm64',
      };
  }
}

interface NamespaceHint {
  readonly applies: (facts: MachineFacts) => boolean;
  readonly setting: string;
}

/** Kernel settings that stop ordinary users, and so bubblewrap, from creating namespaces. */
const namespaceHints: readonly NamespaceHint[] = [
  { applies: (facts) => facts.usernsClone.trim() === '0', setting: 'kernel.unprivileged_userns_clone=1' },
  { applies: (facts) => facts.maxUserNamespaces.trim() === '0', setting: 'user.max_user_namespaces=15000' },
  {
    applies: (facts) => facts.apparmorRestriction.trim() === '1',
    setting: 'kernel.apparmor_restrict_unprivileged_userns=0',
  },
];

const containerFix =
  'run the agent outside of a container, or in one that may make user namespaces and mounts ' +
  '(for a container engine: a seccomp profile that allows them, and an unmasked /proc)';

/** @param detail  one line from bubblewrap or the self-test */
export function isolationUnavailable(detail: string, facts: MachineFacts): SandboxUnavailable {
  const settings = namespaceHints.filter((hint) => hint.applies(facts)).map((hint) => hint.setting);
  const prefix = facts.isRoot ? '' : 'sudo ';
  return {
    reason: `bubblewrap does not isolate here: ${detail}`,
    fix: settings.length > 0 ? `${prefix}sysctl -w ${settings.join(' ')}` : containerFix,
  };
}

/** The first version with `--size` for memory file systems. */
const versionMin = { major: 0, minor: 7 } as const;

/** Undefined when the version suffices. */
export function versionUnavailable(versionText: string, facts: MachineFacts): SandboxUnavailable | undefined {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(versionText) ?? [];
  const isEnough =
    Number(major) > versionMin.major || (Number(major) === versionMin.major && Number(minor) >= versionMin.minor);
  if (isEnough) return undefined;
  return {
    reason: `${versionText.trim() || 'bubblewrap'} is too old: 0.7 or newer is needed`,
    fix: `upgrade bubblewrap: ${installCommand(facts)}`,
  };
}
