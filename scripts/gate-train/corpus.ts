/** All texts, and how they are divided: a source is to learn from or to measure on, never both. */
import { sha256Hex } from '@retainer/contract/std/hash';
import { ownTexts } from './own-texts.ts';
import type { Sample } from './sample.ts';
import { technicalTexts } from './technical-texts.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { clusterNames } from './clusters.ts';

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
