/** Decision 0003, the manifests and the lockfile name the same packages, and no more of them than the decision allows. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { missingOptionals, type LockedPackage } from '../scripts/complete-lockfile.ts';
import { repositoryFiles, repositoryRoot } from './support/repository-files.ts';

/** Whoever audits an agent must be able to audit these. */
const limits = {
  'direct dependencies at run time, in all packages together': 20,
  'packages that one image installs, with those that they need': 150,
  "packages bundled into the console's page": 6,
};

const kinds = ['dependencies', 'optionalDependencies', 'devDependencies'] as const;
type Manifest = Readonly<
  Partial<Record<(typeof kinds)[number] | 'peerDependencies', Readonly<Record<string, string>>>>
>;
type Locked = LockedPackage &
  Manifest & { readonly resolved?: string; readonly peerDependenciesMeta?: Readonly<Record<string, object>> };

const read = (path: string): string => readFileSync(`${repositoryRoot}/${path}`, 'utf8');
const decision = read('docs/decisions/0003-dependencies.md');
const { packages: locked } = JSON.parse(read('package-lock.json')) as { readonly packages: Record<string, Locked> };

/** Keyed by directory; '' is the root. */
const manifests = new Map(
  repositoryFiles()
    .map((path) => relative(repositoryRoot, path))
    .filter((path) => /^(?!test\/).*\bpackage\.json$/.test(path))
    .map((path) => [path.replace(/\/?package\.json$/, ''), JSON.parse(read(path)) as Manifest] as const),
);

/** Packages of others that the manifests name. */
function named(...of: readonly (typeof kinds)[number][]): readonly string[] {
  const names = [...manifests.values()].flatMap((manifest) => of.flatMap((kind) => Object.keys(manifest[kind] ?? {})));
  return [...new Set(names)].filter((name) => !name.startsWith('@retainer/')).toSorted();
}

/** Packages of the table below the heading; each line has at least a reason. */
function argued(heading: string): readonly string[] {
  const [, table = ''] = decision.split(`\n${heading}:\n`);
  const lines = table.trimStart().split('\n\n')[0]?.split('\n').slice(2) ?? [];
  return lines
    .flatMap((line) => [...(/^\| (`.*`) \| \S.* \|$/.exec(line)?.[1] ?? '').matchAll(/`([^`]+)`/g)])
    .map(([, name = '']) => name)
    .toSorted();
}

/** Where `name` is found from `path`, as Node looks for it; a workspace where it is one of ours. */
function resolve(path: string, name: string): string | undefined {
  const above = [...path.matchAll(/\/?node_modules\//g)].map(({ index }) => path.slice(0, index)).toReversed();
  const found = [path, ...above, '']
    .map((folder) => `${folder}/node_modules/${name}`.replace(/^\//, ''))
    .find((at) => locked[at] !== undefined);
  return found === undefined ? undefined : (locked[found]?.resolved ?? found);
}

/** What `npm ci --omit=dev --omit=optional -w WORKSPACE` puts into node_modules. */
function installed(workspace: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const left = [workspace];
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = locked[path] ?? {};
    const peers = Object.keys(peerDependencies).filter((name) => !(name in peerDependenciesMeta));
    for (const name of [...Object.keys(dependencies), ...peers]) left.push(resolve(path, name) ?? `missing ${name}`);
  }
  return new Set([...seen].filter((path) => !manifests.has(path)));
}

const images = [...read('Dockerfile').matchAll(/^RUN npm ci .*--omit=dev --omit=optional -w (\S+)$/gm)].map(
  ([, workspace = '']) => workspace,
);

describe('decision 0003', () => {
  it('argues for each direct dependency at run time, and for nothing else', () => {
    expect(argued('At run time')).toEqual(named('dependencies', 'optionalDependencies'));
  });

  it('argues for each package of the development, and for nothing else', () => {
    const runtime = new Set(argued('At run time'));
    expect(argued('For development only')).toEqual(named('devDependencies').filter((name) => !runtime.has(name)));
  });

  it('says how many there may be', () => {
    const said = [...decision.matchAll(/^\| (.+) \| (\d+) \|$/gm)].map(([, counted, most]) => [counted, Number(most)]);
    expect(Object.fromEntries(said)).toEqual(limits);
  });
});

describe('the dependencies', () => {
  it('are few', () => {
    expect(argued('At run time').length).toBeLessThanOrEqual(
      limits['direct dependencies at run time, in all packages together'],
    );
    expect(argued("In the console's page").length).toBeLessThanOrEqual(
      limits["packages bundled into the console's page"],
    );
  });

  it('are few in each image, which installs no more than it needs', () => {
    expect(images.length).toBeGreaterThanOrEqual(3);
    for (const image of images) {
      const found = [...installed(image)];
      expect(found.filter((path) => locked[path] === undefined || locked[path].dev === true)).toEqual([]);
      expect(found.length, image).toBeGreaterThan(0);
      expect(found.length, image).toBeLessThanOrEqual(
        limits['packages that one image installs, with those that they need'],
      );
    }
  });

  it('are pinned exactly', () => {
    const pins = [...manifests].flatMap(([path, manifest]) =>
      kinds.flatMap((kind) =>
        Object.entries(manifest[kind] ?? {}).map(([name, version]) => `${path} ${name} ${version}`),
      ),
    );
    expect(pins.filter((pin) => !/ \d+\.\d+\.\d+$/.test(pin))).toEqual([]);
  });
});

describe('the lockfile', () => {
  it('names what the manifests name, in the same versions, and nothing else', () => {
    const pinsOf = (manifest: Manifest | undefined): unknown => kinds.map((kind) => manifest?.[kind] ?? {});
    const workspaces = Object.keys(locked).filter((path) => !path.includes('node_modules/'));
    expect(workspaces.toSorted()).toEqual([...manifests.keys()].toSorted());
    for (const [path, manifest] of manifests) expect(pinsOf(locked[path]), path).toEqual(pinsOf(manifest));
  });

  it('holds each of them in the version that was pinned', () => {
    const others = [...manifests].flatMap(([path, manifest]) =>
      kinds
        .flatMap((kind) => Object.entries(manifest[kind] ?? {}))
        .filter(([name, version]) => locked[resolve(path, name) ?? '']?.version !== version)
        .map(([name]) => `${path} ${name}`),
    );
    expect(others).toEqual([]);
  });

  it('is one that npm ci takes, also from a registry that does not serve every platform', () => {
    expect(missingOptionals(locked), 'run npm run lockfile').toEqual([]);
  });

  it('has an integrity hash for each, but for tools on platforms where Retainer does not run', () => {
    const unproved = Object.entries(locked).filter(
      ([path, { integrity, link }]) => path.includes('node_modules/') && link !== true && integrity === undefined,
    );
    const runsHere = ({ os, cpu, libc }: LockedPackage): boolean =>
      (os ?? ['linux']).includes('linux') &&
      ['x64', 'arm64'].some((it) => (cpu ?? [it]).includes(it)) &&
      (libc ?? ['glibc']).includes('glibc');
    expect(unproved.filter(([, entry]) => entry.optional !== true || entry.dev !== true || runsHere(entry))).toEqual(
      [],
    );
  });
});
