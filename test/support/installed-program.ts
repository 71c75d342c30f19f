/**
 * The command line as somebody installs it: the files that the agent's image takes, by the lines of the Dockerfile, and the packages
 * that the lock file has for it. Nothing else of the repository is beside them.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { repositoryRoot } from './repository-files.ts';

interface LockedPackage {
  /** Of a package of our own: where it is. */
  readonly resolved?: string;
  readonly link?: true;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** @returns where its executable is */
export function installProgram(directory: string): string {
  for (const path of copiedFiles()) copyInto(directory, path, path);
  const { packages } = JSON.parse(readFileSync(join(repositoryRoot, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  for (const path of packagesOf('cli', packages)) {
    const { link, resolved = '' } = packages[path] ?? {};
    if (link === undefined) copyInto(directory, path, path);
    else linkInto(directory, path, resolved);
  }
  return join(directory, 'cli/bin/retainer.js');
}

/** What is put aside for the agent's image, its words with braces as bash reads them. */
function copiedFiles(): readonly string[] {
  const dockerfile = readFileSync(join(repositoryRoot, 'Dockerfile'), 'utf8');
  const copied = [...dockerfile.matchAll(/ cp -r --parents (.+) \/out\/agent \\$/gm)].map(([, words]) => words);
  return execFileSync('bash', ['-c', `echo ${copied.join(' ')}`], { encoding: 'utf8' })
    .trim()
    .split(' ');
}

/** Types, maps and tests are taken out of the image. */
const LEFT_OUT = /\.(?:d\.ts|map|tsbuildinfo)$|\.test\.js$/;

function copyInto(directory: string, from: string, to: string): void {
  mkdirSync(dirname(join(directory, to)), { recursive: true });
  cpSync(join(repositoryRoot, from), join(directory, to), {
    recursive: true,
    dereference: true,
    filter: (path) => !LEFT_OUT.test(path),
  });
}

function linkInto(directory: string, path: string, target: string): void {
  const link = join(directory, path);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(relative(dirname(link), join(directory, target)), link);
}

/** Paths of all that a workspace needs to run, as `npm ci --omit=dev --omit=optional` would have them. */
function packagesOf(workspace: string, packages: Readonly<Record<string, LockedPackage>>): readonly string[] {
  const found = new Set<string>();
  const visit = (path: string): void => {
    const { link, resolved = '', dependencies = {} } = packages[path] ?? {};
    if (link !== undefined) return visit(resolved);
    for (const name of Object.keys(dependencies)) {
      const at = placeOf(name, path, packages);
      if (found.has(at)) continue;
      found.add(at);
      visit(at);
    }
  };
  visit(workspace);
  return [...found].filter((path) => existsSync(join(repositoryRoot, path)));
}

/** The nearest above whoever needs it. */
function placeOf(name: string, path: string, packages: Readonly<Record<string, LockedPackage>>): string {
  const at = path === '' ? `node_modules/${name}` : `${path}/node_modules/${name}`;
  if (packages[at] !== undefined || path === '') return at;
  const above = path.split('/node_modules/').slice(0, -1).join('/node_modules/');
  return placeOf(name, above, packages);
}
