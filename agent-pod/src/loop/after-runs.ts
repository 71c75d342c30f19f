/** What is made of runs once they have ended: they are archived, and then dreamt of. */
import type { AgentMemory } from './agent-memory.ts';
import { ArchiveDriver } from './archive-driver.ts';
import { DreamDriver } from './dream-driver.ts';
import type { Oversight } from './oversight.ts';
import type { RuntimeParts } from './runtime-parts.ts';

/** As an Agent has it that says nothing. */
const DEFAULT_TEND = { caseDedupSimilarity: 0.92 };

export interface AfterRuns {
  readonly archives: ArchiveDriver;
  readonly dreams: DreamDriver;
}

export interface AfterRunsParts {
  readonly memory: AgentMemory;
  readonly oversight: Oversight;
  readonly onArchived: () => void;
  /** The journal takes no more. */
  readonly onFault: (error: unknown) => void;
}

export function afterRuns(agent: RuntimeParts, { memory, ...given }: AfterRunsParts): AfterRuns {
  const { journal, records, write } = memory;
  const parts = { tend: DEFAULT_TEND, ...agent, ...given };
  return {
    archives: new ArchiveDriver({ ...parts, journal, records }),
    dreams: new DreamDriver({ ...parts, known: () => memory.known, write }),
  };
}
