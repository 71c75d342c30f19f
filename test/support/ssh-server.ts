/** A real sshd on the loopback interface, for the user of the test: Debian's package openssh-server. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

const SSHD = '/usr/sbin/sshd';
/** Where sshd separates its privileges; a package makes it at the start of the machine. */
const SEPARATION = '/run/sshd';

export interface SshServer {
  /** `ssh://USER@127.0.0.1:PORT`, before an absolute path. */
  readonly url: string;
  /** Of whom it lets in. */
  readonly privateKey: string;
  /** The server comes back with another key of its own. */
  changeKey(): Promise<void>;
  close(): Promise<void>;
}

/** @returns undefined where one can be started */
export function whyNoSshServer(): string | undefined {
  if (process.getuid?.() !== 0) return 'sshd is started by root';
  return existsSync(SSHD) ? undefined : 'needs the package openssh-server';
}

/** @param directory  new */
export async function startSshServer(directory: string): Promise<SshServer> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  mkdirSync(SEPARATION, { recursive: true, mode: 0o755 });
  const port = await freePort();
  const path = (name: string): string => join(directory, name);
  makeKey(path('user'));
  makeKey(path('host'));
  const settings = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${path('host')}`,
    `AuthorizedKeysFile ${path('user.pub')}`,
    ...[
      'PidFile none',
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'PermitRootLogin prohibit-password',
    ],
  ];
  writeFileSync(path('config'), `${settings.join('\n')}\n`);
  let server = await started(path('config'));
  return {
    url: `ssh://${userInfo().username}@127.0.0.1:${port}`,
    privateKey: readFileSync(path('user'), 'utf8'),
    changeKey: async () => {
      await ended(server);
      makeKey(path('host'));
      server = await started(path('config'));
    },
    close: () => ended(server),
  };
}

function makeKey(file: string): void {
  for (const each of [file, `${file}.pub`]) rmSync(each, { force: true });
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', file]);
}

function started(config: string): Promise<ChildProcess> {
  const server = spawn(SSHD, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    let said = '';
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('Server listening on')) resolve(server);
    });
    server.once('exit', (code) => reject(new Error(`sshd ended with ${code}: ${said}`)));
  });
}

function ended(server: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    server.once('exit', () => resolve());
    server.kill();
  });
}
