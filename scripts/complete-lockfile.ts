/**
 * Adds to package-lock.json the optional packages of other platforms that a registry mirror did not serve.
 *
 * npm omits from the lockfile packages that it could not fetch, even those for another platform. `npm ci` then refuses the
 * lockfile everywhere. An added entry has the exact version and the platform, so it is never fetched here. It has no integrity
 * hash, but it concerns only platforms that Retainer does not run on. Run the script after each change of dependencies: `npm
 * run lockfile`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly license?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly engines?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Keyed by the path from the root: `node_modules/NAME`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

const libcOf: Readonly<Record<string, string>> = {
  gnu: 'glibc',
  gnueabihf: 'glibc',
  musl: 'musl',
  musleabihf: 'musl',
};

/** `@scope/binding-linux-arm64-gnu` → linux, arm64, glibc. */
function platformOf(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> {
  const [os = '', cpu = '', abi = ''] = name
    .replace(/^.*\//, '')
    .replace(/^binding-/, '')
    .split('-');
  const libc = libcOf[abi];
  return { cpu: [cpu], ...(libc === undefined ? {} : { libc: [libc] }), os: [os] };
}

/** Optional dependencies that have no entry, with the package that asks for them. */
export function missingOptionals(
  packages: LockedPackages,
): readonly { readonly name: string; readonly version: string; readonly parent: LockedPackage }[] {
  const paths = Object.keys(packages);
  return Object.values(packages).flatMap((parent) =>
    Object.entries(parent.optionalDependencies ?? {})
      .filter(([name]) => !paths.some((path) => path.endsWith(`node_modules/${name}`)))
      .map(([name, version]) => ({ name, version, parent })),
  );
}

function completed(packages: LockedPackages): LockedPackages {
  const added = missingOptionals(packages).map(({ name, version, parent }): [string, LockedPackage] => [
    `node_modules/${name}`,
    {
      version,
      ...platformOf(name),
      ...(parent.dev === true ? { dev: true } : {}),
      ...(parent.license === undefined ? {} : { license: parent.license }),
      optional: true,
      ...(parent.engines === undefined ? {} : { engines: parent.engines }),
    },
  ]);
  return Object.fromEntries([...Object.entries(packages), ...added].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const path = new URL('../package-lock.json', import.meta.url);
  const lock: { readonly packages: LockedPackages } = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, `${JSON.stringify({ ...lock, packages: completed(lock.packages) }, null, 2)}\n`);
}
