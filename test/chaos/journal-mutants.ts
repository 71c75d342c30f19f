/**
 * Defects that a store may have, each as a thin layer between the journal and its disk; and the same disks without the defect.
 *
 * The test bench is good when every mutant is caught and no honest disk is.
 *
 * Source: reliability-security 1 (etcd: a bench counts when it finds the old bugs again).
 */
import type { FileSystem, OpenFile } from '@retainer/journal/file-system';
import { FaultFileSystem } from '../support/journal/fault-file-system.ts';
import type { SimFileSystem } from '../support/journal/sim-file-system.ts';
import type { Wrap } from './journal-simulation.ts';

/** Taken by one write at most on the disks that write short. */
const shortBytes = 700;

function withFiles(fileSystem: FileSystem, change: (file: OpenFile, path: string) => Partial<OpenFile>): FileSystem {
  return {
    ...bound(fileSystem),
    open: async (path, mode) => {
      const file = await fileSystem.open(path, mode);
      return { ...file, ...change(file, path) };
    },
  };
}

function bound(inner: FileSystem): FileSystem {
  return {
    open: (path, mode) => inner.open(path, mode),
    truncate: (path, sizeBytes) => inner.truncate(path, sizeBytes),
    rename: (from, to) => inner.rename(from, to),
    unlink: (path) => inner.unlink(path),
    list: (directory) => inner.list(directory),
    syncDirectory: (directory) => inner.syncDirectory(directory),
    makeDirectory: (path) => inner.makeDirectory(path),
    sizeBytes: (path) => inner.sizeBytes(path),
    makeReadOnly: (path) => inner.makeReadOnly(path),
  };
}

function turns(count: number): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => resolve(count <= 1 ? undefined : turns(count - 1)));
  });
}

/** The sync with this number of each mount fails, and its pages are lost, as Linux does it. */
const failingSync = 9;

function failOneSync(sim: SimFileSystem): (path: string) => void {
  let syncs = 0;
  return (path) => {
    syncs += 1;
    if (syncs !== failingSync) return;
    sim.loseUnsynced(path);
    throw Object.assign(new Error('EIO: injected into sync'), { code: 'EIO' });
  };
}

export const mutants: Readonly<Record<string, Wrap>> = {
  'a skipped sync': (fileSystem) => withFiles(fileSystem, () => ({ sync: async () => undefined })),
  'a skipped directory sync': (fileSystem) => ({ ...bound(fileSystem), syncDirectory: async () => undefined }),
  'an ignored short write': (fileSystem) =>
    withFiles(fileSystem, (file) => ({
      write: async (bytes) => {
        await file.write(bytes.subarray(0, shortBytes));
        return bytes.length;
      },
    })),
  'an early acknowledgement': (fileSystem) =>
    withFiles(fileSystem, (file) => ({
      sync: async () => {
        void turns(5)
          .then(() => file.sync())
          .catch(() => undefined);
      },
    })),
  'a retried failed sync': (fileSystem, sim) => {
    const mayFail = failOneSync(sim);
    return withFiles(fileSystem, (file, path) => ({
      sync: async () => {
        try {
          mayFail(path);
        } catch {
          // The defect: the second try succeeds, and the pages of the first are gone.
        }
        await file.sync();
      },
    }));
  },
};

export const honestDisks: Readonly<Record<string, Wrap>> = {
  'a disk that writes short': (fileSystem) => {
    const faulty = new FaultFileSystem(fileSystem);
    faulty.writeBytesMax = shortBytes;
    return faulty.view();
  },
  'a disk whose sync fails once': (fileSystem, sim) => {
    const mayFail = failOneSync(sim);
    return withFiles(fileSystem, (file, path) => ({
      sync: async () => {
        mayFail(path);
        await file.sync();
      },
    }));
  },
};
