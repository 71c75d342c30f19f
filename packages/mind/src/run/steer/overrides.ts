/**
 * What may overrule the table: a list read from the top. None of them touches a success.
 *
 * Source: artoo A.9 (overrides, in this order), A.8.
 */
import type { TableDirective } from './decision-table.ts';

export const OVERRIDES = [
  'DeliverWhenClose',
  'Worsening',
  'AbandonRecommended',
  'ReplansUsedUp',
  'NoAdmissibleTool',
] as const;
export type OverrideName = (typeof OVERRIDES)[number];

/** What the lines of the list look at. */
export interface Situation {
  /** D ≤ δ, and nothing forbids to call that a success. */
  readonly isNear: boolean;
  readonly deliverWhenClose: boolean;
  /** Rounds in a row that got worse, this one included, and how many are allowed. */
  readonly worsening: number;
  readonly worseningRoundsMax: number;
  readonly recommendation: 'Replan' | 'Abandon';
  /** Failing rounds, this one included. */
  readonly rounds: number;
  readonly maxReplans: number;
  /** Whether a directive would block the last tool that is left. */
  readonly leavesNoTool: (directive: TableDirective) => boolean;
}

interface Line {
  readonly overrules: 'Abandon' | 'Action';
  readonly to: 'Success' | 'Abandon';
  readonly holds: (situation: Situation, directive: TableDirective) => boolean;
}

const lines: Readonly<Record<OverrideName, Line>> = {
  DeliverWhenClose: { overrules: 'Abandon', to: 'Success', holds: (it) => it.deliverWhenClose && it.isNear },
  Worsening: { overrules: 'Action', to: 'Abandon', holds: (it) => it.worsening >= it.worseningRoundsMax },
  AbandonRecommended: { overrules: 'Action', to: 'Abandon', holds: (it) => it.recommendation === 'Abandon' },
  // The validator counts, too. Here it ends, whatever the validator and the weights say.
  ReplansUsedUp: { overrules: 'Action', to: 'Abandon', holds: (it) => it.rounds > it.maxReplans },
  NoAdmissibleTool: { overrules: 'Action', to: 'Abandon', holds: (it, directive) => it.leavesNoTool(directive) },
};

const sorts: Readonly<Record<TableDirective, 'Success' | 'Abandon' | 'Action'>> = {
  Success: 'Success',
  Abandon: 'Abandon',
  Refine: 'Action',
  ChangePath: 'Action',
  ChangeApproach: 'Action',
  BreakSymmetry: 'Action',
};

/** At most one fires: afterwards the run ends, and an end is overruled by nothing that comes later in the list. */
export function override(
  directive: TableDirective,
  situation: Situation,
): { readonly directive: TableDirective; readonly name?: OverrideName } {
  const name = OVERRIDES.find(
    (it) => lines[it].overrules === sorts[directive] && lines[it].holds(situation, directive),
  );
  return name === undefined ? { directive } : { directive: lines[name].to, name };
}
