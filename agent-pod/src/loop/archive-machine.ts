/** The archiving of a run as the loop, and a replay, run it. */
import { decideArchive } from '@retainer/mind/archive/decide';
import { isArchiveInput, type ArchiveEvent, type ArchiveInput } from '@retainer/mind/archive/event';
import { evolveArchive } from '@retainer/mind/archive/evolve';
import type { ArchiveState } from '@retainer/mind/archive/state';
import type { Machine } from './instance.ts';

export const archiveMachine: Machine<ArchiveState, ArchiveInput, ArchiveEvent> = {
  store: 'archive',
  isInput: isArchiveInput,
  decide: decideArchive,
  evolve: evolveArchive,
};
