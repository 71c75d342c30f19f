import { canonicalJson, type Json } from '@retainer/contract/std/canonical-json';
import type { WrittenRecord } from './written-records.ts';

/** Shorter values are cheaper than a name for them. */
const CHARACTERS_MAX = 64;

/** Counts what stands in an earlier record of the same run. */
export class CopyCount {
  /** By run. */
  readonly #said = new Map<string, Set<string>>();
  readonly #places = new Map<string, number>();

  /** In the order of the agent's life. */
  take({ store, kind, runId, payload }: WrittenRecord): void {
    const said = this.#said.get(runId) ?? new Set();
    this.#said.set(runId, said);
    const here = new Set<string>();
    this.#walk(payload, `${store}/${kind}`, { said, here });
    for (const text of here) said.add(text);
  }

  /** Characters by kind and place in it, without the numbers of elements; largest first. */
  places(): readonly (readonly [place: string, characters: number])[] {
    return [...this.#places].toSorted(([, a], [, b]) => b - a);
  }

  get total(): number {
    return [...this.#places.values()].reduce((sum, it) => sum + it, 0);
  }

  #walk(value: Json, place: string, texts: { readonly said: ReadonlySet<string>; readonly here: Set<string> }): void {
    if (value === null || typeof value === 'number' || typeof value === 'boolean') return;
    const text = canonicalJson(value);
    if (text.length <= CHARACTERS_MAX) return;
    if (texts.said.has(text)) return addTo(this.#places, place, text.length);
    texts.here.add(text);
    if (typeof value === 'string') return;
    const isList = Array.isArray(value);
    for (const [key, inner] of Object.entries(value))
      this.#walk(inner, isList ? `${place}[]` : `${place}.${key}`, texts);
  }
}

export function addTo(sums: Map<string, number>, key: string, value: number): void {
  sums.set(key, (sums.get(key) ?? 0) + value);
}
