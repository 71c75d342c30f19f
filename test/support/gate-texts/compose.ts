/** Texts made of sentences, sentences made of words: always the same ones from the same seed. */
import { Seeded } from '../seeded.ts';

/** One subject: its sentences belong together, `{word}` stands for one of its words. */
export interface Domain {
  readonly name: string;
  readonly words: Readonly<Record<string, readonly string[]>>;
  readonly sentences: readonly string[];
}

export interface ComposedText {
  readonly domain: string;
  readonly text: string;
}

/** Words side by side that two texts are compared by. */
const SHINGLE_WORDS = 3;
/** Share of common shingles from which two texts are the same to a reader. */
const NEAR_DUPLICATE = 0.5;

/** @param count  of each domain, before near-duplicates are removed */
export function composeTexts(domains: readonly Domain[], count: number, seed: number): readonly ComposedText[] {
  const random = new Seeded(seed);
  const pick = <T>(items: readonly T[]): T => {
    const item = items[random.below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  };
  const fill = ({ words }: Domain, sentence: string): string =>
    sentence.replaceAll(/\{(\w+)\}/g, (_, name: string) => pick(words[name] ?? []));
  const one = (domain: Domain): ComposedText => {
    const size = 1 + random.below(3);
    const sentences = Array.from({ length: size }, () => fill(domain, pick(domain.sentences)));
    return { domain: domain.name, text: [...new Set(sentences)].join(' ') };
  };
  return withoutNearDuplicates(domains.flatMap((domain) => Array.from({ length: count }, () => one(domain))));
}

function withoutNearDuplicates(texts: readonly ComposedText[]): readonly ComposedText[] {
  const kept: { readonly text: ComposedText; readonly shingles: ReadonlySet<string> }[] = [];
  for (const text of texts) {
    const shingles = shinglesOf(text.text);
    const isNew = kept.every(
      (other) => other.text.domain !== text.domain || likeness(other.shingles, shingles) < NEAR_DUPLICATE,
    );
    if (isNew) kept.push({ text, shingles });
  }
  return kept.map(({ text }) => text);
}

function shinglesOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [];
  return new Set(words.map((_, at) => words.slice(at, at + SHINGLE_WORDS).join(' ')));
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((shingle) => b.has(shingle)).length;
  return common / (a.size + b.size - common);
}
