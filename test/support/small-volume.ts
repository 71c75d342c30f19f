/** Small volumes that can be filled and made read-only. Root only. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface SmallVolume {
  readonly path: string;
  makeReadOnly(): Promise<void>;
  makeWritable(): Promise<void>;
}

export interface VolumeKind {
  readonly name: string;
  mount(path: string): Promise<void>;
}

export const tmpfsOf8MiB: VolumeKind = {
  name: '8 MiB tmpfs',
  mount: async (path) => {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=0755', 'tmpfs', path]);
  },
};

export const ext4Of32MiB: VolumeKind = {
  name: '32 MiB loop ext4',
  mount: async (path) => {
    const image = `${path}.img`;
    await run('truncate', ['-s', '32M', image]);
    await run('mkfs.ext4', ['-q', '-F', '-m', '0', image]);
    await run('mount', ['-o', 'loop', image, path]);
  },
};

/** Mounts a volume for as long as `use` takes, and leaves nothing behind. */
export async function withVolume<T>(kind: VolumeKind, use: (volume: SmallVolume) => Promise<T>): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), 'volume-'));
  const path = join(root, 'volume');
  await run('mkdir', [path]);
  try {
    await kind.mount(path);
    try {
      return await use({
        path,
        makeReadOnly: async () => void (await run('mount', ['-o', 'remount,ro', path])),
        makeWritable: async () => void (await run('mount', ['-o', 'remount,rw', path])),
      });
    } finally {
      // Lazily: a test that failed may still hold files open, and its own error is the one to see.
      await run('umount', ['-l', path]);
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Why this machine cannot mount such a volume; undefined when it can. */
export async function whyNoVolume(kind: VolumeKind): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'mounting takes root';
  try {
    await withVolume(kind, () => Promise.resolve());
    return undefined;
  } catch (error) {
    return `a volume cannot be mounted here: ${String(error)}`;
  }
}
