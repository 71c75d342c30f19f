/** Figures of the newest runs, for the sensorium: a fold of the narrative. */
import { z } from 'zod';
import { FIGURES_OF_RUNS, type RunFigures } from '../assemble/curator/figures.ts';
import { narrativeKinds, NARRATIVE_WINDOW } from '../parts/narrative/narrative.ts';
import { defineProjection } from '../part/projection.ts';
import { significantWords } from '../meaning/significant-words.ts';

/** As many words carry a subject. */
const KEYWORDS_MAX = 16;

export const keywordsOf = (intent: string): readonly string[] => [
  ...new Set(significantWords(intent).slice(0, KEYWORDS_MAX)),
];

const KeptFigures: z.ZodType<RunFigures> = z.object({
  runId: z.string(),
  task: z.string(),
  outcome: z.string(),
  tokens: z.number(),
  endedAtMs: z.number(),
  keywords: z.array(z.string()).readonly(),
  domain: z.string(),
  calls: z.array(z.object({ tool: z.string(), ran: z.number(), failed: z.number() })).readonly(),
});

/** Oldest first. A run that a person had forgotten is in no figure. */
export const runFigures = defineProjection({
  store: 'narrative',
  kinds: narrativeKinds,
  start: (): RunFigures[] => [],
  folds: {
    RunRemembered: (runs, remembered, { runId = '' }) => {
      const { task, intent, outcome, tokens, endedAtMs, telemetry } = remembered;
      const calls = (telemetry?.calls ?? []).filter(({ ran }) => ran > 0);
      runs.push({
        ...{ runId, task: task.name, outcome, tokens, endedAtMs },
        keywords: keywordsOf(intent),
        domain: telemetry?.labels.domain ?? '',
        calls: calls.map(({ tool, ran, failed }) => ({ tool, ran, failed })),
      });
      if (runs.length > FIGURES_OF_RUNS) runs.shift();
    },
    RunReflected: (runs, { domain }, { runId }) => {
      const at = runs.findIndex((it) => it.runId === runId);
      const run = runs[at];
      if (run !== undefined && domain !== '') runs.splice(at, 1, { ...run, domain });
    },
    RunImported: { because: 'it is no run of this agent' },
    RunAmended: (runs, { as }, { runId }) => {
      const at = runs.findIndex((it) => it.runId === runId);
      if (as === 'Forgotten' && at >= 0) runs.splice(at, 1);
    },
  },
  window: NARRATIVE_WINDOW,
  cached: {
    version: 2,
    schema: z.array(KeptFigures),
    keep: (runs) => [...runs],
    restore: (runs, kept) => {
      runs.push(...kept);
    },
  },
});
