/** What weights are made of, as `weights.md` beside them tells it: which texts and packages, and what came of them. */
import { sha256Hex } from '@retainer/contract/std/hash';
import type { Detector } from '@retainer/mind/gate/detector/second-line';
import type { Corpus } from './corpus.ts';

export interface Ingredients {
  /** SHA-256 of all texts, in hexadecimal digits. */
  readonly texts: string;
  /** `name version` of Debian, `name@version` of npm. */
  readonly packages: readonly string[];
}

export interface Recipe extends Ingredients {
  /** SHA-256 of the weights' base64, in hexadecimal digits. */
  readonly weights: string;
  /** Hundredths. */
  readonly raiseFrom: number;
  readonly lowerBelow: number;
}

export function ingredientsOf({ samples, packages }: Corpus): Ingredients {
  return { texts: sha256Hex(JSON.stringify(samples)), packages };
}

export function recipeOf(corpus: Corpus, { weights, raiseFrom, lowerBelow }: Detector): Recipe {
  return { ...ingredientsOf(corpus), weights: digestOf(weights), raiseFrom, lowerBelow };
}

export function digestOf(weights: Int8Array): string {
  return sha256Hex(Buffer.from(weights.buffer, weights.byteOffset, weights.byteLength).toString('base64'));
}

export function isOfNpm(name: string): boolean {
  return !name.includes(' ');
}

/** @param page  Markdown, as `renderRecipe` writes it. @throws when a part is not there */
export function readRecipe(page: string): Recipe {
  const found = (pattern: RegExp, what: string): string => {
    const part = pattern.exec(page)?.[1];
    if (part === undefined) throw new Error(`weights.md has no "${what}": write it anew with --new-recipe`);
    return part;
  };
  const names = [
    found(/^Debian: (.*)\.$/m, 'Debian:'),
    found(/^npm, by the lock file: (.*)\.$/m, 'npm, by the lock file:'),
  ];
  return {
    texts: found(/SHA-256 of all ([0-9a-f]{64})/, 'SHA-256 of all'),
    packages: names.flatMap((line) => line.split(', ')),
    weights: found(/SHA-256 of their base64 ([0-9a-f]{64})/, 'SHA-256 of their base64'),
    raiseFrom: Number(found(/raise from (-?\d+)/, 'raise from')),
    lowerBelow: Number(found(/lower below (-?\d+)/, 'lower below')),
  };
}

/** @param now  without weights: only what they would be made of. @returns one line for each difference */
export function recipeDifferences(committed: Recipe, now: Ingredients | Recipe): readonly string[] {
  const rows: readonly (readonly [what: string, before: string | number, now: string | number])[] = [
    ['SHA-256 of all texts', committed.texts, now.texts],
    ...('weights' in now
      ? ([
          ['SHA-256 of the weights', committed.weights, now.weights],
          ['raise from', committed.raiseFrom, now.raiseFrom],
          ['lower below', committed.lowerBelow, now.lowerBelow],
        ] as const)
      : []),
  ];
  const others = rows.filter(([, before, after]) => before !== after);
  return [
    ...packageDifferences(committed.packages, now.packages),
    ...others.map(([what, before, after]) => `${what}: ${before} in the recipe, ${after} here`),
  ];
}

function packageDifferences(before: readonly string[], now: readonly string[]): readonly string[] {
  const versions = [before, now].map((names) => new Map(names.map(nameAndVersion)));
  const [old = new Map<string, string>(), present = new Map<string, string>()] = versions;
  return [...new Set([...old.keys(), ...present.keys()])].flatMap((name) => {
    const [was = 'none', is = 'none'] = [old.get(name), present.get(name)];
    return was === is ? [] : [`${name}: ${was} in the recipe, ${is} here`];
  });
}

function nameAndVersion(text: string): readonly [string, string] {
  const at = text.lastIndexOf(isOfNpm(text) ? '@' : ' ');
  return [text.slice(0, at), text.slice(at + 1)];
}
