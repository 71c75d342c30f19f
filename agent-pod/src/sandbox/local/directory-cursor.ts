/** Directories below a root, opened one after the other without following a link. Made for paths in sorted order. */
import { closeSync, constants, fchownSync, mkdirSync, openSync } from 'node:fs';

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

interface Opened {
  readonly name: string;
  readonly descriptor: number;
}

/** `Blocked`: a link or a file is in the way. */
export type FoundDirectory =
  | { readonly kind: 'Open'; readonly descriptor: number }
  | { readonly kind: 'Missing' }
  | { readonly kind: 'Blocked' };

export interface Making {
  /** User and group of what is made; undefined: the process's own. */
  readonly ownerId: number | undefined;
  readonly onMade: (path: string) => void;
}

export class DirectoryCursor {
  readonly #root: number;
  readonly #making: Making | undefined;
  #opened: Opened[] = [];

  /** @param making  absent: what is missing is not made */
  constructor(root: string, making?: Making) {
    this.#root = openSync(root, constants.O_RDONLY | constants.O_DIRECTORY);
    this.#making = making;
  }

  at(names: readonly string[]): FoundDirectory {
    const common = this.#opened.findIndex(({ name }, at) => names[at] !== name);
    if (common !== -1) this.#closeFrom(common);
    for (const name of names.slice(this.#opened.length)) {
      const descriptor = this.#open(name, names.slice(0, this.#opened.length + 1).join('/'));
      if (typeof descriptor === 'string') return { kind: descriptor };
      this.#opened.push({ name, descriptor });
    }
    return { kind: 'Open', descriptor: this.#innermost };
  }

  close(): void {
    this.#closeFrom(0);
    closeSync(this.#root);
  }

  get #innermost(): number {
    return this.#opened.at(-1)?.descriptor ?? this.#root;
  }

  #open(name: string, path: string): number | 'Missing' | 'Blocked' {
    const place = placeIn(this.#innermost, name);
    try {
      return openSync(place, DIRECTORY);
    } catch (error) {
      if (!isMissing(error)) return 'Blocked';
      return this.#making === undefined ? 'Missing' : makeDirectory(place, path, this.#making);
    }
  }

  #closeFrom(at: number): void {
    for (const { descriptor } of this.#opened.splice(at)) closeSync(descriptor);
  }
}

/** A name in an open directory, whatever becomes of the path by which it was opened. */
export function placeIn(descriptor: number, name: string): string {
  return `/proc/self/fd/${descriptor}/${name}`;
}

function makeDirectory(place: string, path: string, { ownerId, onMade }: Making): number {
  mkdirSync(place, 0o755);
  const descriptor = openSync(place, DIRECTORY);
  if (ownerId !== undefined) fchownSync(descriptor, ownerId, ownerId);
  onMade(path);
  return descriptor;
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
