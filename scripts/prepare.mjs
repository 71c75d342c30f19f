/**
 * Prepares this machine for `npm start` and `npm test`. Plain Node, no dependency: it runs before install.
 *
 * I1  Every installation is announced by a line first.
 * I2  A failure ends in the exact command to type.
 * I3  A second run finds everything in place and installs nothing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Not `import.meta.dirname`: an old Node must get as far as the message about its version. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** `engines` of package.json: the oldest Node on which the linter, the tests and the program run. */
const nodeMinimum = [20, 19];

/** Programs of the system that Retainer calls, and the package that has each, by the same name on every distribution. */
const systemPrograms = [
  { command: 'bwrap', package: 'bubblewrap', why: 'isolates the code that an agent runs' },
  { command: 'flock', package: 'util-linux', why: 'keeps a second writer off a journal' },
];

/** First row whose `id` is among ID and ID_LIKE of /etc/os-release. */
const installers = [
  { id: 'debian', command: 'apt-get update && apt-get install -y' },
  { id: 'ubuntu', command: 'apt-get update && apt-get install -y' },
  { id: 'fedora', command: 'dnf install -y' },
  { id: 'rhel', command: 'dnf install -y' },
  { id: 'suse', command: 'zypper install -y' },
  { id: 'arch', command: 'pacman -S --noconfirm' },
  { id: 'alpine', command: 'apk add' },
];

/** Long enough for another package manager to end, seconds. */
const aptLockSeconds = 120;

export function say(line) {
  process.stderr.write(`retainer: ${line}\n`);
}

/** Says what is wrong and what to type, and ends the process. */
export function stop(problem, command) {
  say(problem);
  if (command !== undefined) process.stderr.write(`\n    ${command}\n\n`);
  process.exit(1);
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [majorMin = 0, minorMin = 0] = nodeMinimum;
  if (major > majorMin || (major === majorMin && minor >= minorMin)) return;
  stop(
    `this is Node ${process.versions.node}; Retainer needs Node ${nodeMinimum.join('.')} or newer: https://nodejs.org`,
  );
}

function packagesAreCurrent() {
  const installed = join(root, 'node_modules/.package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs;
}

function installPackages() {
  if (packagesAreCurrent()) return;
  say('installing the npm packages of package-lock.json …');
  const run = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root, encoding: 'utf8' });
  if (run.status === 0) return;
  process.stderr.write(`${run.stdout ?? ''}${run.stderr ?? ''}`);
  stop('npm could not install the packages; the lines above say why. To try it by hand:', 'npm ci');
}

function isOnPath(command) {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => existsSync(join(directory, command)));
}

function distribution() {
  if (!existsSync('/etc/os-release')) return [];
  const text = readFileSync('/etc/os-release', 'utf8');
  return [...text.matchAll(/^(?:ID|ID_LIKE)="?([^"\n]*)"?$/gm)].flatMap(([, ids]) => ids.split(' '));
}

/** apt tells progress on standard output and wants no answers. */
function aptInstall(packages) {
  const options = ['-q', '-y', '-o', `DPkg::Lock::Timeout=${aptLockSeconds}`];
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const steps = [
    ['update', ...options],
    ['install', '--no-install-recommends', ...options, ...packages],
  ];
  for (const step of steps) {
    const run = spawnSync('apt-get', step, { encoding: 'utf8', env: environment });
    if (run.status !== 0) {
      process.stderr.write(`${run.stdout ?? ''}${run.stderr ?? ''}`);
      return false;
    }
  }
  return true;
}

function installSystemPrograms() {
  const missing = systemPrograms.filter(({ command }) => !isOnPath(command));
  if (missing.length === 0) return;
  const names = missing.map((program) => `${program.package} (${program.why})`).join(' and ');
  if (process.platform !== 'linux')
    stop(`the sandbox that isolates an agent's code needs Linux: use a Linux machine, virtual machine or container.`);
  const ids = distribution();
  const installer = installers.find(({ id }) => ids.includes(id));
  const packages = missing.map((program) => program.package);
  const isRoot = process.getuid?.() === 0;
  if (isRoot && installer !== undefined && installer.command.startsWith('apt-get')) {
    say(`installing ${names} with apt-get …`);
    if (aptInstall(packages)) return;
  }
  const problem = `missing: ${names}. Nothing an agent writes is ever run unisolated, so install it and try again`;
  if (installer === undefined) stop(`${problem}, with this system's package manager.`);
  const command = `${installer.command} ${packages.join(' ')}`;
  stop(`${problem}:`, isRoot ? command : command.replaceAll(/(^|&& )/g, '$1sudo '));
}

/** Compiles what changed since the last build. */
export function build() {
  const run = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (run.status === 0) return;
  process.stderr.write(`${run.stdout ?? ''}${run.stderr ?? ''}`);
  stop('the build failed; the lines above say where.');
}

export function prepare() {
  checkNode();
  installPackages();
  installSystemPrograms();
}
