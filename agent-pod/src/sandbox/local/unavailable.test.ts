import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { hostUnavailable, installCommand, isolationUnavailable, versionUnavailable } from './unavailable.ts';
import type { MachineFacts } from './unavailable.ts';

const machine: MachineFacts = {
  osRelease: 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n',
  isRoot: true,
  usernsClone: '',
  maxUserNamespaces: '96365\n',
  apparmorRestriction: '',
};

describe('installCommand', () => {
  it.each([
    { osRelease: 'ID=debian', command: 'apt-get install -y bubblewrap util-linux' },
    {
      osRelease: 'NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"',
      command: 'apt-get install -y bubblewrap util-linux',
    },
    { osRelease: 'ID=fedora', command: 'dnf install -y bubblewrap util-linux' },
    { osRelease: 'ID="rocky"\nID_LIKE="rhel centos fedora"', command: 'dnf install -y bubblewrap util-linux' },
    { osRelease: 'ID=arch', command: 'pacman -S --needed bubblewrap util-linux' },
    { osRelease: 'ID="opensuse-leap"\nID_LIKE="suse opensuse"', command: 'zypper install -y bubblewrap util-linux' },
    { osRelease: '', command: 'install the packages bubblewrap (0.7 or newer) and util-linux' },
  ])('for $osRelease', ({ osRelease, command }) => {
    expect(installCommand({ osRelease, isRoot: true })).toBe(command);
  });

  it('asks an ordinary user to become root', () => {
    expect(installCommand({ ...machine, isRoot: false })).toBe('sudo apt-get install -y bubblewrap util-linux');
  });
});

describe('why there is no sandbox', () => {
  verifies('sandbox:never-unisolated', 'names the missing program and what to type', () => {
    expect(hostUnavailable({ kind: 'ProgramsMissing', programs: ['bwrap'] }, machine)).toEqual({
      reason: 'no isolating sandbox: bwrap not found',
      fix: 'apt-get install -y bubblewrap util-linux',
    });
  });

  it.each([
    { name: 'a closed switch', facts: { usernsClone: '0\n' }, fix: 'sysctl -w kernel.unprivileged_userns_clone=1' },
    {
      name: 'no namespaces allowed',
      facts: { maxUserNamespaces: '0\n' },
      fix: 'sysctl -w user.max_user_namespaces=15000',
    },
    {
      name: 'AppArmor',
      facts: { apparmorRestriction: '1\n' },
      fix: 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
    },
  ])('names the setting behind $name', ({ facts, fix }) => {
    expect(isolationUnavailable('setting up uid map: Permission denied', { ...machine, ...facts })).toEqual({
      reason: 'bubblewrap does not isolate here: setting up uid map: Permission denied',
      fix,
    });
  });

  it('suspects a container where no setting is to blame', () => {
    expect(isolationUnavailable('x', machine).fix).toContain('outside of a container');
  });

  it.each([
    { version: 'bubblewrap 0.8.0', isEnough: true },
    { version: 'bubblewrap 0.11.0', isEnough: true },
    { version: 'bubblewrap 1.0', isEnough: true },
    { version: 'bubblewrap 0.6.1', isEnough: false },
    { version: 'nonsense', isEnough: false },
  ])('judges $version', ({ version, isEnough }) => {
    expect(versionUnavailable(version, machine) === undefined).toBe(isEnough);
  });
});
