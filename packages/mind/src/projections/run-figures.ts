/** Figures of the newest runs, for the sensorium: a fold of the narrative. */
import { z } from 'zod';
import { FIGURES_OF_RUNS, type RunFigures } from '../assemble/curator/figures.ts';
import { narrativeKinds, NARRATIVE_WINDOW } from '../parts/narrative/narrative.ts';
import { defineProjection, omitEach } from '../part/projection.ts';
import { significantWords } from '../meaning/significant-words.ts';

/** As many words carry a subject. */
const KEYWORDS_MAX = 16;

export const keywordsOf = (intent: string): readonly string[] => [
  ...new Set(significantWords(intent).slice(0, KEYWORDS_MAX)),
];

const KeptFigures: z.ZodType<RunFigures> = z.object({
  task: z.string(),
  outcome: z.string(),
  tokens: z.number(),
  endedAtMs: z.number(),
  keywords: z.array(z.string()).readonly(),
  tools: z.array(z.string()).readonly(),
});

/** Oldest first. */
export const runFigures = defineProjection({
  store: 'narrative',
  kinds: narrativeKinds,
  start: (): RunFigures[] => [],
  folds: {
    ...omitEach(narrativeKinds, 'it changes no figure'),
    RunRemembered: (runs: RunFigures[], { task, intent, outcome, tokens, endedAtMs, tools }) => {
      runs.push({ task: task.name, outcome, tokens, endedAtMs, keywords: keywordsOf(intent), tools });
      if (runs.length > FIGURES_OF_RUNS) runs.shift();
    },
  },
  window: NARRATIVE_WINDOW,
  cached: {
    version: 1,
    schema: z.array(KeptFigures),
    keep: (runs) => [...runs],
    restore: (runs, kept) => {
      runs.push(...kept);
    },
  },
});
