/** All texts, and how they are divided: a source is to learn from or to measure on, never both. */
import { sha256Hex } from '@retainer/contract/std/hash';
import { ownTexts } from './own-texts.ts';
import type { Sample } from './sample.ts';
import { technicalTexts } from './technical-texts.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

export interface Corpus {
  readonly samples: readonly Sample[];
  readonly packages: readonly string[];
}

export type Part = 'Learn' | 'Measure';

const SEED = 1;

/** @param directory  of the texts with licences of others */
export function readCorpus(directory: string): Corpus {
  const shared = sharedTexts(directory);
  const technical = technicalTexts();
  const carriers = [...technical.samples, ...shared.filter(({ isAttack }) => !isAttack)];
  const learnt = carriers.filter((sample) => partOf(sample) === 'Learn').map(({ text }) => text);
  const samples = [...shared, ...technical.samples, ...ownTexts(learnt, SEED)];
  return { samples: withoutRepeats(samples.filter(isSaid)), packages: technical.packages };
}

/** One of these parts of the sources is to measure on. */
const PARTS = 8;

export function partOf(sample: Sample): Part {
  return numberOf('part', sample) % PARTS === 0 ? 'Measure' : 'Learn';
}

export function foldOf(sample: Sample, folds: number): number {
  return numberOf('fold', sample) % folds;
}

function numberOf(purpose: string, { source }: Sample): number {
  return Number.parseInt(sha256Hex(`${purpose} ${source}`).slice(0, 8), 16);
}

/** Some attacks of BIPIA are ordinary questions; only where they stand makes them one, which no text shows. */
function isSaid({ set, text }: Sample): boolean {
  return set !== 'bipia-text' || /\b(?:your|response|answer|reply|output)\b/i.test(text);
}

function withoutRepeats(samples: readonly Sample[]): readonly Sample[] {
  const byText = new Map(samples.toReversed().map((sample) => [sample.text, sample]));
  return samples.filter((sample) => byText.get(sample.text) === sample);
}

/** The texts with licences of others, in place; `README.md` beside them names source and licence of each set. */
const Row = z.object({ set: z.string(), text: z.string() });

/** @param directory  holds `attacks.jsonl` and `harmless.jsonl`: one object a line, `set` and `text` */
function sharedTexts(directory: string): readonly Sample[] {
  const rows = (['attacks', 'harmless'] as const).flatMap((file) =>
    readFileSync(join(directory, `${file}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => ({ ...Row.parse(JSON.parse(line)), isAttack: file === 'attacks' })),
  );
  const clusters = clusterNames(rows.map(({ text }) => text));
  const carriers = carriersIn(rows.filter(({ isAttack }) => isAttack).map(({ text }) => text));
  const without = rows.map(({ text, ...row }, index) => ({
    ...row,
    text: row.isAttack
      ? sentencesOf(text)
          .filter((it) => !carriers.has(it))
          .join('')
      : text,
    source: `cluster:${clusters[index] ?? index}`,
  }));
  return [...without, ...[...carriers].map((text) => ({ set: 'carrier', source: 'carrier', text, isAttack: false }))];
}

/** Attacks that one harmless document carries: its sentences are no attack, and would count as one by their number. */
const CARRIER_TEXTS_MIN = 100;
const CARRIER_CHARACTERS_MIN = 20;

function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?\n])/);
}

function carriersIn(texts: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const sentence of new Set(sentencesOf(text))) counts.set(sentence, (counts.get(sentence) ?? 0) + 1);
  const isCarrier = ([text, count]: readonly [string, number]): boolean =>
    count >= CARRIER_TEXTS_MIN && text.length >= CARRIER_CHARACTERS_MIN;
  return new Set([...counts].filter(isCarrier).map(([text]) => text));
}

/** Groups texts that a reader would call the same: they share runs of words. Sets copy from each other, and templates repeat. */

/** Words side by side that two texts are compared by. */
const SHINGLE_WORDS = 4;
/** Words that are compared: the rest of a long text adds nothing. */
const WORDS_MAX = 300;
/** Share of the shorter text's runs from which two texts are near-duplicates. */
const NEAR_DUPLICATE = 0.3;
/** A run in more texts than this is a phrase of the language, or of a template that all share. */
const COMMON_RUN_TEXTS = 200;

/** @returns for each text the index of the first text of its cluster */
function clusterNames(texts: readonly string[]): readonly number[] {
  const runs = texts.map(runsOf);
  const parent = texts.map((_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (parent[root] !== root) root = parent[root] ?? root;
    return root;
  };
  const textsOf = new Map<string, number[]>();
  for (const [index, own] of runs.entries()) {
    const common = new Map<number, number>();
    for (const other of [...own].flatMap((run) => rareIn(textsOf.get(run))))
      common.set(other, (common.get(other) ?? 0) + 1);
    for (const run of own) textsOf.set(run, [...(textsOf.get(run) ?? []), index]);
    for (const [other, shared] of common) {
      const least = Math.max(1, Math.min(own.size, runs[other]?.size ?? 0) * NEAR_DUPLICATE);
      if (shared >= least) union(parent, rootOf(other), rootOf(index));
    }
  }
  return texts.map((_, index) => rootOf(index));
}

function rareIn(others: readonly number[] = []): readonly number[] {
  return others.length < COMMON_RUN_TEXTS ? others : [];
}

function union(parent: number[], one: number, other: number): void {
  parent[Math.max(one, other)] = Math.min(one, other);
}

function runsOf(text: string): ReadonlySet<string> {
  const words = (text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? []).slice(0, WORDS_MAX);
  const count = Math.max(1, words.length - SHINGLE_WORDS + 1);
  return new Set(Array.from({ length: count }, (_, at) => words.slice(at, at + SHINGLE_WORDS).join(' ')));
}
