/** The three images, built from the real Dockerfile. An unchanged tree builds nothing: the tag is a digest of what goes in. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { repositoryFiles, repositoryRoot } from '../support/repository-files.ts';
import { config } from './config.ts';
import { docker, hasImage, loadImage, readyEngine, say, type ClusterDescription } from './cluster.ts';

export const TARGETS = ['operator', 'agent', 'sandbox'] as const;
/** Of the Dockerfile; our own engine makes it from Debian's packages. */
const BASE = 'node:24-bookworm-slim';
/** What the Dockerfile copies. */
const INPUTS =
  /^(Dockerfile|\.dockerignore|package(-lock)?\.json|\.npmrc|tsconfig\.base\.json|(contract|packages\/[a-z]+|operator|agent-pod|sandbox-runner|cli)\/(package\.json|tsconfig\.json|src\/.*|bin\/.*|words\/.*))$/;

/** @returns the tag of all three images, which the nodes have */
export async function buildImages(cluster: ClusterDescription): Promise<string> {
  const given = config.tag;
  if (given !== undefined) return given;
  if (cluster.kind === 'Given') {
    throw new Error('a cluster of your own needs images that its nodes can pull: set RETAINER_E2E_TAG to their tag');
  }
  const tag = `e2e-${contentDigest()}`;
  const missing = [];
  for (const target of TARGETS) {
    if (!(await hasImage(cluster, `docker.io/retainer/${target}:${tag}`))) missing.push(target);
  }
  if (missing.length > 0) await readyEngine(cluster, BASE);
  for (const target of missing) {
    const image = `retainer/${target}:${tag}`;
    say(`builds ${image}`);
    await docker(cluster, 'build', ...networkOf(cluster), '--target', target, '-t', image, repositoryRoot);
    await loadImage(cluster, image);
  }
  return tag;
}

/** Users of the images that a test plants a bug in, as the Dockerfile has them. */
const USERS = { operator: '10010:10010', agent: '10001:10001' } as const;

/**
 * An image with a bug in it, for what only a bug of the program brings about.
 *
 * @param edit  a command of a shell that changes files below `/app`
 * @returns its tag; the nodes have it
 */
export async function buildFaulty(
  { cluster, tag }: { readonly cluster: ClusterDescription; readonly tag: string },
  target: keyof typeof USERS,
  edit: string,
): Promise<string> {
  const faulty = `${tag}-faulty`;
  const image = `retainer/${target}:${faulty}`;
  const directory = await mkdtemp(join(tmpdir(), 'retainer-faulty-'));
  const lines = [`FROM retainer/${target}:${tag}`, 'USER 0', `RUN ${edit}`, `USER ${USERS[target]}`];
  await writeFile(join(directory, 'Dockerfile'), `${lines.join('\n')}\n`);
  await docker(cluster, 'build', ...networkOf(cluster), '-t', image, directory);
  await rm(directory, { recursive: true });
  await loadImage(cluster, image);
  return faulty;
}

const networkOf = ({ kind }: ClusterDescription): readonly string[] => (kind === 'Own' ? ['--network', 'host'] : []);

function contentDigest(): string {
  const hash = createHash('sha256');
  for (const path of repositoryFiles()
    .map((file) => relative(repositoryRoot, file))
    .toSorted()) {
    if (INPUTS.test(path) && !path.endsWith('.test.ts'))
      hash.update(path).update(readFileSync(join(repositoryRoot, path)));
  }
  return hash.digest('hex').slice(0, 12);
}
