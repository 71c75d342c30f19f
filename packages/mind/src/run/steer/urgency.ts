/**
 * The effects of the loss's trend besides the directive, which it never selects. An extension, off by default.
 *
 * While the loss falls, subtasks get one more correction, and matched work is kept in every profile. While the loss rises, the
 * output of
 * the failed plan is dropped, and the model of the meta-validator makes the next plan.
 *
 * Source: artoo A.19. Differs: the planner is raised to the tier of the meta-validator and no higher, since whoever judges
 * the whole must not be weaker than whoever planned it.
 */
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { Salvage, SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import type { CycleSpec } from '../../cycle/event.ts';
import type { RunSpec } from '../event.ts';
import type { Trend } from './decision-table.ts';
import { keepMatched } from './salvage.ts';
import type { SteerContext, SteerState } from './steer-state.ts';

export type Urgency = BusPayload<'PlanDirective'>['urgency'];

/** Corrections of a subtask beyond the Agent's limit. Source: artoo A.19. */
const EXTRA_RETRIES = 1;

export function urgencyOf({ urgency }: SteerContext['control'], trend: Trend): Urgency {
  return !urgency || trend === 'Plateau' ? undefined : trend;
}

/** The salvage after a failed round, and the part of it that the next plan receives. */
export function keepSalvage(
  state: SteerState,
  outcomes: readonly SubTaskOutcome[],
  { profile, round, urgency }: Keeping,
): { readonly kept: Salvage[]; readonly handed: Salvage[] } {
  const kept = urgency === 'Worsening' ? [...state.salvage] : keepMatched(state.salvage, outcomes, round);
  return { kept, handed: profile !== 'Spec' || urgency === 'Improving' ? kept : [] };
}

interface Keeping {
  readonly profile: SteerContext['control']['profile'];
  readonly round: number;
  readonly urgency: Urgency;
}

/** Corrections per subtask in the round after the directive. */
export function retriesMax({ fastLoop }: RunSpec['control'], urgency: Urgency): number {
  return fastLoop.maxRetries + (urgency === 'Improving' ? EXTRA_RETRIES : 0);
}

/** The model for the plan after the directive; empty: the planner's own. */
export function plannerModel(
  { roles }: RunSpec,
  urgency: Urgency,
): Partial<Pick<CycleSpec, 'tier' | 'model' | 'price' | 'ask'>> {
  const { Planner, MetaValidator } = roles;
  const isRaised = urgency === 'Worsening' && Planner.tier === 'Fast' && MetaValidator.tier === 'Capable';
  if (!isRaised) return {};
  const { tier, model, price, ask } = MetaValidator;
  return { tier, model, ...(price === undefined ? {} : { price }), ...(ask === undefined ? {} : { ask }) };
}
