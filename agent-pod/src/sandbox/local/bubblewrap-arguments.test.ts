import { describe, expect, it } from 'vitest';
import { bubblewrapArguments, interpreterCommand, processLimitArguments } from './bubblewrap-arguments.ts';
import type { SandboxView } from './bubblewrap-arguments.ts';
import { launchCommand, stagingDirectory } from './launch-command.ts';

const megabyte = 1024 * 1024;
const view: SandboxView = {
  language: 'python',
  system: [
    { kind: 'bind', path: '/usr' },
    { kind: 'symlink', path: '/bin', target: 'usr/bin' },
  ],
  workspaceSource: '/mnt/workspace',
  workspaceBinds: [
    { path: '', access: 'read-write' },
    { path: 'data', access: 'read-only' },
  ],
  memoryBytes: 512 * megabyte,
  maskedPaths: ['/proc/keys'],
};
const limits = { timeoutMs: 1500, memoryBytes: 512 * megabyte, processes: 64, outputBytes: 1, fileBytes: 9 };
const programs = {
  bash: '/b/bash',
  bwrap: '/b/bwrap',
  mount: '/b/mount',
  setpriv: '/b/setpriv',
  unshare: '/b/unshare',
};

describe('bubblewrapArguments', () => {
  it('describes the whole sandbox', () => {
    expect(bubblewrapArguments(view).join(' ').replaceAll(' --', '\n--')).toMatchInlineSnapshot(`
      "--unshare-all
      --die-with-parent
      --new-session
      --uid 65533
      --gid 65533
      --hostname sandbox
      --cap-drop ALL
      --seccomp 3
      --json-status-fd 4
      --clearenv
      --setenv PATH /usr/local/bin:/usr/bin:/bin
      --setenv HOME /tmp
      --setenv TMPDIR /tmp
      --setenv LANG C.UTF-8
      --setenv PYTHONDONTWRITEBYTECODE 1
      --setenv PYTHONNOUSERSITE 1
      --setenv GIT_CONFIG_SYSTEM /dev/null
      --setenv GIT_CONFIG_GLOBAL /dev/null
      --setenv GIT_CONFIG_COUNT 4
      --setenv GIT_CONFIG_KEY_0 core.hooksPath
      --setenv GIT_CONFIG_VALUE_0 /dev/null
      --setenv GIT_CONFIG_KEY_1 core.fsmonitor
      --setenv GIT_CONFIG_VALUE_1 false
      --setenv GIT_CONFIG_KEY_2 core.pager
      --setenv GIT_CONFIG_VALUE_2 cat
      --setenv GIT_CONFIG_KEY_3 core.editor
      --setenv GIT_CONFIG_VALUE_3 true
      --setenv npm_config_ignore_scripts true
      --setenv npm_config_globalconfig /dev/null
      --ro-bind /usr /usr
      --symlink usr/bin /bin
      --perms 0444
      --ro-bind-data 6 /etc/passwd
      --perms 0444
      --ro-bind-data 7 /etc/group
      --perms 0444
      --ro-bind-data 8 /etc/nsswitch.conf
      --perms 0444
      --ro-bind-data 9 /etc/hosts
      --proc /proc
      --dev /dev
      --size 67108864
      --tmpfs /dev/shm
      --size 268435456
      --tmpfs /tmp
      --symlink ../tmp /var/tmp
      --perms 0444
      --ro-bind-data 5 /script/main.py
      --perms 0444
      --ro-bind-data 10 /script/stdin
      --symlink /workspace/node_modules /script/node_modules
      --ro-bind /dev/null /proc/keys
      --bind /mnt/workspace /workspace
      --ro-bind /mnt/workspace/data /workspace/data
      --remount-ro /dev
      --remount-ro /
      --chdir /workspace
      --"
    `);
  });

  it('shows a foreign Node first in the path', () => {
    const args = bubblewrapArguments({ ...view, nodeSource: '/home/me/node' }).join(' ');
    expect(args).toContain('--ro-bind /home/me/node /opt/node/bin/node');
    expect(args).toContain('--setenv PATH /opt/node/bin:/usr/local/bin:/usr/bin:/bin');
  });

  it.each([
    { memoryBytes: 64 * megabyte, tmp: 32 * megabyte, shm: 16 * megabyte },
    { memoryBytes: 4096 * megabyte, tmp: 256 * megabyte, shm: 64 * megabyte },
  ])('keeps scratch files within $memoryBytes bytes of memory', ({ memoryBytes, tmp, shm }) => {
    const args = bubblewrapArguments({ ...view, memoryBytes }).join(' ');
    expect(args).toContain(`--size ${String(tmp)} --tmpfs /tmp`);
    expect(args).toContain(`--size ${String(shm)} --tmpfs /dev/shm`);
  });

  it('makes the root read-only after everything else was made', () => {
    const args = bubblewrapArguments(view);
    expect(args.slice(-7)).toEqual(['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/workspace', '--']);
  });
});

describe('processLimitArguments', () => {
  it.each([
    { name: 'everything is grouped', grouped: true, extra: [] },
    {
      name: 'nothing is grouped',
      grouped: false,
      extra: ['--nproc=64', `--data=${String(512 * megabyte)}`, '--cpu=3:4'],
    },
  ])('when $name', ({ grouped, extra }) => {
    const args = processLimitArguments({
      limits,
      isMemoryGrouped: grouped,
      areProcessesGrouped: grouped,
      isCpuGrouped: grouped,
    });
    expect(args).toEqual(['--core=0', '--fsize=9', '--nofile=1024', '--msgqueue=65536', ...extra, '--']);
  });
});

describe('interpreterCommand', () => {
  const interpreters = { bash: '/usr/bin/bash', javascript: '/usr/bin/node' };

  it.each([
    { language: 'bash', command: ['/usr/bin/bash', '--noprofile', '--norc', '/script/main.sh'] },
    { language: 'javascript', command: ['/usr/bin/node', '--max-old-space-size=416', '/script/main.js'] },
    { language: 'python', command: undefined },
  ] as const)('for $language', ({ language, command }) => {
    expect(interpreterCommand(language, interpreters, 512 * megabyte)).toEqual(command);
  });
});

describe('launchCommand', () => {
  const enter = ['-c', expect.stringContaining('exec "$@"'), 'enter'];

  it('as root: groups, staging, then no right is left', () => {
    const staging = { directory: '/mnt', staged: [{ source: '/root/w', name: 'workspace' }] };
    const command = launchCommand({ programs, cgroupEntries: ['/cg/cgroup.procs'], staging, bubblewrap: ['--x'] });
    expect(command).toEqual({
      file: '/b/bash',
      args: [
        ...[...enter, '/cg/cgroup.procs', '--'],
        ...[
          '/b/unshare',
          '--mount',
          '--propagation',
          'private',
          '--',
          '/b/bash',
          '-c',
          expect.stringContaining('--bind'),
          'stage',
        ],
        ...['/b/mount', '/mnt', '/root/w', 'workspace', '--'],
        ...[
          '/b/setpriv',
          '--reuid=65533',
          '--regid=65533',
          '--clear-groups',
          '--bounding-set=-all',
          '--inh-caps=-all',
          '--no-new-privs',
          '--',
        ],
        ...['/b/bwrap', '--x'],
      ],
    });
  });

  it('as an ordinary user: bubblewrap at once, and no new privileges', () => {
    const command = launchCommand({ programs, cgroupEntries: [], bubblewrap: ['--x'] });
    expect(command.args).toEqual([...enter, '--', '/b/setpriv', '--no-new-privs', '--', '/b/bwrap', '--x']);
  });
});

describe('stagingDirectory', () => {
  it.each([
    { sources: ['/root/w'], directory: '/mnt' },
    { sources: ['/mnt/disk/w', '/media/n'], directory: '/srv' },
    { sources: ['/mnt'], directory: '/media' },
    { sources: ['/mnt/a', '/media/a', '/srv/a', '/run/a', '/opt/a'], directory: undefined },
  ])('hides none of $sources', ({ sources, directory }) => {
    expect(stagingDirectory(sources)).toBe(directory);
  });
});
