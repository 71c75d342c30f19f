/**
 * Vectors of texts by model, in memory and in a file that can be made again. A vector is kept as bytes with one scale.
 *
 * I1  What cannot be read is left out: a vector that is missing is asked for again.
 */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { TextVector } from '@retainer/mind/meaning/text-vector';

/** A file with another version is not read. */
const VERSION = 1;

/** Texts with a vector, the newest: as many as are indexed of cases and facts of a busy year; 60 MB at 1,536 numbers each. */
const VECTORS_MAX = 40_000;

/** Hexadecimal digits that name a text: practically unique. */
const KEY_DIGITS = 32;

const BYTE_MAX = 127;

interface Packed {
  readonly scale: number;
  readonly bytes: Int8Array;
}

export class VectorCache {
  readonly #path: string;
  readonly #model: string;
  readonly #vectors = new Map<string, Packed>();
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(path: string, model: string) {
    this.#path = path;
    this.#model = model;
  }

  /** @param path  of a file that is made if it is missing, damaged or of another model */
  static async open(path: string, model: string): Promise<VectorCache> {
    const cache = new VectorCache(path, model);
    const text = await readFile(path, 'utf8').catch(() => '');
    const [header = '', ...lines] = text.split('\n');
    const isOwn = header === cache.#header;
    if (isOwn) for (const line of lines) cache.#take(line);
    if (!isOwn || lines.length > 2 * VECTORS_MAX) await cache.#rewrite();
    return cache;
  }

  has(text: string): boolean {
    return this.#vectors.has(keyOf(text));
  }

  get(text: string): TextVector | undefined {
    const packed = this.#vectors.get(keyOf(text));
    return packed === undefined ? undefined : unpacked(packed);
  }

  /** Kept in memory at once, and in the file soon. @param vector  of length 1 */
  set(text: string, vector: Float32Array): void {
    const key = keyOf(text);
    const made = packed(vector);
    this.#keep(key, made);
    const line = `${JSON.stringify([key, made.scale, Buffer.from(made.bytes.buffer).toString('base64')])}\n`;
    // A vector that is not in the file is asked for again after the next start.
    this.#writing = this.#writing.then(() => appendFile(this.#path, line)).catch(() => undefined);
  }

  /** Resolves when everything that was set so far is in the file, or cannot be. */
  async written(): Promise<void> {
    await this.#writing;
  }

  get #header(): string {
    return JSON.stringify({ version: VERSION, model: this.#model });
  }

  #take(line: string): void {
    try {
      const [key, scale, bytes] = JSON.parse(line) as [string, number, string];
      if (typeof key === 'string' && Number.isFinite(scale))
        this.#keep(key, { scale, bytes: Int8Array.from(Buffer.from(bytes, 'base64')) });
    } catch {
      // The end of a file that a crash cut off.
    }
  }

  #keep(key: string, vector: Packed): void {
    this.#vectors.delete(key);
    this.#vectors.set(key, vector);
    forgetOldest(this.#vectors, VECTORS_MAX);
  }

  async #rewrite(): Promise<void> {
    const lines = [...this.#vectors].map(([key, { scale, bytes }]) =>
      JSON.stringify([key, scale, Buffer.from(bytes.buffer).toString('base64')]),
    );
    // Without a file, vectors last as long as the process.
    await mkdir(dirname(this.#path), { recursive: true }).catch(() => undefined);
    await writeFile(this.#path, `${[this.#header, ...lines].join('\n')}\n`).catch(() => undefined);
  }
}

function keyOf(text: string): string {
  return sha256Hex(text).slice(0, KEY_DIGITS);
}

function packed(vector: Float32Array): Packed {
  const most = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  const scale = most === 0 ? 1 : most / BYTE_MAX;
  return { scale, bytes: Int8Array.from(vector, (value) => Math.round(value / scale)) };
}

function unpacked({ scale, bytes }: Packed): Float32Array {
  return Float32Array.from(bytes, (value) => value * scale);
}
