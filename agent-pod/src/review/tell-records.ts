/** Tells records with the tools that this version knows. A tool of another version counts as the worst case. */
import type { Json } from '@retainer/contract/std/canonical-json';
import type { JournalRecord } from '@retainer/journal/journal';
import {
  storyTeller as tellerOf,
  tellRun as tellRunOf,
  type RunStory,
  type Teller,
} from '@retainer/mind/explain/tell-run';
import { renderEffect as renderEffectOf, type Covered, type Effect } from '@retainer/mind/gate/render-effect';
import { knownTools } from '../parts/catalog.ts';

export type { Covered };

/** @returns see `storyTeller` of `explain/` */
export function storyTeller(): Teller {
  return tellerOf(knownTools);
}

/** @returns see `tellRun` of `explain/` */
export function tellRun(records: readonly JournalRecord[]): RunStory | undefined {
  return tellRunOf(records, knownTools);
}

/** See `renderEffect` of `gate/`. */
export function renderEffect(tool: string, input: Json, covered?: Covered): Effect {
  return renderEffectOf(knownTools.factsOf(tool), input, covered);
}
