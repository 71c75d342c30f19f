/**
 * `npm run try:readme`: does what the section "On a cluster" of README.md says, as a new user would: in a fresh clone, with empty
 * caches, with nothing but its commands. Prints each command, what it answered, and how long it took. `npm run nightly` calls it.
 *
 * Needs Linux, root and Go, and that nothing is there of a cluster or an engine of test/cluster: it starts both and ends them.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { freshClone, typeAll } from './trial.mjs';

/** Where the programs of test/cluster keep what they hold, layers of images too. Each removes its own when it is told `down`. */
const STATES = { cluster: '/var/lib/retainer-cluster', engine: '/var/lib/retainer-engine' };

// One that runs would be used, and layers that are left would spare the build: neither is what a new user has.
for (const [program, state] of Object.entries(STATES)) {
  if (existsSync(state)) throw new Error(`${state} is there: end it first with test/cluster/${program} down`);
}

const { scratch, clone, commands } = freshClone('readme');
const bin = join(scratch, 'bin');
const home = join(scratch, 'home');
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
  await typeAll(commands, { cwd: clone, env });
  process.stdout.write(`\n${commands.length} commands of README.md worked, from empty caches.\n`);
} finally {
  for (const program of Object.keys(STATES))
    spawnSync(join(clone, 'test/cluster', program), ['down'], { env, stdio: 'ignore' });
  rmSync(scratch, { recursive: true, force: true });
}
