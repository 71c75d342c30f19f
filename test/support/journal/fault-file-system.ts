/**
 * A file system that fails on purpose: the Nth call of one operation, or short counts on every write.
 *
 * It also watches: a sync of a file whose sync has failed before is the one thing that must never happen.
 *
 * Source: reliability-security 1 (second switch), 7.
 */
import type { FileSystem, OpenFile } from '@retainer/journal/file-system';

export const faultOperations = [
  'open',
  'write',
  'sync',
  'rename',
  'syncDirectory',
  'truncate',
  'close',
  'read',
] as const;
export type FaultOperation = (typeof faultOperations)[number];

export interface FaultPlan {
  readonly operation: FaultOperation;
  /** From 1: the call that fails. */
  readonly nth: number;
  readonly code: string;
  /** For `write`: takes this many bytes before the failing call. */
  readonly shortBytes?: number;
}

export class FaultFileSystem {
  readonly #inner: FileSystem;
  readonly #onFailedSync: (path: string) => void;
  readonly #failedSyncs = new Set<string>();
  readonly #calls = new Map<FaultOperation, number>();
  plan: FaultPlan | undefined;
  /** Every write takes at most this much. */
  writeBytesMax = Number.POSITIVE_INFINITY;
  /** Whether the planned fault has happened. */
  hit = false;
  /** Paths that were synced again after a failed sync. */
  readonly retriedSyncs: string[] = [];

  constructor(inner: FileSystem, onFailedSync: (path: string) => void = () => undefined) {
    this.#inner = inner;
    this.#onFailedSync = onFailedSync;
  }

  /** The next call of an operation fails. */
  failNext(fault: Omit<FaultPlan, 'nth'>): void {
    this.plan = { ...fault, nth: (this.#calls.get(fault.operation) ?? 0) + 1 };
  }

  view(): FileSystem {
    const inner = this.#inner;
    return {
      open: async (path, mode) => {
        this.#step('open', path);
        return this.#file(path, await inner.open(path, mode));
      },
      truncate: async (path, sizeBytes) => {
        this.#step('truncate', path);
        await inner.truncate(path, sizeBytes);
      },
      rename: async (from, to) => {
        this.#step('rename', from);
        this.#failedSyncs.delete(from);
        await inner.rename(from, to);
      },
      unlink: async (path) => {
        await inner.unlink(path);
        this.#failedSyncs.delete(path);
      },
      list: (directory) => inner.list(directory),
      syncDirectory: async (directory) => {
        this.#step('syncDirectory', directory);
        await inner.syncDirectory(directory);
      },
      makeDirectory: (path) => inner.makeDirectory(path),
      sizeBytes: (path) => inner.sizeBytes(path),
      makeReadOnly: (path) => inner.makeReadOnly(path),
    };
  }

  #file(path: string, file: OpenFile): OpenFile {
    return {
      write: async (bytes) => {
        const short = this.#takesShort();
        if (short !== undefined) return file.write(bytes.subarray(0, Math.max(1, Math.min(short, bytes.length))));
        this.#step('write', path);
        return file.write(bytes.subarray(0, Math.min(bytes.length, this.writeBytesMax)));
      },
      writeAt: async (offsetBytes, bytes) => {
        this.#step('write', path);
        return file.writeAt(offsetBytes, bytes.subarray(0, Math.min(bytes.length, this.writeBytesMax)));
      },
      read: async (offsetBytes, lengthBytes) => {
        this.#step('read', path);
        return file.read(offsetBytes, lengthBytes);
      },
      sync: async () => {
        if (this.#failedSyncs.has(path)) this.retriedSyncs.push(path);
        this.#step('sync', path);
        await file.sync();
      },
      isInPlace: () => file.isInPlace(),
      close: async () => {
        // A close that fails has closed all the same.
        await file.close();
        this.#step('close', path);
      },
    };
  }

  /** The write before the failing one takes a part only, as on a volume that fills up. */
  #takesShort(): number | undefined {
    const { plan } = this;
    if (plan?.operation !== 'write' || plan.shortBytes === undefined) return undefined;
    const next = (this.#calls.get('write') ?? 0) + 1;
    if (next !== plan.nth - 1) return undefined;
    this.#calls.set('write', next);
    return plan.shortBytes;
  }

  #step(operation: FaultOperation, path: string): void {
    const calls = (this.#calls.get(operation) ?? 0) + 1;
    this.#calls.set(operation, calls);
    const { plan } = this;
    if (plan?.operation !== operation || plan.nth !== calls) return;
    this.hit = true;
    if (operation === 'sync') {
      this.#failedSyncs.add(path);
      this.#onFailedSync(path);
    }
    throw Object.assign(new Error(`${plan.code}: injected into ${operation}`), { code: plan.code });
  }
}
