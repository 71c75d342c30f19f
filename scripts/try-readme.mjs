/**
 * `npm run try:readme`: does what the section "On a cluster" of README.md says, as a new user would: in a fresh clone, with empty
 * caches, with nothing but its commands. Prints each command, what it answered, and how long it took. `npm run nightly` calls it.
 *
 * Needs Linux, root and Go, and that no cluster of test/cluster runs: it starts one and ends it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const scratch = mkdtempSync(join(tmpdir(), 'retainer-readme-'));
const clone = join(scratch, 'retainer');
const bin = join(scratch, 'bin');
const home = join(scratch, 'home');

/** The commands of the section's first block, without their comments. */
function commandsOf(readme) {
  const [, section = ''] = readme.split('\n## On a cluster\n');
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(section) ?? [];
  const commands = block.split('\n').map((line) => line.replace(/\s{2,}#.*$/, '').trim());
  return commands.filter((line) => line !== '');
}

/** One shell for all, since one exports what the next needs; it stops at the first that fails. */
function scriptOf(commands) {
  const steps = commands.map(
    (command) =>
      `printf '\\n$ %s\\n' ${quoted(command)}; began=$SECONDS; ${command}; echo "[$((SECONDS - began)) s]" >&2`,
  );
  return ['set -euo pipefail', ...steps].join('\n');
}

function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The status fails where there never was a cluster. */
function isRunning() {
  const { stdout } = spawnSync(join(clone, 'test/cluster/cluster'), ['status'], { encoding: 'utf8' });
  return / running$/m.test(stdout);
}

function remove() {
  for (const program of ['cluster', 'engine'])
    spawnSync(join(clone, 'test/cluster', program), ['down'], { stdio: 'ignore' });
  rmSync(scratch, { recursive: true, force: true });
}

execFileSync('git', ['clone', '--quiet', process.cwd(), clone]);
if (isRunning()) {
  rmSync(scratch, { recursive: true });
  throw new Error('a cluster runs: end it first with test/cluster/cluster down');
}
for (const directory of [bin, home]) mkdirSync(directory);
// What `dev:cluster` tells those to do who have no kubectl.
writeFileSync(join(bin, 'kubectl'), `#!/bin/sh\nexec ${clone}/test/cluster/cluster kubectl "$@"\n`);
chmodSync(join(bin, 'kubectl'), 0o755);
const { PATH, GOPROXY, GOSUMDB, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, npm_config_registry: registry } = process.env;
const env = {
  ...Object.fromEntries(
    Object.entries({ GOPROXY, GOSUMDB, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE }).filter(([, it]) => it),
  ),
  ...(registry === undefined ? {} : { npm_config_registry: registry }),
  PATH: `${bin}:${PATH}`,
  HOME: home,
  // Else its files are read-only, and nobody can remove them.
  GOFLAGS: '-modcacherw',
};
try {
  const commands = commandsOf(readFileSync(join(clone, 'README.md'), 'utf8'));
  const { status } = spawnSync('bash', ['-c', scriptOf(commands)], {
    cwd: clone,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0 || commands.length === 0) throw new Error('the commands of README.md do not work');
  process.stdout.write(`\n${commands.length} commands of README.md worked, from empty caches.\n`);
} finally {
  remove();
}
