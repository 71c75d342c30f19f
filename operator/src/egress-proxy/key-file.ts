/** The operator's public key in a mounted file. The file may appear late and may change. */
import { readFile } from 'node:fs/promises';
import type { KeyObject } from 'node:crypto';
import type { Clock } from '@retainer/contract/std/clock';
import { parsePublicKey } from './read-grant.ts';

/** Interval between two reads: a kubelet takes up to a minute for a change anyway. */
const REREAD_MS = 5000;

export interface KeyFileParts {
  readonly path: string;
  readonly clock: Clock;
}

/** While the file is missing or unreadable, the last good key stays valid: the kubelet may swap a mount during a read. */
export class KeyFile {
  readonly #parts: KeyFileParts;
  #key: Promise<KeyObject | undefined> = Promise.resolve(undefined);
  #readAtMs: number | undefined;

  constructor(parts: KeyFileParts) {
    this.#parts = parts;
  }

  /** Never rejects. @returns undefined before the first key */
  current(): Promise<KeyObject | undefined> {
    const nowMs = this.#parts.clock.monotonicMs();
    if (this.#readAtMs === undefined || nowMs - this.#readAtMs >= REREAD_MS) {
      this.#readAtMs = nowMs;
      this.#key = this.#read(this.#key);
    }
    return this.#key;
  }

  async #read(last: Promise<KeyObject | undefined>): Promise<KeyObject | undefined> {
    const text = await readFile(this.#parts.path, 'utf8').catch(() => '');
    return parsePublicKey(text) ?? last;
  }
}
