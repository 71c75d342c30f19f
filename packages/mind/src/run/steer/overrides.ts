/**
 * Overrides of the table: a list read from the top. None of them changes a success.
 *
 * Source: artoo A.9 (overrides, in this order), A.8.
 */
import type { TableDirective } from './decision-table.ts';

const TABLE_OVERRIDES = [
  'DeliverWhenClose',
  'Worsening',
  'AbandonRecommended',
  'ReplansUsedUp',
  'NoAdmissibleTool',
] as const;
/** The last two end a run of profile `Evidence`, which asks no table. */
export const OVERRIDES = [...TABLE_OVERRIDES, 'NothingTried', 'NotWorthIt'] as const;
export type OverrideName = (typeof OVERRIDES)[number];

/** The inputs of the list. */
export interface Situation {
  /** D ≤ δ, and nothing bars a success. */
  readonly isNear: boolean;
  readonly deliverWhenClose: boolean;
  /** What is near enough is delivered by whatever ends the run. */
  readonly isLastResort: boolean;
  /** Consecutive worsening rounds, including this one, and the allowed number. */
  readonly worsening: number;
  readonly worseningRoundsMax: number;
  readonly recommendation: 'Replan' | 'Abandon';
  /** Failed rounds, including this one. */
  readonly rounds: number;
  readonly maxReplans: number;
  /** Whether a directive would block the last remaining tool. */
  readonly leavesNoTool: (directive: TableDirective) => boolean;
}

interface Line {
  readonly overrules: 'Abandon' | 'Action';
  readonly to: 'Success' | 'Abandon';
  readonly holds: (situation: Situation, directive: TableDirective) => boolean;
}

const lines: Readonly<Record<(typeof TABLE_OVERRIDES)[number], Line>> = {
  DeliverWhenClose: { overrules: 'Abandon', to: 'Success', holds: (it) => it.deliverWhenClose && it.isNear },
  Worsening: { overrules: 'Action', to: 'Abandon', holds: (it) => it.worsening >= it.worseningRoundsMax },
  AbandonRecommended: { overrules: 'Action', to: 'Abandon', holds: (it) => it.recommendation === 'Abandon' },
  // The validator also counts rounds. Here the run ends, whatever the validator and the weights say.
  ReplansUsedUp: { overrules: 'Action', to: 'Abandon', holds: (it) => it.rounds > it.maxReplans },
  NoAdmissibleTool: { overrules: 'Action', to: 'Abandon', holds: (it, directive) => it.leavesNoTool(directive) },
};

const sorts: Readonly<Record<TableDirective, 'Success' | 'Abandon' | 'Action'>> = {
  Success: 'Success',
  Abandon: 'Abandon',
  Retry: 'Action',
  Refine: 'Action',
  ChangePath: 'Action',
  ChangeApproach: 'Action',
  BreakSymmetry: 'Action',
};

/** At most one fires: each ends the run, and no later line overrules an end. */
export function override(
  directive: TableDirective,
  situation: Situation,
): { readonly directive: TableDirective; readonly name?: OverrideName } {
  const name = TABLE_OVERRIDES.find(
    (it) => lines[it].overrules === sorts[directive] && lines[it].holds(situation, directive),
  );
  const decided = name === undefined ? { directive } : { directive: lines[name].to, name };
  const isDelivered = situation.isLastResort && situation.isNear && decided.directive === 'Abandon';
  return isDelivered ? { directive: 'Success', name: 'DeliverWhenClose' } : decided;
}
