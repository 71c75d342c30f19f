/**
 * `npm run try:kind`: does what the section "On a cluster" of README.md says with `npm run dev:kind` instead of `dev:cluster`: in a fresh
 * clone and a cluster of kind of its own, which it deletes. Where Docker, kind or kubectl is missing, it says so and ends well.
 * `npm run nightly` calls it.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { freshClone, typeAll } from './trial.mjs';

const NAME = 'retainer-trial';
/** Where `dev:kind` keeps it, as it prints. */
const kubeconfig = join(homedir(), '.kube', `kind-${NAME}`);
const OF_OWN_CLUSTER = 'npm run dev:cluster';

/** What each program must answer. kind calls Docker, and people call kubectl. */
const NEEDED = [
  ['docker', 'info', '--format', '{{.ServerVersion}}'],
  ['kind', 'version'],
  ['kubectl', 'version', '--client'],
];

/** @returns {string | undefined}  why it cannot be tried here */
function missing() {
  for (const [program, ...args] of NEEDED) {
    const { error, status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    if (error !== undefined) return `there is no ${program} (${error.code})`;
    if (status !== 0) return `${program} ${args[0]} says: ${stderr.trim().split('\n').at(-1)}`;
  }
  return undefined;
}

function isThere() {
  const { stdout } = spawnSync('kind', ['get', 'clusters'], { encoding: 'utf8' });
  return stdout.split('\n').includes(NAME);
}

/** @returns {readonly string[]}  of README.md, for kind */
function forKind(commands) {
  if (!commands.includes(OF_OWN_CLUSTER)) throw new Error(`README.md does not say ${OF_OWN_CLUSTER} any more`);
  return commands.map((command) => {
    if (command === OF_OWN_CLUSTER) return 'npm run dev:kind';
    return command.startsWith('export KUBECONFIG=') ? `export KUBECONFIG=${kubeconfig}` : command;
  });
}

async function tryIt() {
  const { scratch, clone, commands } = freshClone('kind');
  try {
    await typeAll(forKind(commands), { cwd: clone, env: { ...process.env, RETAINER_E2E_KIND_NAME: NAME } });
    process.stdout.write('\nThe commands of README.md worked with kind.\n');
  } finally {
    const place = ['--name', NAME, '--kubeconfig', kubeconfig];
    spawnSync('kind', ['delete', 'cluster', ...place], { stdio: 'inherit' });
    rmSync(kubeconfig, { force: true });
    rmSync(scratch, { recursive: true, force: true });
  }
}

const why = missing();
if (why !== undefined) process.stdout.write(`not tried: npm run dev:kind, because ${why}\n`);
else if (isThere()) throw new Error(`a cluster ${NAME} is there: end it first with kind delete cluster --name ${NAME}`);
else await tryIt();
