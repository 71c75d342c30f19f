/** What an agent at work is made of. */
import type { Clock } from '@retainer/contract/std/clock';
import type { Journal } from '@retainer/journal/journal';
import type { CycleConfig } from '@retainer/mind/cycle/draft';
import type { TendSettings } from '@retainer/mind/memory/tend/change';
import type { Publisher } from '../bus/bus.ts';
import type { Redact } from '../infer/secrets.ts';
import type { DeliveryPort, ModelPort } from '../ports/ports.ts';
import type { MemoryParts } from './agent-memory.ts';
import type { ArchivistSettings } from './archive-driver.ts';
import type { CharacterInForce } from './character-in-force.ts';
import type { CycleParts } from './cycle-driver.ts';
import type { PresentSeed } from './file-records.ts';
import type { OversightSettings } from './oversight.ts';
import type { ProjectionCache } from './projection-cache.ts';
import type { RunParts } from './run-driver.ts';
import type { ScratchParts } from './scratch-keeper.ts';
import type { SelfSettings } from './self-keeper.ts';
import type { ToolExecutor, ToolMemory } from './tool-executor.ts';

export interface RuntimeParts extends SelfSettings, MemoryParts, ScratchParts {
  readonly journal: Journal;
  readonly model: ModelPort;
  readonly config: CycleConfig;
  /** Absent: runs that another character admitted end. */
  readonly character?: CharacterInForce;
  readonly oversight: OversightSettings;
  readonly delivery: DeliveryPort;
  readonly bus: Pick<Publisher, 'publish'>;
  readonly clock: Clock;
  readonly redact: Redact;
  /** Absent: the Archivist asks no model. */
  readonly archivist?: ArchivistSettings;
  /** Absent: as an Agent has it that says nothing. */
  readonly tend?: TendSettings;
  readonly codeMax?: number;
  readonly holdsSecret: CycleParts['holdsSecret'];
  readonly drawNonce: CycleParts['drawNonce'];
  readonly lookAround: RunParts['lookAround'];
  readonly costUsd: CycleParts['costUsd'];
  readonly parseStructured: CycleParts['parseStructured'];
  readonly makeExecutor: (memory: ToolMemory) => ToolExecutor;
  readonly cache?: ProjectionCache;
  /** Files of the workspace that stand as the manifests have them. Absent: none. */
  readonly presentSeeds?: () => Promise<readonly PresentSeed[]>;
  readonly onNotice?: (notice: string) => void;
  /** Of this program; see `AsideKeeper`. */
  readonly version: string;
  /** The process must stop: a bug that concerns no single run, or a journal that takes no more. */
  readonly onFault: (error: unknown) => void;
}
