/**
 * A disk in memory that remembers what was synced, so that its power can fail.
 *
 * I1  What a sync covered is there after any crash; of the rest, each 512-byte sector, each new size and each change of a
 *     directory got to the disk or did not, as the seed has it.
 * I2  The same seed on the same history gives the same disk.
 * I3  After a crash the old mount is dead: nothing that was under way can change the disk any more.
 *
 * Without a call of `crash` it is the file system of an in-memory journal.
 *
 * Source: reliability-security 1.
 */
import type { FileSystem, OpenFile } from '@retainer/journal/file-system';
import { SimDirectory, SimFile, type Random, type SimNode } from './sim-nodes.ts';

/** When the power fails: before the operation with this number (from 1) takes effect, or just after. */
export interface PowerCut {
  readonly operation: number;
  readonly when: 'Before' | 'After';
}

export class SimFileSystem {
  readonly #root = new SimDirectory();
  #generation = 0;
  #isOff = false;
  /** Changing operations so far, on all mounts. */
  operations = 0;
  powerCut: PowerCut | undefined;
  /** Bytes that fit; writes beyond it are cut short, then refused. */
  capacityBytes = Number.POSITIVE_INFINITY;
  readOnly = false;

  /** What a program sees of the disk until the next crash. */
  mount(): FileSystem {
    const generation = this.#generation;
    return new SimMount(this.#root, {
      change: async (act) => this.#change(generation, act, false),
      sync: async (act) => this.#change(generation, act, true),
      read: (act) => {
        this.#check(generation);
        return act();
      },
      freeBytes: () =>
        this.capacityBytes === Number.POSITIVE_INFINITY
          ? this.capacityBytes
          : this.capacityBytes - this.#root.usedBytes(),
    });
  }

  /** The power fails and comes back: what was not synced is there or not, as `random` (0 to 1) has it. */
  crash(random: Random): void {
    this.#generation += 1;
    this.#isOff = false;
    this.powerCut = undefined;
    this.#root.crash(random);
  }

  /** The process dies; the disk lives on. What was written and not synced stays, and may still be lost by a later crash. */
  kill(): void {
    this.#generation += 1;
    this.#isOff = false;
    this.powerCut = undefined;
  }

  /** What a kernel does after a failed sync: the pages stay readable, count as written, and never get to the disk. */
  loseUnsynced(path: string): void {
    const node = lookUp(this.#root, path);
    if (node instanceof SimFile) node.loseUnsynced();
  }

  /** Changes bytes behind the program's back, on the disk itself. */
  edit(path: string, change: (bytes: Buffer) => Uint8Array): void {
    const node = lookUp(this.#root, path);
    if (!(node instanceof SimFile)) throw simError('ENOENT', path);
    node.replace(change(node.content()));
  }

  #check(generation: number): void {
    if (generation !== this.#generation || this.#isOff) throw simError('EIO', 'the power is off');
  }

  /** A sync on a read-only volume has nothing to write and succeeds. */
  #change<T>(generation: number, act: () => T, isSync: boolean): T {
    this.#check(generation);
    this.operations += 1;
    const cut = this.powerCut?.operation === this.operations ? this.powerCut.when : undefined;
    if (cut !== undefined) this.#isOff = true;
    if (cut === 'Before') throw simError('EIO', 'the power failed');
    if (this.readOnly && !isSync) throw simError('EROFS', 'the volume is read-only');
    const result = act();
    if (cut === 'After') throw simError('EIO', 'the power failed');
    return result;
  }
}

interface Disk {
  readonly change: <T>(act: () => T) => Promise<T>;
  readonly sync: (act: () => void) => Promise<void>;
  readonly read: <T>(act: () => T) => T;
  readonly freeBytes: () => number;
}

class SimMount implements FileSystem {
  readonly #root: SimDirectory;
  readonly #disk: Disk;

  constructor(root: SimDirectory, disk: Disk) {
    this.#root = root;
    this.#disk = disk;
  }

  async open(path: string, mode: 'read' | 'append' | 'create' | 'update'): Promise<OpenFile> {
    const found = this.#disk.read(() => lookUp(this.#root, path));
    if (mode === 'create' && found !== undefined) throw simError('EEXIST', path);
    if (found instanceof SimDirectory) throw simError('EISDIR', path);
    if ((mode === 'read' || mode === 'update') && found === undefined) throw simError('ENOENT', path);
    if ((mode === 'append' || mode === 'update') && found?.readOnly === true) throw simError('EACCES', path);
    if (found !== undefined) return this.#opened(path, found);
    return this.#disk.change(() => {
      const file = new SimFile();
      this.#parent(path).set(nameOf(path), file);
      return this.#opened(path, file);
    });
  }

  async truncate(path: string, sizeBytes: number): Promise<void> {
    await this.#disk.change(() => {
      const file = this.#file(path);
      if (file.readOnly) throw simError('EACCES', path);
      file.truncate(sizeBytes);
    });
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#disk.change(() => {
      const node = this.#file(from);
      this.#parent(from).rename(nameOf(from), nameOf(to), node);
    });
  }

  async unlink(path: string): Promise<void> {
    await this.#disk.change(() => {
      this.#file(path);
      this.#parent(path).remove(nameOf(path));
    });
  }

  async list(directory: string): Promise<readonly string[]> {
    const found = this.#disk.read(() => lookUp(this.#root, directory));
    return found instanceof SimDirectory ? found.names() : [];
  }

  async syncDirectory(directory: string): Promise<void> {
    await this.#disk.sync(() => {
      const found = lookUp(this.#root, directory);
      if (!(found instanceof SimDirectory)) throw simError('ENOENT', directory);
      found.sync();
    });
  }

  async makeDirectory(path: string): Promise<void> {
    if (this.#disk.read(() => lookUp(this.#root, path)) instanceof SimDirectory) return;
    await this.#disk.change(() => this.#parent(path).set(nameOf(path), new SimDirectory()));
  }

  async sizeBytes(path: string): Promise<number | undefined> {
    const found = this.#disk.read(() => lookUp(this.#root, path));
    return found instanceof SimFile ? found.sizeBytes : undefined;
  }

  async makeReadOnly(path: string): Promise<void> {
    await this.#disk.change(() => {
      this.#file(path).readOnly = true;
    });
  }

  #opened(path: string, file: SimFile): OpenFile {
    const disk = this.#disk;
    return {
      write: (bytes) =>
        disk.change(() => {
          const fits = Math.min(bytes.length, Math.max(0, disk.freeBytes()));
          if (fits === 0 && bytes.length > 0) throw simError('ENOSPC', 'the volume is full');
          file.append(bytes.subarray(0, fits));
          return fits;
        }),
      writeAt: (offsetBytes, bytes) =>
        disk.change(() => {
          file.writeAt(offsetBytes, bytes);
          return bytes.length;
        }),
      read: async (offsetBytes, lengthBytes) => disk.read(() => file.read(offsetBytes, lengthBytes)),
      sync: () => disk.sync(() => file.sync()),
      isInPlace: () => lookUp(this.#root, path) === file,
      close: async () => undefined,
    };
  }

  #file(path: string): SimFile {
    const found = lookUp(this.#root, path);
    if (found instanceof SimFile) return found;
    throw simError('ENOENT', path);
  }

  #parent(path: string): SimDirectory {
    const parent = lookUp(this.#root, path.slice(0, path.lastIndexOf('/')));
    if (parent instanceof SimDirectory) return parent;
    throw simError('ENOENT', path);
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function lookUp(root: SimDirectory, path: string): SimNode | undefined {
  let node: SimNode | undefined = root;
  for (const name of path.split('/')) {
    if (name === '') continue;
    if (!(node instanceof SimDirectory)) return undefined;
    node = node.get(name);
  }
  return node;
}

function simError(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}
