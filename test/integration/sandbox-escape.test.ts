/**
 * Row 23 of the goal table, the part of getting out: files, processes, privileges and mounts of the host, and paths of
 * the workspace that are to stay as they are. Every attempt runs in a real sandbox, and what counts is the host afterwards.
 */
import { programEnvironment } from '@retainer/contract/wire/program-start';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BYPASSES } from '../support/bypass-corpus.ts';
import { verifies } from '../verifies.ts';
import { canary, openFixture, type Fixture } from './sandbox-fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

/** Runs a Bash script and gives what it printed; `[refused]` in place of the output of a command that failed. */
async function bash(script: string): Promise<string> {
  const result = await fixture.run('bash', script);
  expect(result.end, result.reason).toBe('Exited');
  return result.stdout;
}

describe('files of the host', () => {
  const hidden = [
    '/etc/shadow',
    '/root',
    '/home',
    '/var/log',
    '/var/lib',
    '/run',
    '/sys',
    '/boot',
    '/mnt',
    '/media',
    '/srv',
    '/opt',
    '/dev/mem',
    '/dev/kmsg',
  ];

  verifies('sandbox:sees-nothing-outside', `has none of ${hidden.join(' ')}`, async () => {
    expect(await bash(`for path in ${hidden.join(' ')}; do [ -e "$path" ] && echo "$path"; done; true`)).toBe('');
  });

  verifies('sandbox:sees-nothing-outside', 'shows only what it was given at the root', async () => {
    const root = (await bash('ls -A /')).trim().split('\n');
    const given = new Set([
      'bin',
      'dev',
      'etc',
      'lib',
      'lib32',
      'lib64',
      'proc',
      'sbin',
      'script',
      'tmp',
      'usr',
      'var',
      'workspace',
    ]);
    expect(root.filter((name) => !given.has(name))).toEqual([]);
    const etc = (await bash('ls -A /etc')).trim().split('\n');
    expect(
      etc.filter(
        (name) => !['alternatives', 'group', 'hosts', 'ld.so.cache', 'nsswitch.conf', 'passwd'].includes(name),
      ),
    ).toEqual([]);
  });

  verifies(
    'sandbox:sees-nothing-outside',
    'does not see a readable file beside the workspace, by any way around',
    async () => {
      const secret = join(fixture.outside, 'secret.txt');
      await symlink(secret, join(fixture.workspace, 'link'));
      await symlink(fixture.outside, join(fixture.workspace, 'directory-link'));
      const output = await bash(`
for path in ${secret} link directory-link/secret.txt ../outside/secret.txt /workspace/../outside/secret.txt \\
  /proc/1/root${secret} /proc/1/cwd/../outside/secret.txt /proc/self/root${secret} /proc/self/cwd/../../outside/secret.txt; do cat "$path"; done
for fd in /proc/self/fd/* /proc/1/fd/*; do cat "$fd/../outside/secret.txt" "$fd${secret}"; done
find / -xdev -name secret.txt; true`);
      expect(output).not.toContain(canary);
      expect(output).not.toContain('secret.txt');
      expect(await readFile(join(fixture.workspace, 'link'), 'utf8')).toBe(canary);
      for (const name of ['link', 'directory-link']) await rm(join(fixture.workspace, name));
    },
  );

  verifies('sandbox:changes-nothing-outside', 'cannot write what everybody may write, nor the system', async () => {
    const before = await stat(fixture.outside);
    const system = [
      '/usr/x',
      '/usr/bin/x',
      '/usr/bin/env',
      '/etc/passwd',
      '/etc/ld.so.preload',
      '/x',
      '/bin/x',
      '/dev/x',
      '/dev/pts/x',
      '/script/main.sh',
      '/proc/sys/kernel/core_pattern',
      '/proc/sysrq-trigger',
    ];
    const output = await bash(`
for path in ${fixture.outside}/new ../outside/new ${system.join(' ')}; do (echo x > "$path") 2>/dev/null && echo "wrote $path"; done
for path in /usr/bin/env /etc/passwd; do (rm -f "$path" || chmod 777 "$path" || mv "$path" /tmp/) 2>/dev/null && echo "changed $path"; done; true`);
    expect(output).toBe('');
    expect(await readdir(fixture.outside)).toEqual(['secret.txt']);
    expect((await stat(fixture.outside)).mtimeMs).toBe(before.mtimeMs);
  });

  verifies(
    'sandbox:changes-nothing-outside',
    'makes no device, no set-user-id file, no hard link to the system',
    async () => {
      const output = await bash(`
mknod sda b 8 0 && echo device
mknod mem c 1 1 && echo device
cp /usr/bin/bash shell && chmod u+s shell && echo setuid
chmod g+s shell && echo setgid
install -m 4755 /usr/bin/bash shell2 && echo setuid
ln /usr/bin/bash hard && echo link
ln /script/main.sh hard2 && echo link
rm -f shell shell2; true`);
      expect(output).toBe('');
      expect(await readdir(fixture.workspace)).toEqual([]);
    },
  );

  it('keeps files with strange names as they are', async () => {
    const names = ['-rf', ' ', 'a\nb', '\u001b[31m', '*', '$(reboot)', 'ü'.repeat(100)];
    const result = await fixture.run(
      'javascript',
      `for (const name of ${JSON.stringify(names)}) require('fs').writeFileSync(name, name)`,
    );
    expect(result.exitCode).toBe(0);
    expect((await readdir(fixture.workspace)).toSorted()).toEqual(names.toSorted());
    await bash('rm -rf -- ./* ./-rf');
    expect(await readdir(fixture.workspace)).toEqual([]);
  });

  it('lets the agent and the scripts change what the other wrote', async () => {
    await mkdir(join(fixture.workspace, 'shared'), { mode: 0o700 });
    await writeFile(join(fixture.workspace, 'shared', 'agent.txt'), 'agent', { mode: 0o600 });
    const result = await fixture.run(
      'bash',
      'cat shared/agent.txt; echo script > shared/agent.txt; umask 077; mkdir own; echo mine > own/file; rm shared/agent.txt',
    );
    expect(result).toMatchObject({ exitCode: 0, stdout: 'agent' });
    expect(await readFile(join(fixture.workspace, 'own', 'file'), 'utf8')).toBe('mine\n');
    await writeFile(join(fixture.workspace, 'own', 'file'), 'agent again');
    expect(await bash('cat own/file')).toBe('agent again');
    for (const name of ['shared', 'own']) await rm(join(fixture.workspace, name), { recursive: true });
  });
});

describe('processes of the host', () => {
  verifies(
    'sandbox:sees-nothing-outside',
    'shows no process but its own, and no environment of the agent',
    async () => {
      const output = await bash(
        'cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ /proc/[0-9]*/comm | tr "\\0" "\\n"; ls -d /proc/[0-9]* | wc -l; env',
      );
      expect(output).not.toContain(canary);
      const ownNames = (await readFile('/proc/self/environ', 'utf8'))
        .split('\0')
        .flatMap((entry) => entry.match(/^[A-Za-z_]+(?==)/) ?? []);
      const usual = new Set([
        'PATH',
        'HOME',
        'LANG',
        'TMPDIR',
        'PWD',
        'OLDPWD',
        'SHLVL',
        '_',
        ...Object.keys(programEnvironment({ tmpDirectory: '/tmp', path: '' })),
        'LC_ALL',
      ]);
      const secret = ownNames.filter((name) => !usual.has(name));
      expect(secret.length).toBeGreaterThan(0);
      expect(secret.filter((name) => output.includes(`${name}=`))).toEqual([]);
    },
  );

  verifies('sandbox:sees-nothing-outside', 'inherits no descriptor but the three it is given', async () => {
    const result = await fixture.run('bash', 'exec ls /proc/self/fd');
    // 3 is the directory that `ls` itself reads.
    expect(result.stdout).toBe('0\n1\n2\n3\n');
  });

  verifies(
    'sandbox:changes-nothing-outside',
    'signals nobody: not the agent, not a process of the same user',
    async () => {
      const ids = [process.pid, process.ppid, fixture.bystander.pid ?? 0].join(' ');
      const output = await bash(`
for id in ${ids}; do kill -9 "$id" 2>/dev/null && echo "killed $id"; kill -0 "$id" 2>/dev/null && echo "sees $id"; done
trap '' TERM HUP INT; kill -9 -1; kill -STOP 1; kill -9 1; echo alive`);
      expect(output).toBe('alive\n');
      expect(fixture.bystander.exitCode).toBeNull();
      expect(fixture.bystander.signalCode).toBeNull();
    },
  );

  verifies('sandbox:kernel-refuses', 'holds no capability and gains none', async () => {
    const output = await bash(`
grep -E '^(Uid|Gid|Groups|CapInh|CapPrm|CapEff|CapAmb|NoNewPrivs|Seccomp):' /proc/self/status | tr '\\t' ' '
for program in $(find /usr -xdev -perm -4000 -type f 2>/dev/null | head -20); do timeout -s KILL 0.2 "$program" </dev/null >/dev/null 2>&1; done
id -u`);
    const lines = new Map(
      output
        .trim()
        .split('\n')
        .map((line) => [line.split(':')[0] ?? '', line.slice(line.indexOf(':') + 1).trim()]),
    );
    for (const name of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) expect(lines.get(name)).toBe('0000000000000000');
    expect(lines.get('Uid')).toBe('65533 65533 65533 65533');
    expect(lines.get('NoNewPrivs')).toBe('1');
    expect(lines.get('Seccomp')).toBe('2');
    expect(output.trim().split('\n').at(-1)).toBe('65533');
  });
});

/** The raw calls are made by Python, and numbered for x86-64; the unit tests of the filter need neither. */
const canCallRaw = existsSync('/usr/bin/python3') && process.arch === 'x64';

describe('the kernel', () => {
  verifies('sandbox:kernel-refuses', 'mounts nothing and makes no namespace, by any program', async () => {
    const output = await bash(`
ok() { "$@" >/dev/null 2>&1 && echo "ok: $*"; }
ok mount -t tmpfs none /tmp; ok mount --bind /usr /workspace; ok mount -o remount,rw /usr; ok mount -o remount,rw /; ok umount /workspace; ok umount -l /proc
ok unshare -U true; ok unshare -r true; ok unshare -m true; ok unshare -n true; ok unshare -p -f true; ok unshare -C true
ok chroot / true; ok nsenter -t 1 -m true; ok bwrap --bind / / true; ok setpriv --reuid 0 true; ok pivot_root /tmp /tmp
ok dmesg; ok hostname other; ok date -s 2020-01-01; ok sysctl -w kernel.hostname=x; ok swapoff -a; ok ip link add x type dummy; true`);
    expect(output).toBe('');
  });
});

describe.skipIf(!canCallRaw)('the kernel, asked directly', () => {
  /** Numbers of x86-64; each would succeed or fail in another way without the filter. */
  const calls = [
    { name: 'ptrace', number: 101, args: [0, 0, 0, 0], errno: 'EPERM' },
    { name: 'keyctl', number: 250, args: [0, -3, 0, 0], errno: 'EPERM' },
    { name: 'add_key', number: 248, args: [0, 0, 0, 0], errno: 'EPERM' },
    { name: 'request_key', number: 249, args: [0, 0, 0, 0], errno: 'EPERM' },
    { name: 'bpf', number: 321, args: [0, 0, 0], errno: 'EPERM' },
    { name: 'perf_event_open', number: 298, args: [0, 0, 0, 0], errno: 'EPERM' },
    { name: 'userfaultfd', number: 323, args: [1], errno: 'EPERM' },
    { name: 'io_uring_setup', number: 425, args: [1, 0], errno: 'ENOSYS' },
    { name: 'memfd_create', number: 319, args: [0, 0], errno: 'ENOSYS' },
    { name: 'shmget', number: 29, args: [0, 4096, 0o1600], errno: 'ENOSYS' },
    { name: 'process_vm_readv', number: 310, args: [1, 0, 0, 0, 0], errno: 'EPERM' },
    { name: 'personality', number: 135, args: [0x40000], errno: 'EPERM' },
    { name: 'unshare a user namespace', number: 272, args: [0x10000000], errno: 'EPERM' },
    { name: 'clone a user namespace', number: 56, args: [0x10000011, 0, 0, 0, 0], errno: 'EPERM' },
    { name: 'clone3', number: 435, args: [0, 0], errno: 'ENOSYS' },
    { name: 'setns', number: 308, args: [0, 0], errno: 'EPERM' },
    { name: 'open_by_handle_at', number: 304, args: [0, 0, 0], errno: 'EPERM' },
    { name: 'fsopen', number: 430, args: [0, 0], errno: 'EPERM' },
    { name: 'kexec_load', number: 246, args: [0, 0, 0, 0], errno: 'EPERM' },
    { name: 'netlink socket', number: 41, args: [16, 3, 0], errno: 'EAFNOSUPPORT' },
    { name: 'packet socket', number: 41, args: [17, 3, 0], errno: 'EAFNOSUPPORT' },
    { name: 'vsock', number: 41, args: [40, 1, 0], errno: 'EAFNOSUPPORT' },
    { name: 'alg socket', number: 41, args: [38, 5, 0], errno: 'EAFNOSUPPORT' },
    { name: 'ping socket', number: 41, args: [2, 2, 1], errno: 'EPROTONOSUPPORT' },
    { name: 'fchmodat u+s', number: 268, args: [-100, 0, 0o4755], errno: 'EPERM' },
  ];

  verifies('sandbox:kernel-refuses', `answers ${String(calls.length)} raw system calls by the filter`, async () => {
    const script = `
import ctypes, errno, json
libc = ctypes.CDLL(None, use_errno=True)
answers = {}
for call in json.loads(${JSON.stringify(JSON.stringify(calls))}):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(call['number']), *[ctypes.c_long(value) for value in call['args']])
    answers[call['name']] = errno.errorcode.get(ctypes.get_errno(), 'none') if result == -1 else 'done'
print(json.dumps(answers))`;
    const result = await fixture.run('python', script);
    expect(JSON.parse(result.stdout)).toEqual(Object.fromEntries(calls.map(({ name, errno }) => [name, errno])));
  });

  verifies('sandbox:kernel-refuses', 'types into no terminal and reads no memory of another process', async () => {
    const script = `
import fcntl, os, pty
master, slave = pty.openpty()
for request in (0x5412, 0x541C):
    try:
        fcntl.ioctl(slave, request, b'x')
        print('typed')
    except OSError as error:
        print(error.errno)
for path in ('/proc/1/mem', '/dev/mem', '/proc/kcore', '/dev/tty'):
    try:
        os.pread(os.open(path, os.O_RDWR), 16, 4096)
        print('read', path)
    except OSError:
        pass`;
    const result = await fixture.run('python', script);
    expect(result.stdout).toBe('1\n1\n');
  });
});

describe('read-only paths', () => {
  const content = 'the one true row\n';
  const files = {
    'data/rows.csv': content,
    'nested/deep/rows.csv': content,
    'plain.txt': content,
    'notes.txt': 'free',
  } as const;
  const readOnlyPaths = ['data', 'nested/deep', 'plain.txt', 'not-there/yet'];

  beforeEach(async () => {
    await rm(fixture.workspace, { recursive: true });
    await mkdir(fixture.workspace);
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(fixture.workspace, path, '..'), { recursive: true });
      await writeFile(join(fixture.workspace, path), text);
    }
  });

  async function digest(): Promise<string> {
    const hash = createHash('sha256');
    for (const path of ['data', 'nested/deep', 'not-there/yet'])
      hash.update(JSON.stringify(await readdir(join(fixture.workspace, path)).catch(() => [])));
    for (const path of ['data/rows.csv', 'nested/deep/rows.csv', 'plain.txt'])
      hash.update(await readFile(join(fixture.workspace, path)));
    return hash.digest('hex');
  }

  /** $f is a protected file, $d its directory. The known bypasses first, then those of our own. */
  const tricks = [
    ...BYPASSES.map(({ script }) => script),
    'find $d -exec rm -rf {} +',
    'shred -u $f',
    'install -m 600 /dev/null $f',
    'rm -rf $d',
    'rmdir $d',
    'mv $d away; mkdir -p $d; echo forged > $f',
    'mv ${d%%/*} away; mkdir -p $d; echo forged > $f',
    'mv -T nested other; mkdir -p nested/deep; echo forged > nested/deep/rows.csv',
    'mv not-there other; mkdir -p not-there/yet; echo forged > not-there/yet/file',
    'echo forged > not-there/yet/file',
    'rm -rf not-there; mkdir -p not-there/yet; echo forged > not-there/yet/file',
    'ln -sfn /tmp $d; ln -sf /dev/null $f',
    'ln $f hard; echo x > hard',
    'ln -s $f soft; echo x > soft',
    'chmod 777 $d $f; echo x > $f',
    'chown 65533 $f; echo x > $f',
    'setfacl -m u::rwx $f',
    'touch $d/new',
    'mkdir $d/new',
    'mount --bind /tmp $d; mount -o remount,rw $d; umount $d; echo x > $f',
    'exec 7<$f; echo x > /proc/self/fd/7; echo x >&7',
    'cd $d; echo x > ../${f}; echo x > rows.csv; rm -f *',
    'echo x > /proc/self/cwd/$f; echo x > /proc/1/cwd/$f; echo x > /proc/1/root/workspace/$f',
    'patch -f $f /dev/null; printf "1d\\nw\\n" | ed $f; printf ":%%d\\n:wq\\n" | ex $f',
    'tar -C / -cf t.tar --transform "s,.*,workspace/$f," script; tar -C / -xf t.tar',
    '(sleep 0.05; echo x > $f) & wait',
    'cd /; rm -rf /workspace/data /workspace/nested /workspace/plain.txt',
  ];

  verifies(
    'sandbox:keeps-read-only-paths',
    `stay as they are under ${String(tricks.length)} tricks on three paths`,
    async () => {
      const before = await digest();
      const script = [
        'for f in data/rows.csv nested/deep/rows.csv plain.txt; do',
        '  d=$(dirname $f)',
        ...tricks.map((trick) => `  ( cd /workspace; ${trick}\n ) </dev/null >/dev/null 2>&1`),
        'done',
        'echo done; cat data/rows.csv nested/deep/rows.csv plain.txt',
      ].join('\n');
      // `.` is the directory of plain.txt and may be emptied, so every trick is tried on the workspace as well.
      const result = await fixture.run('bash', script, { readOnlyPaths, limits: { timeoutMs: 60_000 } });
      expect(result).toMatchObject({ end: 'Exited', stdout: `done\n${content.repeat(3)}` });
      expect(await digest()).toBe(before);
    },
  );

  it('the same tricks do work where nothing is protected', async () => {
    for (const trick of ['> $f', 'mv $d away; mkdir -p $d; echo forged > $f', 'sed -i s/true/false/ $f', 'rm -rf $d']) {
      await writeFile(join(fixture.workspace, 'data', 'rows.csv'), content).catch(() => undefined);
      await fixture.run('bash', `f=data/rows.csv; d=data; ${trick}`);
      expect(await readFile(join(fixture.workspace, 'data', 'rows.csv'), 'utf8').catch(() => 'gone'), trick).not.toBe(
        content,
      );
    }
  });

  verifies('sandbox:keeps-read-only-paths', 'may be the whole workspace', async () => {
    const result = await fixture.run('bash', 'echo x > new; echo x > notes.txt; rm -rf data; mkdir d; cat notes.txt', {
      readOnlyPaths: ['.'],
    });
    expect(result.stdout).toBe('free');
    expect((await readdir(fixture.workspace)).toSorted()).toEqual(['data', 'nested', 'notes.txt', 'plain.txt']);
  });

  it('leave the rest of the workspace and their own parents writable', async () => {
    const result = await fixture.run('bash', 'echo x > notes.txt && echo x > nested/beside && mkdir new', {
      readOnlyPaths,
    });
    expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  });

  it.each([
    { name: 'a path out of the workspace', path: '../outside' },
    { name: 'an absolute path', path: '/etc' },
    { name: 'a path through a link', path: 'link/file' },
  ])('refuse $name', async ({ path }) => {
    await symlink(fixture.outside, join(fixture.workspace, 'link'));
    await expect(fixture.run('bash', 'true', { readOnlyPaths: [path] })).rejects.toThrow(/read-only path/);
    expect(await readdir(fixture.outside)).toEqual(['secret.txt']);
  });
});

describe('a workspace', () => {
  verifies('sandbox:changes-nothing-outside', 'is refused where it would hand over more than itself', async () => {
    for (const workspace of ['/', '/usr', '/etc', '/etc/ssl', '/proc/self', fixture.base, join(fixture.base, 'none')]) {
      await expect(fixture.run('bash', 'true', { workspace }), workspace).rejects.toThrow(/^workspace /);
    }
    expect((await stat(fixture.base)).uid).toBe(process.getuid?.());
  });

  verifies('sandbox:changes-nothing-outside', 'is given to the scripts without following links out of it', async () => {
    await symlink(fixture.outside, join(fixture.workspace, 'way-out'));
    await symlink(join(fixture.outside, 'secret.txt'), join(fixture.workspace, 'file-out'));
    const before = await stat(join(fixture.outside, 'secret.txt'));
    await bash('true');
    expect((await stat(join(fixture.outside, 'secret.txt'))).uid).toBe(before.uid);
    expect((await stat(fixture.outside)).uid).toBe(process.getuid?.());
  });

  it('may share a file with the host by a hard link, which is then the same file', async () => {
    await link(join(fixture.outside, 'secret.txt'), join(fixture.workspace, 'shared'));
    expect(await bash('cat shared')).toBe(canary);
  });
});
