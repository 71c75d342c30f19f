/**
 * The two thresholds. Every text that they are set by is scored by weights that have seen nothing of its source: the sources are
 * divided into folds, and each fold is scored by what was learnt of the others.
 */
import { finished } from '@retainer/mind/gate/text/pace';
import { scoreText, type Model } from '@retainer/mind/gate/detector/score-text';
import { screenText } from '@retainer/mind/gate/text/screen-text';
import { foldOf } from './corpus.ts';
import { examplesOf } from './examples.ts';
import { train } from './model.ts';
import type { Sample } from './sample.ts';

/** Share of technical texts that stay below `raiseFrom`. They are most of what an agent reads. */
const TECHNICAL_QUIET = 0.998;
/** The same of all other harmless texts; most of them share words with attacks. */
const OTHER_QUIET = 0.992;
/** Share of the attacks that the rules suspect, and that a lowered doubt may lose. */
const LOST_SHARE = 0.03;

/** Of the sources; a fourth of them is missing from what each fold is scored by. */
const FOLDS = 4;

export interface Thresholds {
  readonly raiseFrom: number;
  readonly lowerBelow: number;
}

export function setThresholds(samples: readonly Sample[]): Thresholds {
  const scored = Array.from({ length: FOLDS }, (_, fold) => fold).flatMap((fold) => {
    const isIn = (sample: Sample): boolean => foldOf(sample, FOLDS) === fold;
    const model: Model = train(examplesOf(samples.filter((sample) => !isIn(sample))));
    return samples.filter(isIn).map((sample) => ({ sample, score: finished(scoreText(model, sample.text)).score }));
  });
  const scoresOf = (has: (sample: Sample) => boolean): readonly Scored[] => scored.filter(({ sample }) => has(sample));
  const technical = scoresOf(({ set }) => set === 'technical');
  const other = scoresOf(({ set, isAttack }) => set !== 'technical' && !isAttack);
  const suspected = scoresOf(({ isAttack, text }) => isAttack && screenText(text, 'Incoming').alarm === 'Escalate');
  return {
    raiseFrom: 1 + Math.max(at(technical, TECHNICAL_QUIET), at(other, OTHER_QUIET)),
    lowerBelow: at(suspected, LOST_SHARE),
  };
}

interface Scored {
  readonly sample: Sample;
  readonly score: number;
}

/** The score that this share stays below. Every source counts the same, or one frame of sixty texts would decide alone. */
function at(scored: readonly Scored[], share: number): number {
  const sizes = new Map<string, number>();
  for (const { sample } of scored) sizes.set(sample.source, (sizes.get(sample.source) ?? 0) + 1);
  let left = sizes.size * share;
  const inOrder = scored.toSorted((a, b) => a.score - b.score);
  for (const { sample, score } of inOrder) {
    left -= 1 / (sizes.get(sample.source) ?? 1);
    if (left <= 0) return score;
  }
  return inOrder.at(-1)?.score ?? 0;
}
