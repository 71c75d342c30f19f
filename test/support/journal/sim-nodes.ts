/** Files and directories of the simulated disk: what is seen now, what is durable, and the changes between the two. */

/** Numbers from 0 up to 1. */
export type Random = () => number;

export type SimNode = SimFile | SimDirectory;

/** What a disk writes as one. */
const sectorBytes = 512;

type FileChange =
  | { readonly kind: 'write'; readonly offsetBytes: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly sizeBytes: number };

export class SimFile {
  readOnly = false;
  #now = new Image();
  #durable = new Image();
  #pending: FileChange[] = [];

  get sizeBytes(): number {
    return this.#now.sizeBytes;
  }

  append(bytes: Uint8Array): void {
    this.writeAt(this.#now.sizeBytes, bytes);
  }

  writeAt(offsetBytes: number, bytes: Uint8Array): void {
    this.#now.write(offsetBytes, bytes);
    this.#pending.push({ kind: 'write', offsetBytes, bytes: bytes.slice() });
  }

  truncate(sizeBytes: number): void {
    this.#now.resize(sizeBytes);
    this.#pending.push({ kind: 'truncate', sizeBytes });
  }

  read(offsetBytes: number, lengthBytes: number): Buffer {
    return Buffer.from(this.#now.view(offsetBytes, offsetBytes + lengthBytes));
  }

  content(): Buffer {
    return this.read(0, this.sizeBytes);
  }

  sync(): void {
    for (const change of this.#pending) apply(this.#durable, change);
    this.#pending = [];
  }

  loseUnsynced(): void {
    this.#pending = [];
  }

  replace(bytes: Uint8Array): void {
    this.#pending = [];
    for (const image of [this.#now, this.#durable]) {
      image.resize(0);
      image.write(0, bytes);
    }
  }

  crash(random: Random): void {
    const sizeBytes = this.#now.sizeBytes;
    const durableBytes = this.#durable.sizeBytes;
    const grew = this.#pending.length > 0 && sizeBytes > durableBytes;
    const stale = new Set<number>();
    for (const change of this.#pending) this.#land(change, random, stale);
    if (grew) this.#settleSize(random, { sizeBytes, durableBytes });
    this.#pending = [];
    this.#now = this.#durable.copy();
  }

  /** A sector holds its earlier writes when it holds a later one: once one is missing, it stays `stale`. */
  #land(change: FileChange, random: Random, stale: Set<number>): void {
    if (change.kind === 'truncate') {
      if (random() < 0.5) apply(this.#durable, change);
      return;
    }
    const { offsetBytes, bytes } = change;
    for (let at = 0; at < bytes.length;) {
      const sector = Math.floor((offsetBytes + at) / sectorBytes);
      const end = Math.min(bytes.length, (sector + 1) * sectorBytes - offsetBytes);
      if (!stale.has(sector) && random() < 0.6) this.#durable.write(offsetBytes + at, bytes.subarray(at, end));
      else stale.add(sector);
      at = end;
    }
  }

  /** The new size reached the disk, or that of the last sector that did, or none. */
  #settleSize(random: Random, size: { readonly sizeBytes: number; readonly durableBytes: number }): void {
    const choice = random();
    if (choice < 0.4) this.#durable.resize(size.sizeBytes);
    else if (choice < 0.6) this.#durable.resize(size.durableBytes);
  }
}

function apply(image: Image, change: FileChange): void {
  if (change.kind === 'write') image.write(change.offsetBytes, change.bytes);
  else image.resize(change.sizeBytes);
}

/** Growing bytes; what was never written is zero. */
class Image {
  #bytes = Buffer.alloc(0);
  sizeBytes = 0;

  write(offsetBytes: number, bytes: Uint8Array): void {
    const end = offsetBytes + bytes.length;
    if (end > this.sizeBytes) this.resize(end);
    this.#bytes.set(bytes, offsetBytes);
  }

  resize(sizeBytes: number): void {
    if (sizeBytes > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(sizeBytes, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.sizeBytes);
      this.#bytes = larger;
    }
    if (sizeBytes < this.sizeBytes) this.#bytes.fill(0, sizeBytes, this.sizeBytes);
    this.sizeBytes = sizeBytes;
  }

  view(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(Math.min(from, this.sizeBytes), Math.min(to, this.sizeBytes));
  }

  copy(): Image {
    const image = new Image();
    image.write(0, this.view(0, this.sizeBytes));
    return image;
  }
}

type NameChange =
  | { readonly kind: 'set'; readonly name: string; readonly node: SimNode }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string; readonly node: SimNode };

export class SimDirectory {
  #now = new Map<string, SimNode>();
  #durable = new Map<string, SimNode>();
  #pending: NameChange[] = [];

  get(name: string): SimNode | undefined {
    return this.#now.get(name);
  }

  names(): readonly string[] {
    return [...this.#now.keys()].toSorted();
  }

  set(name: string, node: SimNode): void {
    this.#change({ kind: 'set', name, node });
  }

  remove(name: string): void {
    this.#change({ kind: 'remove', name });
  }

  rename(from: string, to: string, node: SimNode): void {
    this.#change({ kind: 'rename', from, to, node });
  }

  sync(): void {
    this.#durable = new Map(this.#now);
    this.#pending = [];
  }

  crash(random: Random): void {
    for (const change of this.#pending) if (random() < 0.5) rewrite(this.#durable, change);
    this.#pending = [];
    this.#now = new Map(this.#durable);
    for (const name of this.names()) this.#now.get(name)?.crash(random);
  }

  usedBytes(): number {
    let bytes = 0;
    for (const node of this.#now.values()) bytes += node instanceof SimFile ? node.sizeBytes : node.usedBytes();
    return bytes;
  }

  #change(change: NameChange): void {
    rewrite(this.#now, change);
    this.#pending.push(change);
  }
}

function rewrite(names: Map<string, SimNode>, change: NameChange): void {
  if (change.kind === 'set') names.set(change.name, change.node);
  else if (change.kind === 'remove') names.delete(change.name);
  else {
    names.delete(change.from);
    names.set(change.to, change.node);
  }
}
