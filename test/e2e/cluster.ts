/**
 * The cluster of the end-to-end tests: the one that KUBECONFIG names, or our own on Linux as root with Go, or kind, in this order.
 * It says on standard error which one it is.
 */
import { execFile, spawn, type ChildProcess, type ExecFileException } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runTool } from '../../scripts/kubernetes-tools.ts';
import { Kubectl } from '../support/kubectl.ts';
import { config } from './config.ts';

const run = promisify(execFile);
const OWN = fileURLToPath(new URL('../cluster/cluster', import.meta.url));
const ENGINE = fileURLToPath(new URL('../cluster/engine', import.meta.url));
const KIND_CONFIG = fileURLToPath(new URL('../../kind-config.yaml', import.meta.url));
/** What is built once per machine: Kubernetes takes about five minutes on two cores, an image two. A slow line takes many times that. */
const BUILD_TIMEOUT_MS = 3_600_000;
const COMMAND_TIMEOUT_MS = 300_000;
/** A person who waits looks twice a minute. */
const TELL_EVERY_MS = 15_000;
/** A line of a terminal. */
const TOLD_CHARACTERS_MAX = 100;
const OUTPUT_BYTES_MAX = 67_108_864;

export interface ClusterDescription {
  readonly kind: 'Given' | 'Own' | 'Kind';
  readonly kubeconfig: string;
  /** Started by this run, so it is stopped by it too. */
  readonly isOurs: boolean;
}

async function command(program: string, args: readonly string[], timeoutMs = COMMAND_TIMEOUT_MS): Promise<string> {
  const running = run(program, [...args], { timeout: timeoutMs, maxBuffer: OUTPUT_BYTES_MAX });
  const untell = tellWhileRunning(running.child);
  try {
    return (await running).stdout;
  } catch (cause) {
    const { stderr = '', stdout = '', killed } = cause as Partial<ExecFileException>;
    const told = `${stdout}\n${stderr}`.trim().split('\n').slice(-20).join('\n');
    const how =
      killed === true ? `was stopped after ${timeoutMs / 1000} s, and goes on there when it is run again` : 'failed';
    throw new Error(`${program} ${args.join(' ')} ${how}:\n${told || String(cause)}`, { cause });
  } finally {
    untell();
  }
}

/** Says the last line of a command that takes long, so that nobody takes it for dead. @returns  ends it */
function tellWhileRunning({ stdout, stderr }: ChildProcess): () => void {
  const startedMs = Date.now();
  let [last, told] = ['', ''];
  const note = (chunk: string): void => {
    last = chunk.trim().split('\n').at(-1)?.trim() || last;
  };
  for (const stream of [stdout, stderr]) stream?.setEncoding('utf8').on('data', note);
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - startedMs) / 1000);
    say(`${seconds} s${last === told ? '' : `: ${last.slice(0, TOLD_CHARACTERS_MAX)}`}`);
    told = last;
  }, TELL_EVERY_MS);
  return () => clearInterval(timer);
}

const isThere = (program: string) =>
  command('sh', ['-c', `command -v ${program}`]).then(
    () => true,
    () => false,
  );

/** @throws an error that says what to install */
export async function openCluster(): Promise<ClusterDescription> {
  if (config.usesKind) return kindCluster();
  const own = await ownKubeconfig();
  const given = config.kubeconfig;
  if (given !== undefined && given !== own) {
    const { stdout } = await runTool('kubectl', ['version', '-o', 'json'], { kubeconfig: given });
    const server = (JSON.parse(stdout) as { serverVersion?: { gitVersion: string } }).serverVersion?.gitVersion;
    say(`uses the cluster of KUBECONFIG=${given}, Kubernetes ${server ?? 'unknown'}`);
    return { kind: 'Given', kubeconfig: given, isOurs: false };
  }
  if (own !== undefined && process.getuid?.() === 0 && (await isThere('go'))) return ownCluster(own);
  if (await isThere('kind')) return kindCluster();
  throw new Error(
    'no cluster: set KUBECONFIG, or run as root on Linux with Go 1.24 (apt-get install golang-go) for the one in test/cluster, ' +
      'or install kind and Docker (https://kind.sigs.k8s.io)',
  );
}

async function ownKubeconfig(): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  return /KUBECONFIG=(.*)/.exec(await command(OWN, ['env']))?.[1];
}

async function ownCluster(kubeconfig: string): Promise<ClusterDescription> {
  const before = await command('sh', ['-c', `${OWN} status 2>/dev/null | grep -c running || true`]);
  await command(OWN, ['up'], BUILD_TIMEOUT_MS);
  say('uses the cluster of test/cluster');
  return { kind: 'Own', kubeconfig, isOurs: before.trim() === '0' };
}

async function kindCluster(): Promise<ClusterDescription> {
  for (const program of ['kind', 'docker'])
    if (!(await isThere(program))) throw new Error(`no ${program}: see https://kind.sigs.k8s.io/docs/user/quick-start`);
  const known = (await command('kind', ['get', 'clusters'])).split('\n').includes(config.kindName);
  // Else kind writes into the user's own kubeconfig, and every kubectl after it means this cluster.
  const kubeconfig = `${config.home}/.kube/kind-${config.kindName}`;
  const place = ['--name', config.kindName, '--kubeconfig', kubeconfig];
  if (known) await command('kind', ['export', 'kubeconfig', ...place]);
  else await command('kind', ['create', 'cluster', ...place, '--config', KIND_CONFIG], BUILD_TIMEOUT_MS);
  say(`uses the kind cluster ${config.kindName}`);
  return { kind: 'Kind', kubeconfig, isOurs: !known };
}

export async function closeCluster({ kind, kubeconfig, isOurs }: ClusterDescription): Promise<void> {
  if (!isOurs) return;
  if (kind === 'Own') await command(OWN, ['down']);
  if (kind === 'Kind')
    await command('kind', ['delete', 'cluster', '--name', config.kindName, '--kubeconfig', kubeconfig]);
}

/** The container engine beside a cluster. */
export async function docker(cluster: ClusterDescription, ...args: readonly string[]): Promise<string> {
  if (cluster.kind === 'Own') return command(ENGINE, ['docker', ...args], BUILD_TIMEOUT_MS);
  return command('docker', args, BUILD_TIMEOUT_MS);
}

/** Makes the engine of the own cluster ready, and the base image known under its public name. */
export async function readyEngine(cluster: ClusterDescription, base: string): Promise<void> {
  if (cluster.kind !== 'Own') return;
  await command(ENGINE, ['up'], BUILD_TIMEOUT_MS);
  // Imported anew it would be another image, and nothing that was built on it would be found again.
  const isThere = await docker(cluster, 'image', 'inspect', base).then(
    () => true,
    () => false,
  );
  if (!isThere) await command(ENGINE, ['base', base], BUILD_TIMEOUT_MS);
}

/** Copies an image from the engine to the nodes. */
export async function loadImage(cluster: ClusterDescription, image: string): Promise<void> {
  if (cluster.kind === 'Own') await command(ENGINE, ['to-cluster', image]);
  if (cluster.kind === 'Kind') await command('kind', ['load', 'docker-image', image, '--name', config.kindName]);
}

/** Gives an image of the nodes another name. @throws where the cluster is not our own */
export async function tagImage(cluster: ClusterDescription, image: string, name: string): Promise<void> {
  if (cluster.kind !== 'Own') throw new Error('only the cluster of test/cluster gets images so: run this test there');
  await command(OWN, ['tag', image, name]);
}

/** An image of Debian's packages, which our own engine makes and the nodes get. @throws where the cluster is not our own */
export async function loadDebianImage(
  cluster: ClusterDescription,
  image: string,
  { packages, program }: { readonly packages: readonly string[]; readonly program: string },
): Promise<void> {
  if (cluster.kind !== 'Own')
    throw new Error('only the cluster of test/cluster gets images of Debian packages: run this test there');
  if (await hasImage(cluster, image)) return;
  await command(ENGINE, ['debian', image, ...packages, '--', program], BUILD_TIMEOUT_MS);
  await loadImage(cluster, image);
}

export async function hasImage(cluster: ClusterDescription, image: string): Promise<boolean> {
  return cluster.kind === 'Own' && (await command(OWN, ['images'])).split('\n').includes(image);
}

/** A fault of the own cluster: a program is killed, and started again. */
export async function fault(deed: 'kill' | 'start', program: 'kube-apiserver'): Promise<void> {
  await command(OWN, [deed, program]);
}

/** Runs a command in the network of the cluster, where pods and services have addresses. */
export async function execInside(...args: readonly string[]): Promise<string> {
  return command(OWN, ['exec', ...args]);
}

/** An empty file among those of a sandbox, left there by its node: nobody may run a program in a sandbox. Own cluster only. */
export async function leaveInWorkspace(podUid: string, name: string): Promise<void> {
  const volumes = join(config.clusterState, 'kubelet/pods', podUid, 'volumes');
  await execInside('touch', join(volumes, 'kubernetes.io~empty-dir/workspace', name));
}

/** Starts a command in the network of the cluster. @returns  ends it, and what it has started */
export function startInside(...args: readonly string[]): () => void {
  const { pid } = spawn(OWN, ['exec', ...args], { stdio: 'ignore', detached: true });
  return () => {
    try {
      if (pid !== undefined) process.kill(-pid);
    } catch (error) {
      // It may have ended by itself.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
}

export function say(line: string): void {
  process.stderr.write(`e2e: ${line}\n`);
}

export function kubectlOf({ kubeconfig }: ClusterDescription): Kubectl {
  return new Kubectl(kubeconfig);
}

/** Each write, one JSON line each. @throws where the cluster is not our own */
export function auditLog({ kind }: ClusterDescription): string {
  if (kind !== 'Own') throw new Error('only the cluster of test/cluster keeps an audit log: run this test there');
  return join(config.clusterState, 'log/audit');
}
