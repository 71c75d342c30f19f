/** Finds where this process may create control groups, from the kernel's own files. Pure. */

export type Controller = 'memory' | 'pids' | 'cpu';

/** A directory in which a group with these controllers may be possible. */
export interface CgroupPlace {
  readonly version: 1 | 2;
  readonly directory: string;
  readonly controllers: readonly Controller[];
}

const wantedControllers: readonly Controller[] = ['memory', 'pids', 'cpu'];

interface Mount {
  readonly root: string;
  readonly point: string;
  readonly version: 1 | 2;
  readonly options: readonly string[];
}

/**
 * Version 1 creates groups below the process's own group. Version 2 creates them beside it, because a group with processes
 * cannot delegate controllers. Only an attempt shows whether a place is writable.
 *
 * @param mountInfo  the text of `/proc/self/mountinfo`
 * @param ownGroups  the text of `/proc/self/cgroup`
 */
export function cgroupPlaces(mountInfo: string, ownGroups: string): readonly CgroupPlace[] {
  const mounts = mountInfo.split('\n').flatMap(parseMount);
  return ownGroups.split('\n').flatMap((line) => {
    const [, names, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (names === undefined || path === undefined) return [];
    if (names === '') return unifiedPlaces(mounts, path);
    const controllers = wantedControllers.filter((name) => names.split(',').includes(name));
    const mount = mounts.find(
      ({ version, options }) => version === 1 && controllers.some((name) => options.includes(name)),
    );
    return mount === undefined ? [] : [{ version: 1, directory: below(mount, path), controllers } as const];
  });
}

function unifiedPlaces(mounts: readonly Mount[], path: string): readonly CgroupPlace[] {
  const mount = mounts.find(({ version }) => version === 2);
  if (mount === undefined) return [];
  const parent = path === '/' ? '/' : path.slice(0, path.lastIndexOf('/')) || '/';
  return [{ version: 2, directory: below(mount, parent), controllers: wantedControllers }];
}

function parseMount(line: string): readonly Mount[] {
  const [front, back] = line.split(' - ');
  const [, , , root, point] = front?.split(' ') ?? [];
  const [type, , options] = back?.split(' ') ?? [];
  if (root === undefined || point === undefined) return [];
  if (type === 'cgroup') return [{ root, point, version: 1, options: options?.split(',') ?? [] }];
  return type === 'cgroup2' ? [{ root, point, version: 2, options: [] }] : [];
}

/** In a container the mount shows only a part of the tree. */
function below(mount: Mount, path: string): string {
  const isInside = mount.root !== '/' && (path === mount.root || path.startsWith(`${mount.root}/`));
  const rest = isInside ? path.slice(mount.root.length) : path;
  return `${mount.point}${rest === '/' ? '' : rest}`;
}
