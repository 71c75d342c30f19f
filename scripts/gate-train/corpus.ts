/** All texts, and how they are divided: a source is to learn from or to measure on, never both. */
import { sha256Hex } from '@retainer/contract/std/hash';
import { ownTexts } from './own-texts.ts';
import type { Sample } from './sample.ts';
import { sharedTexts } from './shared-texts.ts';
import { technicalTexts } from './technical-texts.ts';

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
