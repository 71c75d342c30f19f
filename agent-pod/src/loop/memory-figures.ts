/** How much memory holds at a moment, and how much has left it. Pure. */
import type { Projections } from '@retainer/mind/projections/projections';

export interface MemoryFigures {
  /** Things in memory, by what they are. */
  readonly sizes: Readonly<Record<'facts' | 'cases' | 'threads' | 'megrams' | 'artifacts' | 'runs', number>>;
  /** Things that left it because it holds no more. */
  readonly left: Readonly<Record<'facts' | 'cases' | 'artifacts', number>>;
}

type Known = Pick<Projections['states'], 'facts' | 'cases' | 'threads' | 'megrams' | 'artifacts' | 'narratedRuns'>;

export function memoryFigures({ facts, cases, threads, megrams, artifacts, narratedRuns }: Known): MemoryFigures {
  return {
    sizes: {
      facts: facts.held.size,
      cases: cases.byId.size,
      threads: threads.byId.size,
      megrams: megrams.size,
      artifacts: artifacts.size,
      runs: narratedRuns.size,
    },
    left: { facts: facts.left, cases: cases.left, artifacts: artifacts.left },
  };
}

/** Before the agent has started. */
export const NO_FIGURES: MemoryFigures = {
  sizes: { facts: 0, cases: 0, threads: 0, megrams: 0, artifacts: 0, runs: 0 },
  left: { facts: 0, cases: 0, artifacts: 0 },
};
